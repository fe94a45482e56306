package kafka

import (
	"slices"
	"time"

	"github.com/IBM/sarama"
)

// quietLookups is how many answers without leaders are not yet worth a word.
const quietLookups = 5

// want has the topic looked up, now or when its pause is over.
func (s *session) want(t *topic, now time.Time) {
	if !t.wanted {
		t.wanted = true
		t.lookupAt = later(t.lookupAt, now)
		s.lookups = append(s.lookups, t)
	}
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
	case classify(m.Err) == topicRefused && !t.needed():
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
	t.missingSince, t.create, t.eager = time.Time{}, false, false
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
	t.attempts, t.failingSince = 0, time.Time{}
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
	if !t.needed() {
		return // nobody waits; the next message asks
	}
	if t.failingSince.IsZero() {
		t.failingSince = now
	}
	if s.cfg.worn(t.failingSince, now) {
		s.giveTopicUp(t, err, now)
		return
	}
	t.attempts++
	t.lookupAt = now.Add(s.cfg.backoff(t.attempts))
	s.want(t, now)
	if t.attempts > quietLookups {
		s.trouble.raise(&t.failing, now, where{topic: t.name, partition: -1}, err)
	}
}
