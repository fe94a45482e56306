package kafka

import (
	"slices"
	"time"

	"github.com/IBM/sarama"

	"github.com/outbox-relay/outbox-relay/router"
)

// topicOverhead is about what a partition's batch takes in a request beside
// itself: the topic's name, the partition's number and some lengths.
const topicOverhead = 64

// request is one produce request, from when it is built until it is answered.
// sarama wants a struct for each record, header and batch: they come from slabs
// that are used again for the next request, so that a record costs no
// allocation. A batch is built anew for each attempt from the same messages,
// and is the same each time.
type request struct {
	parts   []*partition
	bytes   int
	records int

	batches []sarama.RecordBatch
	recs    []sarama.Record
	recPtrs []*sarama.Record
	headers []sarama.RecordHeader
	hdrPtrs []*sarama.RecordHeader
	keys    []byte // of headers, which are strings in a Message
}

// add takes the partition's batch into the request.
func (r *request) add(p *partition) {
	r.parts = append(r.parts, p)
	r.bytes += batchOverhead + topicOverhead + p.batch.bytes
	r.records += p.batch.n
}

// fits answers whether a batch of that many bytes keeps the request in its limit.
// The first always fits.
func (r *request) fits(bytes, limit int) bool {
	return len(r.parts) == 0 || r.bytes+batchOverhead+topicOverhead+bytes <= limit
}

// produce builds what sarama sends.
func (r *request) produce(who identity, cfg *Config, codec sarama.CompressionCodec, timeout time.Duration) *sarama.ProduceRequest {
	r.recs = slices.Grow(r.recs[:0], r.records)
	r.recPtrs = slices.Grow(r.recPtrs[:0], r.records)
	r.headers, r.hdrPtrs = r.headers[:0], r.hdrPtrs[:0]
	r.keys = slices.Grow(r.keys[:0], 1) // not nil, or an empty header name became a null one
	r.batches = slices.Grow(r.batches[:0], len(r.parts))
	req := &sarama.ProduceRequest{
		RequiredAcks: sarama.WaitForAll,
		Timeout:      int32(timeout / time.Millisecond),
		Version:      produceVersion,
	}
	for _, p := range r.parts {
		r.batches = append(r.batches, sarama.RecordBatch{
			PartitionLeaderEpoch: -1,
			Version:              2,
			Codec:                codec,
			CompressionLevel:     sarama.CompressionLevelDefault,
			ProducerID:           who.id,
			ProducerEpoch:        who.epoch,
			FirstSequence:        p.baseSeq,
		})
		b := &r.batches[len(r.batches)-1]
		r.fill(b, &p.batch, &cfg.DeadLetters)
		req.AddBatch(p.topic.name, p.id, b)
	}
	return req
}

// fill makes a record of each message.
func (r *request) fill(b *sarama.RecordBatch, messages *queue, dead *DeadLetters) {
	first, base, latest := len(r.recs), messages.head.Timestamp, messages.head.Timestamp
	for m := messages.head; m != nil; m = m.next {
		r.recs = append(r.recs, sarama.Record{
			TimestampDelta: time.Duration(m.Timestamp-base) * time.Millisecond, // sarama writes milliseconds, negative ones too
			OffsetDelta:    int64(len(r.recs) - first),
			Key:            m.Key,
			Value:          m.Value,
			Headers:        r.headersOf(m, dead),
		})
		r.recPtrs = append(r.recPtrs, &r.recs[len(r.recs)-1])
		latest = max(latest, m.Timestamp)
	}
	b.Records = r.recPtrs[first:len(r.recPtrs):len(r.recPtrs)]
	b.LastOffsetDelta = int32(len(b.Records) - 1)
	b.FirstTimestamp, b.MaxTimestamp = time.UnixMilli(base), time.UnixMilli(latest)
}

// headersOf copies header names into a slab; appending may move a slab, which
// leaves what points into the old one as it was.
func (r *request) headersOf(m *Message, dead *DeadLetters) []*sarama.RecordHeader {
	first := len(r.hdrPtrs)
	r.addHeaders(m.Headers)
	if m.grave != nil {
		r.addHeaders(dead.contextHeaders(m))
	}
	return r.hdrPtrs[first:len(r.hdrPtrs):len(r.hdrPtrs)]
}

func (r *request) addHeaders(headers []router.Header) {
	for i := range headers {
		h, at := &headers[i], len(r.keys)
		r.keys = append(r.keys, h.Key...)
		r.headers = append(r.headers, sarama.RecordHeader{Key: r.keys[at:len(r.keys):len(r.keys)], Value: h.Value})
		r.hdrPtrs = append(r.hdrPtrs, &r.headers[len(r.headers)-1])
	}
}

// release empties the request. The batches hold what sarama encoded, which must
// not live until the next request.
func (r *request) release() {
	clear(r.batches)
	clear(r.parts)
	r.parts = r.parts[:0]
	r.bytes, r.records = 0, 0
}
