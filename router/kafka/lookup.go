package kafka

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/IBM/sarama"
)

// How long a topic may be missing before its records are refused: a topic that
// was just made takes a moment to be known to every broker, and one that had
// been there may be missing in the answer of a broker that is starting.
const (
	missingAtFirst = 3 * time.Second
	missingLater   = 5 * time.Second
)

// quietLookups is how many answers without leaders are not yet worth a word.
const quietLookups = 5

var errSilent = fmt.Errorf("no broker has answered for %v: %w", patience, os.ErrDeadlineExceeded)

// want has the topic looked up, now or when its pause is over.
func (s *session) want(t *topic, now time.Time) {
	if !t.wanted {
		t.wanted = true
		t.lookupAt = later(t.lookupAt, now)
		s.lookups = append(s.lookups, t)
	}
}

// ask gives control its next job, the most urgent first.
func (s *session) ask(now time.Time) {
	if s.asking || now.Before(s.askAt) {
		return
	}
	j, ok := s.nextJob(now)
	if !ok {
		return
	}
	for _, n := range s.nodes {
		if n.listed {
			j.brokers = append(j.brokers, n.addr)
		}
	}
	s.asking, s.askedAt, s.silent = true, now, false
	s.idleAt = now.Add(idleCheck)
	s.jobs <- j
}

func (s *session) nextJob(now time.Time) (job, bool) {
	if s.needsID() {
		return job{kind: initID}, true
	}
	var names []string
	for _, t := range s.lookups {
		if now.Before(t.lookupAt) {
			continue
		}
		if t.create {
			return job{kind: creation, topics: []string{t.name}, controller: s.controllerAddr}, true
		}
		names = append(names, t.name)
	}
	if len(names) > 0 {
		return job{kind: lookup, topics: names}, true
	}
	if now.Before(s.idleAt) && now.Before(s.refreshAt) {
		return job{}, false
	}
	s.refreshAt = now.Add(s.cfg.MetadataMaxAge)
	for name, t := range s.topics {
		if len(t.partitions) > 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return job{kind: ping}, true
	}
	return job{kind: lookup, topics: names}, true
}

// busy answers whether any request is in flight.
func (s *session) busy() bool {
	return slices.ContainsFunc(s.nodes, func(n *node) bool { return n.busy })
}

// listen notes that a question has gone unanswered for long, before the
// connection's own timeout does: a broker that hangs says nothing at all. Records
// that were acknowledged meanwhile prove that it is another broker's trouble.
func (s *session) listen(now time.Time) {
	if !s.asking || s.silent || now.Sub(s.askedAt) < patience {
		return
	}
	s.silent = true
	if s.lastAck.After(s.askedAt) {
		return
	}
	s.status.update(func(st *Status) { st.Connected = false })
	s.trouble.raise(&s.askFailing, now, where{partition: -1}, errSilent)
}

// answered takes in what control found out.
func (s *session) answered(r result, now time.Time) {
	s.asking = false
	if r.err != nil {
		s.unreachable(r.err, now)
		return
	}
	s.connected = true
	s.status.update(func(st *Status) { st.Connected = true })
	if r.job.kind == initID && r.code != sarama.ErrNoError {
		s.unidentified(r.code, now)
		return
	}
	s.askAttempts = 0
	s.trouble.clear(&s.askFailing, now)
	switch r.job.kind {
	case initID:
		s.askAt = now.Add(r.throttle)
		s.identified(r.id)
	case lookup:
		s.askAt = now.Add(r.throttle)
		s.lookedUp(r.job, r.metadata, now)
	case creation: // its throttling is for creations only
		s.created(s.topics[r.job.topics[0]], r, now)
	}
}

// unreachable means that no broker answered. Credentials and certificates that
// never worked are reported; ones that did may just be in rotation.
func (s *session) unreachable(err error, now time.Time) {
	s.status.update(func(st *Status) { st.Connected = false })
	var config *ConfigError
	if errors.As(err, &config) && !s.connected {
		s.fatal = config
		return
	}
	s.askFailed(fmt.Errorf("reach Kafka: %w", err), now)
}

func (s *session) askFailed(err error, now time.Time) {
	s.askAttempts++
	s.askAt = now.Add(s.cfg.backoff(s.askAttempts))
	s.idleAt = s.askAt // keep asking, though nothing else may want it
	s.trouble.raise(&s.askFailing, now, where{partition: -1}, err)
}

// lookedUp takes in brokers and leaders.
func (s *session) lookedUp(j job, meta *sarama.MetadataResponse, now time.Time) {
	for _, n := range s.nodes {
		n.listed = false
	}
	for _, b := range meta.Brokers {
		n := s.nodeByID(b.ID())
		n.addr, n.listed = b.Addr(), true
		if b.ID() == meta.ControllerID {
			s.controllerAddr = b.Addr()
		}
	}
	for _, name := range j.topics {
		t := s.topics[name]
		t.wanted = false
		s.lookups = slices.DeleteFunc(s.lookups, func(other *topic) bool { return other == t })
	}
	for _, m := range meta.Topics {
		if t := s.topics[m.Name]; t != nil {
			s.describe(t, m, now)
		}
	}
}

