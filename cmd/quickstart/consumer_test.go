package main

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TestConsumer makes the topic and writes to it after the consumer has begun to look for it.
func TestConsumer(t *testing.T) {
	t.Parallel()
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.AllowAutoTopicCreation(), kfake.DefaultNumPartitions(1))
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	c, err := openConsumer(broker.ListenAddrs())
	if err != nil {
		t.Fatal(err)
	}
	producer, err := kgo.NewClient(kgo.SeedBrokers(broker.ListenAddrs()...), kgo.AllowAutoTopicCreation())
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	headers := []kgo.RecordHeader{{Key: "x", Value: []byte("y")}, {Key: "id", Value: []byte("1")}}
	began := time.Now()
	record := &kgo.Record{Topic: topic, Key: []byte("k"), Value: []byte("v"), Headers: headers}
	if err := producer.ProduceSync(t.Context(), record).FirstErr(); err != nil {
		t.Fatal(err)
	}
	select {
	case e := <-c.events:
		if e.arrived.Before(began) {
			t.Errorf("arrived %v before it was sent", e.arrived)
		}
		e.arrived = time.Time{}
		if want := (event{topic: topic, id: "1", key: "k", value: "v"}); e != want {
			t.Errorf("got %+v, want %+v", e, want)
		}
	case <-c.done:
		t.Errorf("ended: %v", c.err)
	case <-time.After(time.Minute):
		t.Error("nothing arrived")
	}
	if err := c.stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestConsumerTellsWhyItEnded(t *testing.T) {
	t.Parallel()
	c, err := openConsumer([]string{"127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	c.client.Close()
	<-c.done
	if err := c.stop(); err == nil || !strings.Contains(err.Error(), "consume "+topic) {
		t.Errorf("got %v", err)
	}
}
