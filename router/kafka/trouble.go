package kafka

import (
	"context"
	"errors"
	"net"
	"os"
	"time"

	"github.com/IBM/sarama"
	"github.com/rs/zerolog"
)

// repeatLogEvery is the pause between log lines about trouble that goes on.
const repeatLogEvery = 30 * time.Second

// trouble keeps account of everything that is being retried: partitions, topics
// and the cluster as a whole, each by a mark of its own. It logs the first
// failure at once, then every 30 s how many there were, and one line when the
// last mark is cleared.
type trouble struct {
	log     zerolog.Logger
	obs     Observer
	status  *status
	marks   int
	since   time.Time
	count   int // failures since then
	nextLog time.Time
}

// where is what a failure is about; empty strings and negative numbers say nothing.
type where struct {
	topic     string
	partition int32
	broker    string
}

// raise counts a failure and sets the mark of what failed.
func (t *trouble) raise(mark *bool, now time.Time, at where, err error) {
	t.obs.Failure(reasonOf(err))
	if !*mark {
		*mark = true
		t.marks++
	}
	if t.count == 0 {
		t.since, t.nextLog = now, now
	}
	t.count++
	t.status.failing(t.since, t.count, err)
	if now.Before(t.nextLog) {
		return
	}
	t.nextLog = now.Add(repeatLogEvery)
	event := t.log.Warn().Err(err).Str("reason", reasonOf(err)).Int("failures", t.count)
	if at.topic != "" {
		event.Str("topic", at.topic)
	}
	if at.partition >= 0 {
		event.Int32("partition", at.partition)
	}
	if at.broker != "" {
		event.Str("broker", at.broker)
	}
	event.Msg("Kafka does not take records, retrying")
}

// clear takes a mark back because what had failed works again.
func (t *trouble) clear(mark *bool, now time.Time) {
	if !*mark {
		return
	}
	*mark = false
	if t.marks--; t.marks > 0 {
		return
	}
	t.log.Info().Stringer("after", now.Sub(t.since).Round(time.Millisecond)).Int("failures", t.count).Msg("Kafka takes records again")
	t.count = 0
	t.status.fine()
}

// reasonOf puts an error into a bounded set of names.
func reasonOf(err error) string {
	var code sarama.KError
	var config *ConfigError
	var netErr net.Error
	var garbled sarama.PacketDecodingError
	switch {
	case errors.As(err, &code) && (code == sarama.ErrSASLAuthenticationFailed || code == sarama.ErrUnsupportedSASLMechanism):
		return "authentication"
	case errors.As(err, &code):
		return codeName(code)
	case errors.As(err, &config):
		return "configuration"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &netErr) && netErr.Timeout():
		return "timeout"
	case errors.Is(err, sarama.ErrIncompleteResponse), errors.As(err, &garbled):
		return "protocol"
	}
	return "network"
}
