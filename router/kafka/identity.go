package kafka

import (
	"fmt"
	"math"
	"time"

	"github.com/IBM/sarama"
)

// noID is what a producer has before a broker has given it an id.
const noID = -1

// identity is what the brokers know this producer by. Within one identity a
// sequence number of a partition always stands for the same record; that is
// what makes a repeated batch recognisable, and what no retry, split or lookup
// may break. Only a new identity starts again from zero.
type identity struct {
	id    int64
	epoch int16
}

func (i identity) known() bool { return i.id != noID }

// advance is the sequence number n records after seq. Numbers run from 0 to
// math.MaxInt32 and start again at 0, as the broker counts them
// (DefaultRecordBatch.incrementSequence).
func advance(seq int32, n int) int32 {
	return int32((int64(seq) + int64(n)) & math.MaxInt32)
}

// renew asks for a new identity because the brokers do not go on with this one.
// Nothing is sent until it is there; what is in flight is answered first, because
// a batch that succeeds late must not be sent again, nor behind a later one.
func (s *session) renew(reason string) {
	if s.rebuild != "" {
		return
	}
	s.rebuild = reason
	s.log.Warn().Str("reason", reason).Int64("producer_id", s.who.id).
		Msg("broker does not go on with this producer id, taking a new one and sending again what is not acknowledged")
}

// needsID answers whether a new identity is to be asked for, and may be.
func (s *session) needsID() bool {
	return (!s.who.known() || s.rebuild != "") && !s.busy()
}

// identified takes a new identity and starts every partition's numbers from zero,
// with the batch that is still undecided.
func (s *session) identified(who identity) {
	s.who = who
	for _, t := range s.topics {
		for _, p := range t.partitions {
			p.baseSeq, p.nextSeq = 0, advance(0, p.batch.n)
			p.doubtful = false // of the old numbers
		}
	}
	if s.rebuild != "" {
		s.obs.Rebuilt(s.rebuild)
		s.rebuild = ""
	}
}

// unidentified means that the broker gave no identity.
func (s *session) unidentified(code sarama.KError, now time.Time) {
	if classify(code) == misconfigured {
		s.fatal = configError(code, "ask for a producer id")
		return
	}
	s.askFailed(fmt.Errorf("ask for a producer id: %w", code), now)
}
