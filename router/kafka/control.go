package kafka

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/IBM/sarama"
)

// controlTimeout bounds the wait for an answer that is not to a produce request,
// so that one dead broker does not hide the others for long.
const controlTimeout = 10 * time.Second

// control asks the cluster everything but to take records, over a connection of
// its own: sarama holds a connection's lock until such a question is answered,
// and would stall records sent over the same one. Questions are asked one at a
// time on a goroutine of their own, since each may take as long as it takes to
// dial every broker.
type control struct {
	cfg *Config

	mu      sync.Mutex
	stopped bool
	conn    *conn // nil if there is none in order
}

// job is one question. All its fields are copies.
type job struct {
	kind       jobKind
	topics     []string // for lookup: which; for create: the one
	detail     sarama.TopicDetail
	brokers    []string // known addresses, beside the bootstrap servers
	controller string   // address, if known
}

type jobKind int

const (
	ping     jobKind = iota // are you there?
	initID                  // give me a producer id
	lookup                  // who leads these topics' partitions?
	creation                // create this topic
)

// result is the answer to a job; err says that no broker gave one.
type result struct {
	job      job
	err      error
	metadata *sarama.MetadataResponse
	id       identity
	code     sarama.KError // the broker's verdict on initID and creation
	detail   string        // its words for it, if it had any
	throttle time.Duration // ask nothing before
}

// run answers jobs until they are closed.
func (c *control) run(jobs <-chan job, results chan<- result) {
	for j := range jobs {
		r := c.do(j)
		r.job = j
		if r.throttle > 0 {
			// sarama would sleep it out inside the next question, where nothing can
			// wake it; the session waits instead.
			c.close()
		}
		results <- r
	}
}

// resume lets a control that was stopped work again.
func (c *control) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = false
}

// stop makes a job under way fail at once.
func (c *control) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	if c.conn != nil {
		c.conn.line.cut()
	}
}

// close ends the connection. No job may be under way.
func (c *control) close() {
	if conn := c.use(nil); conn != nil {
		conn.close()
	}
}

// use makes conn the one that stop cuts, and returns the one before.
func (c *control) use(conn *conn) (before *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, c.conn = c.conn, conn
	if c.stopped && conn != nil {
		conn.line.cut()
	}
	return before
}

func (c *control) isStopped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopped
}

// do asks over the connection at hand, then over new ones to every address there
// is, until one answers.
func (c *control) do(j job) result {
	var failed unreachable
	if conn := c.conn; conn != nil {
		r, err := c.ask(conn, j)
		if err == nil {
			return r
		}
		c.close()
		failed = append(failed, err)
	}
	addrs := slices.Concat(c.cfg.BootstrapServers, j.brokers)
	slices.Sort(addrs)
	addrs = slices.Compact(addrs)
	rand.Shuffle(len(addrs), func(a, b int) { addrs[a], addrs[b] = addrs[b], addrs[a] })
	for _, addr := range addrs {
		if c.isStopped() {
			break
		}
		r, err := c.connectAndAsk(addr, j)
		if err == nil {
			return r
		}
		failed = append(failed, err)
		if config := (*ConfigError)(nil); errors.As(err, &config) {
			break // the next broker would say the same
		}
	}
	return result{err: failed}
}

func (c *control) connectAndAsk(addr string, j job) (result, error) {
	conn := newConn(addr)
	c.use(conn)
	err := conn.open(c.cfg, c.timeout())
	if err == nil {
		err = conn.checkVersion(c.cfg)
	}
	var r result
	if err == nil {
		r, err = c.ask(conn, j)
	}
	if err != nil {
		c.close()
	}
	return r, err
}

func (c *control) timeout() time.Duration { return min(controlTimeout, c.cfg.RequestTimeout) }

func (c *control) ask(conn *conn, j job) (result, error) {
	switch j.kind {
	case initID:
		return askID(conn)
	case lookup:
		return askMetadata(conn, j.topics)
	case creation:
		return c.askCreation(conn, j)
	default:
		return askPing(conn)
	}
}

func askPing(conn *conn) (result, error) {
	if _, err := conn.broker.ApiVersions(&sarama.ApiVersionsRequest{Version: apiVersionsOldest}); err != nil {
		return result{}, fmt.Errorf("ask broker %s whether it is there: %w", conn.addr, err)
	}
	return result{}, nil
}

func askID(conn *conn) (result, error) {
	resp, err := conn.broker.InitProducerID(&sarama.InitProducerIDRequest{
		Version:            4,
		TransactionTimeout: math.MaxInt32 * time.Millisecond, // no transactions; what Java sends
		ProducerID:         noID,
		ProducerEpoch:      noID,
	})
	if err != nil {
		return result{}, fmt.Errorf("ask broker %s for a producer id: %w", conn.addr, err)
	}
	return result{
		id:       identity{id: resp.ProducerID, epoch: resp.ProducerEpoch},
		code:     resp.Err,
		throttle: resp.ThrottleTime,
	}, nil
}

func askMetadata(conn *conn, topics []string) (result, error) {
	req := sarama.NewMetadataRequest(protocol, topics)
	req.AllowAutoTopicCreation = false // a typo must not become a topic
	resp, err := conn.broker.GetMetadata(req)
	if err == nil && len(resp.Brokers) == 0 {
		err = errors.New("it knows no broker, it is starting") // KAFKA-7924
	}
	if err != nil {
		return result{}, fmt.Errorf("ask broker %s for topics: %w", conn.addr, err)
	}
	return result{metadata: resp, throttle: time.Duration(resp.ThrottleTimeMs) * time.Millisecond}, nil
}

// askCreation asks the controller, which brokers before KRaft insist on.
func (c *control) askCreation(conn *conn, j job) (result, error) {
	if j.controller != "" && j.controller != conn.addr {
		own := newConn(j.controller)
		c.close()
		c.use(own)
		conn = own
		if err := own.open(c.cfg, c.timeout()); err != nil {
			return result{}, err
		}
	}
	name := j.topics[0]
	req := sarama.NewCreateTopicsRequest(protocol, map[string]*sarama.TopicDetail{name: &j.detail}, c.timeout(), false)
	resp, err := conn.broker.CreateTopics(req)
	if err != nil {
		return result{}, fmt.Errorf("ask broker %s to create topic %q: %w", conn.addr, name, err)
	}
	verdict := resp.TopicErrors[name]
	if verdict == nil {
		return result{}, fmt.Errorf("ask broker %s to create topic %q: %w", conn.addr, name, sarama.ErrIncompleteResponse)
	}
	r := result{code: verdict.Err, throttle: resp.ThrottleTime}
	if verdict.ErrMsg != nil {
		r.detail = *verdict.ErrMsg
	}
	return r, nil
}

// unreachable is what each address that was tried had against it.
type unreachable []error

func (u unreachable) Error() string {
	if len(u) == 0 {
		return "no broker was asked"
	}
	texts := make([]string, len(u))
	for i, err := range u {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

func (u unreachable) Unwrap() []error { return u }
