package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/IBM/sarama"
)

// Survey is what a cluster says about everything that producing needs, with the
// verdicts that a Producer would come to.
type Survey struct {
	Bootstrap []Endpoint // bootstrap.servers
	Brokers   []Endpoint // as the cluster itself names them (advertised.listeners)
	Identity  error      // taking a producer id, which idempotent sending needs
	Names     []string   // all topics that this user may see, but the internal ones
	Topics    []TopicSurvey
}

// Endpoint is an address and whether a connection, authenticated as configured,
// could be made.
type Endpoint struct {
	Addr string
	Err  error
}

// TopicSurvey is what is known of a topic.
type TopicSurvey struct {
	Name    string
	Missing bool
	// Err says why no record would pass: the topic is missing and may not or cannot
	// be made, or this user may not see it.
	Err        error
	Partitions int
	Replicas   int // of the partition that has the fewest, as the next
	InSync     int
	Leaderless int   // partitions without a leader
	Write      error // this user may not write; nil if it may or the cluster does not say
	// MinInSync and MaxBytes are min.insync.replicas and max.message.bytes; 0 if
	// ConfigErr says why they are not known.
	MinInSync, MaxBytes int
	ConfigErr           error
}

// Topics are those that a survey looks at.
type Topics struct {
	Fixed []string               // whether they exist or not
	Also  func(name string) bool // of those that exist; nil for none
	Most  int                    // of the latter
	Probe string                 // a name to find out with whether topics may be made; "" for none
}

// Inspect asks a cluster as a Producer would, and makes, changes and sends
// nothing; what is taken is one producer id. The error says that no address
// answered, which Bootstrap tells in detail.
func Inspect(ctx context.Context, cfg Config, topics Topics) (*Survey, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	i := inspector{ctx: ctx, cfg: &cfg}
	s := &Survey{}
	defer i.close()
	for _, addr := range cfg.BootstrapServers {
		s.Bootstrap = append(s.Bootstrap, Endpoint{addr, i.reach(addr)})
	}
	if i.conn == nil {
		var failed unreachable
		for _, e := range s.Bootstrap {
			failed = append(failed, e.Err)
		}
		return s, fmt.Errorf("reach Kafka: %w", failed)
	}
	return s, i.survey(s, topics)
}

// inspector asks everything over the first connection that could be made. Its
// context bounds one Inspect.
type inspector struct {
	ctx  context.Context //nolint:containedctx // lives no longer than the call
	cfg  *Config
	conn *conn
}

// reach connects to an address and keeps the first connection.
func (i *inspector) reach(addr string) error {
	c := newConn(addr)
	defer context.AfterFunc(i.ctx, c.line.cut)()
	err := c.open(i.cfg, min(controlTimeout, i.cfg.RequestTimeout))
	if err == nil {
		err = c.checkVersion(i.cfg)
	}
	if err == nil && i.conn == nil {
		i.conn = c
		return nil
	}
	c.close()
	return err
}

func (i *inspector) close() {
	if i.conn != nil {
		i.conn.close()
	}
}

func (i *inspector) survey(s *Survey, topics Topics) error {
	defer context.AfterFunc(i.ctx, i.conn.line.cut)()
	r, err := askMetadata(i.conn, nil)
	if err != nil {
		return err
	}
	for _, b := range r.metadata.Brokers {
		s.Brokers = append(s.Brokers, Endpoint{Addr: b.Addr()})
	}
	slices.SortFunc(s.Brokers, func(a, b Endpoint) int { return cmp.Compare(a.Addr, b.Addr) })
	for n := range s.Brokers {
		s.Brokers[n].Err = i.reach(s.Brokers[n].Addr)
	}
	s.Identity = i.identity()
	for _, t := range r.metadata.Topics {
		if !t.IsInternal {
			s.Names = append(s.Names, t.Name)
		}
	}
	slices.Sort(s.Names)
	return i.topics(s, topics)
}