// describe takes in the answer about one topic.
func (s *session) describe(t *topic, m *sarama.TopicMetadata, now time.Time) {
	switch {
	case m.Err == sarama.ErrUnknownTopicOrPartition:
		s.missing(t, now)
	case classify(m.Err) == topicRefused && t.held() == 0:
		t.usable = false // the next message will see
	case classify(m.Err) == topicRefused:
		s.obs.Failure(codeName(m.Err))
		s.refuseTopic(t, codeName(m.Err), m.Err.Error())
	case m.Err == sarama.ErrNoError || m.Err == sarama.ErrLeaderNotAvailable:
		s.found(t, m, now)
	default:
		s.lookAgain(t, m.Err, now)
	}
}

// found takes in the topic's partitions and their leaders.
func (s *session) found(t *topic, m *sarama.TopicMetadata, now time.Time) {
	if len(m.Partitions) == 0 {
		s.lookAgain(t, sarama.ErrLeaderNotAvailable, now)
		return
	}
	if len(m.Partitions) < len(t.partitions) {
		s.lose("topic %q has %d partitions and had %d, somebody made it anew: start again, so that keys go to the right ones",
			t.name, len(m.Partitions), len(t.partitions))
		return
	}
	t.missingSince, t.create = time.Time{}, false
	for id := len(t.partitions); id < len(m.Partitions); id++ {
		t.partitions = append(t.partitions, &partition{topic: t, id: int32(id)})
	}
	for _, pm := range m.Partitions {
		if pm.ID < 0 || int(pm.ID) >= len(t.partitions) {
			s.lookAgain(t, sarama.ErrUnknownTopicOrPartition, now)
			return
		}
		s.lead(t.partitions[pm.ID], pm, now)
	}
	t.usable = true
	s.routeWaiting(t, now)
	if t.leaderless() {
		s.lookAgain(t, sarama.ErrLeaderNotAvailable, now)
		return
	}
	t.attempts = 0
	s.trouble.clear(&t.failing, now)
}

// lead notes who leads a partition. A new leader is tried at once: the pause was
// for the old one.
func (s *session) lead(p *partition, pm *sarama.PartitionMetadata, now time.Time) {
	var leader *node
	if pm.Leader >= 0 && pm.Err != sarama.ErrLeaderNotAvailable {
		leader = s.nodeByID(pm.Leader)
	}
	if leader != nil && leader.addr == "" {
		leader = nil // the answer did not say where it is
	}
	if leader == p.leader {
		return
	}
	p.leader = leader
	if p.place == ready {
		p.place = nowhere // the old leader's list drops it
	}
	if p.attempts <= 2 { // or brokers that disagree would be asked in circles
		p.retryAt = time.Time{}
	}
	if leader != nil {
		s.schedule(p, now)
	}
}

// lookAgain asks once more after a pause. That is trouble only if it lasts: new
// topics have no leaders for a moment.
func (s *session) lookAgain(t *topic, err error, now time.Time) {
	if t.held() == 0 {
		return // nobody waits; the next message asks
	}
	t.attempts++
	t.lookupAt = now.Add(s.cfg.backoff(t.attempts))
	s.want(t, now)
	if t.attempts > quietLookups {
		s.trouble.raise(&t.failing, now, where{topic: t.name, partition: -1}, err)
	}
}

// missing has a topic that does not exist created, or gives it up after a while.
func (s *session) missing(t *topic, now time.Time) {
	t.usable = false
	if t.held() == 0 {
		t.missingSince = time.Time{}
		return
	}
	if t.missingSince.IsZero() {
		t.missingSince = now
	}
	patience := missingAtFirst
	if len(t.partitions) > 0 {
		patience = missingLater
	}
	switch {
	case s.cfg.TopicCreation.Enable && !t.create:
		t.create = true
		t.lookupAt = now
		s.want(t, now)
	case !s.cfg.TopicCreation.Enable && now.Sub(t.missingSince) >= patience:
		s.obs.Failure(ReasonNoTopic)
		s.refuseTopic(t, ReasonNoTopic, "the topic does not exist")
	default:
		s.lookAgain(t, sarama.ErrUnknownTopicOrPartition, now)
	}
}

// created looks the new topic up, or gives up if the broker will never make it.
func (s *session) created(t *topic, r result, now time.Time) {
	t.create = false
	switch r.code {
	case sarama.ErrNoError:
		s.log.Info().Str("topic", t.name).Msg("topic created")
		t.lookupAt = now
	case sarama.ErrInvalidTopic, sarama.ErrTopicAuthorizationFailed, sarama.ErrClusterAuthorizationFailed,
		sarama.ErrPolicyViolation, sarama.ErrInvalidPartitions,
		sarama.ErrInvalidConfig, sarama.ErrInvalidRequest, sarama.ErrUnsupportedVersion:
		s.obs.Failure(codeName(r.code))
		s.refuseTopic(t, codeName(r.code), "create the topic: "+cmp.Or(r.detail, r.code.Error()))
	case sarama.ErrInvalidReplicationFactor: // also the answer while brokers are down
		s.lookAgain(t, fmt.Errorf("create the topic: %w: %s; it is tried again; if no broker is down, set topic.creation.default.replication.factor to at most their number", r.code, r.detail), now)
	default: // TOPIC_ALREADY_EXISTS, NOT_CONTROLLER, THROTTLING_QUOTA_EXCEEDED, …: from the beginning, after a pause
		s.lookAgain(t, r.code, now)
		t.lookupAt = later(t.lookupAt, now.Add(r.throttle))
	}
}
