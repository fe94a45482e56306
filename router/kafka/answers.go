package kafka

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/IBM/sarama"
)

// readMail takes in what became of requests.
func (s *session) readMail(now time.Time) {
	select {
	case <-s.mail.filled:
	default:
	}
	s.mailBuf = s.mail.take(s.mailBuf[:0])
	for _, a := range s.mailBuf {
		s.received(a, now)
	}
	clear(s.mailBuf)
}

// received frees the broker and settles each batch of its request.
func (s *session) received(a answer, now time.Time) {
	n := a.node
	n.busy = false
	if a.err != nil {
		s.lost(n, a.err, now)
		return
	}
	n.attempts, n.notBefore = 0, now.Add(a.resp.ThrottleTime)
	for _, p := range n.request.parts {
		p.place = nowhere
		s.settle(p, a.resp.GetBlock(p.topic.name, p.id), now)
	}
	n.request.release()
}

// lost means that a request got no answer: its batches may be in the log or not.
// All of them are sent again, as they are, before anything else.
func (s *session) lost(n *node, err error, now time.Time) {
	s.dropLink(n)
	n.attempts++
	n.notBefore = now.Add(s.cfg.backoff(n.attempts))
	for _, p := range n.request.parts {
		p.place = nowhere
		s.failed(p, err, now)
		s.want(p.topic, now) // the leader may have moved
	}
	n.request.release()
}

// settle decides what the broker's answer means for the partition's batch.
func (s *session) settle(p *partition, block *sarama.ProduceResponseBlock, now time.Time) {
	if block == nil {
		s.failed(p, sarama.ErrIncompleteResponse, now)
		return
	}
	switch code := block.Err; classify(code) {
	case accepted:
		s.ack(p, now)
	case lostProducer:
		s.failed(p, code, now)
		s.renew(codeName(code))
	case tooLarge:
		s.tooLarge(p, code, now)
	case poison:
		s.searchPoison(p, block, now)
	case suspect:
		if p.damaged++; p.damaged < p.patience() {
			s.failed(p, code, now)
			return
		}
		s.searchPoison(p, block, now)
	case topicRefused:
		s.countFailure(p, codeName(code))
		s.refuseBatch(p, codeName(code), detailOf(block))
		s.schedule(p, now)
	case misconfigured:
		s.failed(p, code, now)
		if s.fatal == nil {
			m := p.batch.head
			s.fatal = configError(code, fmt.Sprintf("send to topic %q partition %d, first id %q, transaction at LSN %X/%X",
				p.topic.name, p.id, headerID(m), m.LSN>>32, uint32(m.LSN)))
		}
	default:
		s.failed(p, code, now)
		if stale(code) {
			s.want(p.topic, now)
		}
	}
}

// ack reports a batch that the broker has taken.
func (s *session) ack(p *partition, now time.Time) {
	s.doneBuf = s.doneBuf[:0]
	for m := p.batch.head; m != nil; m = m.next {
		s.doneBuf = append(s.doneBuf, m)
	}
	bytes := p.batch.bytes
	p.batch = queue{}
	p.attempts, p.retryAt = 0, time.Time{}
	p.damaged, p.doubtful, p.failingSince = 0, false, time.Time{}
	if p.searched -= len(s.doneBuf); p.searched <= 0 {
		p.searched, p.maxCount = 0, 0
	}
	s.held -= len(s.doneBuf)
	s.trouble.clear(&p.failing, now)
	s.lastAck = now
	s.status.update(func(st *Status) { st.LastAck = now })
	if s.buried > 0 {
		s.exhumed(s.doneBuf, p.id, now) // while they are ours
	}
	s.src.Acked(s.doneBuf)
	s.obs.Acked(p.topic.name, len(s.doneBuf), bytes)
	clear(s.doneBuf) // do not keep what the Source may drop
	if !s.askFailing {
		s.idleAt = now.Add(idleCheck) // an answer is as good as asking
	}
	s.dropPoisoned(p)
	s.schedule(p, now)
}