// identity takes a producer id, as each session does. A broker that has just
// started, or a cluster that was never asked for one, says for a moment that it
// cannot give any.
func (i *inspector) identity() error {
	for attempt := 1; ; attempt++ {
		r, err := askID(i.conn)
		switch {
		case err != nil:
			return err
		case r.code == sarama.ErrNoError:
			return nil
		case classify(r.code) == misconfigured:
			return configError(r.code, "ask for a producer id")
		case attempt == identityAttempts:
			return fmt.Errorf("ask for a producer id: %s (%w)", codeName(r.code), r.code)
		}
		select {
		case <-i.ctx.Done():
			return context.Cause(i.ctx)
		case <-time.After(i.cfg.backoff(attempt)):
		}
	}
}

// identityAttempts, with the pauses between them, take a few seconds.
const identityAttempts = 8

// topics describes the topics that are asked for.
func (i *inspector) topics(s *Survey, want Topics) error {
	var names []string
	for _, name := range want.Fixed {
		if s.named(name) {
			names = append(names, name)
		}
	}
	for _, name := range s.Names {
		if want.Also != nil && want.Also(name) && len(names) < len(want.Fixed)+want.Most && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		req := sarama.NewMetadataRequest(protocol, names)
		req.IncludeTopicAuthorizedOperations = true
		resp, err := i.conn.broker.GetMetadata(req)
		if err != nil {
			return fmt.Errorf("ask broker %s for topics: %w", i.conn.addr, err)
		}
		for _, m := range resp.Topics {
			// One that is gone again was nobody's wish.
			if t := i.topic(m); !t.Missing || slices.Contains(want.Fixed, t.Name) {
				s.Topics = append(s.Topics, t)
			}
		}
		slices.SortFunc(s.Topics, func(a, b TopicSurvey) int {
			return cmp.Compare(slices.Index(names, a.Name), slices.Index(names, b.Name))
		})
		if err := i.configs(s.Topics); err != nil {
			return err
		}
	}
	if want.Probe != "" && s.named(want.Probe) && i.cfg.TopicCreation.Enable {
		if err := i.mayCreate(want.Probe); err != nil {
			s.Topics = append(s.Topics, TopicSurvey{Name: want.Probe, Missing: true, Err: err})
		}
	}
	return nil
}

// named notes a name that no topic can have.
func (s *Survey) named(topic string) bool {
	err := checkTopicName(topic)
	if err != nil {
		s.Topics = append(s.Topics, TopicSurvey{Name: topic, Err: &ConfigError{Option: "route.topic.replacement", Err: err}})
	}
	return err == nil
}

// topic judges the answer about one topic.
func (i *inspector) topic(m *sarama.TopicMetadata) TopicSurvey {
	t := TopicSurvey{Name: m.Name, Partitions: len(m.Partitions)}
	switch {
	case m.Err == sarama.ErrUnknownTopicOrPartition && (i.cfg.TopicCreation.Enable || m.Name == i.cfg.DeadLetters.Topic):
		t.Missing, t.Err = true, i.mayCreate(m.Name)
		return t
	case m.Err == sarama.ErrUnknownTopicOrPartition:
		t.Missing = true
		t.Err = &ConfigError{Option: "topic.creation.enable", Err: fmt.Errorf("topic %q does not exist (or this user may not see it) and is not to be created", m.Name)}
		return t
	case classify(m.Err) == topicRefused:
		t.Err = &ConfigError{Option: "right on topic " + m.Name, Err: fmt.Errorf("%s (%w)", codeName(m.Err), m.Err)}
		return t
	case m.Err != sarama.ErrNoError:
		t.Err = fmt.Errorf("topic %q: %s (%w)", m.Name, codeName(m.Err), m.Err)
		return t
	}
	t.Replicas, t.InSync = noLimit, noLimit
	for _, p := range m.Partitions {
		t.Replicas, t.InSync = min(t.Replicas, len(p.Replicas)), min(t.InSync, len(p.Isr))
		if p.Leader < 0 {
			t.Leaderless++
		}
	}
	t.Write = mayWrite(m)
	return t
}

// mayWrite reads the bits of the operations that this user may do: KIP-430, with
// the numbers of AclOperation. The lowest number stands for none told.
func mayWrite(m *sarama.TopicMetadata) error {
	const write, untold = 1 << int(sarama.AclOperationWrite), -1 << 31
	if ops := m.TopicAuthorizedOperations; ops == untold || ops&write != 0 {
		return nil
	}
	return &ConfigError{Option: "right Write on topic " + m.Name, Err: errors.New("this user does not have it")}
}
