package kafka

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/IBM/sarama"
)

// The settings of a topic that decide whether records are safe in it, and how
// large they may be.
const (
	settingMinInSync = "min.insync.replicas"
	settingMaxBytes  = "max.message.bytes"
)

// configs asks for the settings of the topics that are there.
func (i *inspector) configs(topics []TopicSurvey) error {
	req := &sarama.DescribeConfigsRequest{Version: 2}
	for n := range topics {
		if t := &topics[n]; t.Err == nil && !t.Missing {
			req.Resources = append(req.Resources, &sarama.ConfigResource{
				Type: sarama.TopicResource, Name: t.Name, ConfigNames: []string{settingMinInSync, settingMaxBytes}})
		}
	}
	if len(req.Resources) == 0 {
		return nil
	}
	resp, err := i.conn.broker.DescribeConfigs(req)
	if err != nil {
		return fmt.Errorf("ask broker %s for the settings of topics: %w", i.conn.addr, err)
	}
	for _, r := range resp.Resources {
		n := slices.IndexFunc(topics, func(t TopicSurvey) bool { return t.Name == r.Name })
		if n < 0 {
			continue
		}
		t := &topics[n]
		if code := sarama.KError(r.ErrorCode); code != sarama.ErrNoError {
			t.ConfigErr = fmt.Errorf("%s (%w)", codeName(code), code)
			continue
		}
		t.MinInSync, t.MaxBytes = setting(r, settingMinInSync), setting(r, settingMaxBytes)
	}
	return nil
}

// setting is a number, or 0 if it is missing.
func setting(r *sarama.ResourceResponse, name string) int {
	for _, c := range r.Configs {
		if c.Name == name {
			if n, err := strconv.Atoi(c.Value); err == nil {
				return n
			}
		}
	}
	return 0
}