// failed leaves the batch as it is, to be sent again after a pause.
func (s *session) failed(p *partition, err error, now time.Time) {
	p.attempts++
	if !errors.Is(err, sarama.ErrInvalidMessage) { // whose checksum is looked at first
		p.doubtful = true
	}
	if p.failingSince.IsZero() {
		p.failingSince = now
	}
	p.retryAt = now.Add(s.cfg.backoff(p.attempts))
	at := where{topic: p.topic.name, partition: p.id}
	if p.leader != nil {
		at.broker = p.leader.String()
	}
	s.obs.Failed(p.topic.name)
	s.trouble.raise(&p.failing, now, at, err)
	if s.cfg.worn(p.failingSince, now) {
		s.giveUp(p, err, now)
		return
	}
	s.schedule(p, now)
}

// countFailure counts a batch that was refused and will not be sent again as it is.
func (s *session) countFailure(p *partition, reason string) {
	s.obs.Failure(reason)
	s.obs.Failed(p.topic.name)
}

// patience is how often a batch may arrive damaged before one of its records is to
// blame: what happens on the way does not happen five times over. The parts of a
// batch to which it did need less.
func (p *partition) patience() int {
	if p.maxCount > 0 {
		return 2
	}
	return 5
}

// tooLarge halves what may be in a batch of the topic. The smaller limit stays:
// the topic's own is not known, and finding it again costs a refused request
// each time.
func (s *session) tooLarge(p *partition, code sarama.KError, now time.Time) {
	s.countFailure(p, codeName(code))
	if p.batch.n == 1 {
		s.refuseBatch(p, codeName(code), fmt.Sprintf("the broker refuses a batch of this one record, of %d bytes before compression", p.batch.bytes+batchOverhead))
		s.schedule(p, now)
		return
	}
	p.topic.maxBatch = max(1, min(p.topic.maxBatch, p.batch.bytes/2))
	s.log.Warn().Str("topic", p.topic.name).Int("bytes", p.batch.bytes).Int("batch.size", p.topic.maxBatch).
		Msg("broker refused a batch as too large, sending smaller ones")
	p.uncut()
	s.dropPoisoned(p)
	s.schedule(p, now)
}

// searchPoison finds the records for which the broker refused the whole batch: it
// may have said which; otherwise the batch is sent again in halves, in order, until
// a half is a single record.
func (s *session) searchPoison(p *partition, block *sarama.ProduceResponseBlock, now time.Time) {
	reason := codeName(block.Err)
	s.countFailure(p, reason)
	switch named := wrongOnes(block, p.batch.n); {
	case len(named) > 0:
		s.refuse(p, reason, named...)
	case p.batch.n == 1:
		s.refuseBatch(p, reason, detailOf(block))
	default:
		p.searched = max(p.searched, p.batch.n)
		p.maxCount = (p.batch.n + 1) / 2
		p.attempts, p.damaged, p.retryAt = 0, 0, time.Time{}
		p.uncut()
		s.dropPoisoned(p)
	}
	s.schedule(p, now)
}

// wrongOnes are the records that the broker named, by their places, and what it said
// about them. Places that are not in the batch are not believed.
func wrongOnes(block *sarama.ProduceResponseBlock, n int) []refusal {
	var named []refusal
	for _, e := range block.RecordErrors {
		if e.BatchIndex < 0 || int(e.BatchIndex) >= n {
			continue
		}
		detail := detailOf(block)
		if text := e.BatchIndexErrorMessage; text != nil && *text != "" {
			detail = *text
		}
		named = append(named, refusal{int(e.BatchIndex), detail})
	}
	slices.SortStableFunc(named, func(a, b refusal) int { return a.at - b.at })
	return slices.CompactFunc(named, func(a, b refusal) bool { return a.at == b.at })
}

// detailOf is the broker's text for an error, or sarama's.
func detailOf(block *sarama.ProduceResponseBlock) string {
	if block.ErrorMessage != nil && *block.ErrorMessage != "" {
		return *block.ErrorMessage
	}
	return block.Err.Error()
}
