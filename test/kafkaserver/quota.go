package kafkaserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
)

// LimitProducer sets how many bytes per second a client of that id may produce at each broker, over a window of about
// ten seconds; beyond that the broker demands pauses (throttle_time_ms). 0 takes the limit away.
func (c *Cluster) LimitProducer(ctx context.Context, clientID string, bytesPerSecond float64) error {
	entry := kadm.AlterClientQuotaEntry{
		Entity: kadm.ClientQuotaEntity{{Type: "client-id", Name: &clientID}},
		Ops:    []kadm.AlterClientQuotaOp{{Key: "producer_byte_rate", Value: bytesPerSecond, Remove: bytesPerSecond == 0}},
	}
	err := c.withAdmin(func(admin *kadm.Client) error {
		answers, err := admin.AlterClientQuotas(ctx, []kadm.AlterClientQuotaEntry{entry})
		for _, a := range answers {
			err = errors.Join(err, a.Err)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("set the quota of client %q: %w", clientID, err)
	}
	return nil
}
