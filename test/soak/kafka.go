package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/outbox-relay/outbox-relay/router/kafka"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
)

// brokerKinds are faults of one broker, drawn by lot.
func brokerKinds() []*kind {
	return []*kind{
		{name: "broker-kill", uses: brokers, weight: 2, do: awayAndBack(func(c *kafkaserver.Cluster, _ context.Context, i int) error { return c.Kill(i) })},
		{name: "broker-stop", uses: brokers, weight: 1, do: awayAndBack(func(c *kafkaserver.Cluster, ctx context.Context, i int) error { return c.Stop(ctx, i) })},
		{name: "broker-freeze", uses: brokers, weight: 6, do: freezeBrokers(1)},
		{name: "broker-quota", uses: brokers, weight: 2, gentle: true, do: throttleProducer},
		{name: "all-brokers-freeze", uses: brokers, weight: 3, stops: true, do: freezeBrokers(anyNumber)},
	}
}

// clusterKinds need more than one broker.
func clusterKinds() []*kind {
	return []*kind{
		{name: "leader-moves", uses: brokers, weight: 8, do: moveLeaders},
		{name: "min-isr", uses: brokers, weight: 4, do: starveReplicas},
	}
}

// anyNumber of brokers is below this.
const anyNumber = 9

// brokerTimeout bounds what is done to a broker; a JVM starts in about 4 s.
const brokerTimeout = 2 * time.Minute

// awayAndBack takes a broker away and starts it again.
func awayAndBack(leave func(*kafkaserver.Cluster, context.Context, int) error) func(context.Context, *round, fault) error {
	return func(ctx context.Context, r *round, f fault) error {
		c := r.stand.kafka
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), brokerTimeout)
		defer cancel()
		i := int(f.lot % uint64(len(c.Addrs())))
		if err := leave(c, ctx, i); err != nil {
			return fmt.Errorf("take broker %d away: %w", i, err)
		}
		pause(ctx, f.lasts)
		return r.startBroker(ctx, i)
	}
}

// startBroker tries again when a broker does not come up: it may meet an election, and nothing is wrong with the relay.
func (r *round) startBroker(ctx context.Context, i int) (err error) {
	for range 3 {
		if err = r.stand.kafka.StartBroker(ctx, i); err == nil {
			return nil
		}
		r.note("%v", err)
	}
	return err
}

// throttleProducer gives the relay a quota, which the broker enforces by pauses.
func throttleProducer(ctx context.Context, r *round, f fault) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), brokerTimeout)
	defer cancel()
	rate := 20_000 + f.random().IntN(300_000)
	if err := r.stand.kafka.LimitProducer(ctx, kafka.DefaultClientID, float64(rate)); err != nil {
		return err
	}
	pause(ctx, f.lasts)
	return r.stand.kafka.LimitProducer(ctx, kafka.DefaultClientID, 0)
}

// freezeBrokers stops up to so many brokers: connections stay open and nothing is answered.
func freezeBrokers(most int) func(context.Context, *round, fault) error {
	return func(ctx context.Context, r *round, f fault) error {
		c := r.stand.kafka
		n := len(c.Addrs())
		var errs []error
		first := int(f.lot % uint64(n))
		for i := range min(most, n) {
			errs = append(errs, c.Pause((first+i)%n))
		}
		pause(ctx, f.lasts)
		for i := range min(most, n) {
			errs = append(errs, c.Resume((first+i)%n))
		}
		return errors.Join(errs...)
	}
}

// moveLeaders makes other brokers the leaders of all partitions, several times.
func moveLeaders(ctx context.Context, r *round, f fault) error {
	times := 1 + int(f.lot%4)
	for range times {
		for _, topic := range r.topics() {
			// A topic may not be there yet, and a cluster that has just lost a broker refuses an election.
			if err := r.stand.kafka.MoveLeaders(ctx, topic); err != nil && ctx.Err() == nil {
				r.note("leaders did not move: %v", err)
			}
		}
		pause(ctx, f.lasts/time.Duration(times))
	}
	return nil
}

// starveReplicas demands as many replicas in sync as there are brokers, and freezes a broker: once it has dropped out,
// the leaders refuse records.
func starveReplicas(ctx context.Context, r *round, f fault) error {
	c := r.stand.kafka
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), brokerTimeout)
	defer cancel()
	set := func(replicas int) {
		for _, topic := range r.topics() {
			if err := c.SetTopicConfig(ctx, topic, "min.insync.replicas", fmt.Sprint(replicas)); err != nil {
				r.note("min.insync.replicas was not set: %v", err)
			}
		}
	}
	set(len(c.Addrs()))
	defer set(minInSync)
	i := int(f.lot % uint64(len(c.Addrs())))
	if err := c.Pause(i); err != nil {
		return err
	}
	pause(ctx, f.lasts+replicaLag)
	return c.Resume(i)
}
