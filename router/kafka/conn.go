package kafka

import (
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

// protocol is the version whose requests we send at most; sarama lowers each
// request to what its broker offers. Below oldest, produce requests lack
// what we need: zstd, and the answer's log start offset (Kafka 2.1).
var protocol = sarama.V2_8_0_0

const (
	produceVersion    = 9 // of Kafka 2.8; from 8 on, the answer names the record that is wrong
	oldestProduce     = 7 // of Kafka 2.1
	produceKey        = 0
	apiVersionsOldest = 0
)

// conn is one connection to one broker. It is used once: a broken one is closed
// and replaced.
type conn struct {
	addr   string
	broker *sarama.Broker
	line   *line
}

// newConn does not dial.
func newConn(addr string) *conn {
	return &conn{addr: addr, broker: sarama.NewBroker(addr), line: &line{}}
}

// open dials and authenticates; cut ends it early. A ConfigError says that the
// credentials or certificates at hand cannot be used.
func (c *conn) open(cfg *Config, answerTimeout time.Duration) error {
	conf := sarama.NewConfig()
	conf.ClientID = cfg.ClientID
	conf.Version = protocol
	conf.MetricRegistry = nilMetrics{}
	conf.Net.MaxOpenRequests = 1
	conf.Net.DialTimeout = dialTimeout
	conf.Net.ReadTimeout = answerTimeout
	conf.Net.WriteTimeout = answerTimeout
	conf.Net.Proxy.Enable = true
	conf.Net.Proxy.Dialer = c.line
	if err := cfg.Security.apply(conf, c.line); err != nil {
		return err
	}
	if err := c.broker.Open(conf); err != nil {
		return fmt.Errorf("connect to broker %s: %w", c.addr, err)
	}
	// Open dials in the background; Connected waits for that.
	if ok, err := c.broker.Connected(); !ok || err != nil {
		return fmt.Errorf("connect to broker %s: %w", c.addr, explain(err, cfg))
	}
	return nil
}

// checkVersion refuses a broker too old to be understood.
func (c *conn) checkVersion(cfg *Config) error {
	resp, err := c.broker.ApiVersions(&sarama.ApiVersionsRequest{Version: apiVersionsOldest})
	if err != nil {
		return fmt.Errorf("ask broker %s for its versions: %w", c.addr, explain(err, cfg))
	}
	for _, api := range resp.ApiKeys {
		if api.ApiKey == produceKey && api.MaxVersion < oldestProduce {
			return &ConfigError{
				Option: "bootstrap.servers",
				Err:    fmt.Errorf("broker %s is older than Kafka 2.1 (it speaks produce version %d, needed is %d)", c.addr, api.MaxVersion, oldestProduce),
			}
		}
	}
	return nil
}

// close ends the connection and waits for sarama's goroutine that reads it.
func (c *conn) close() {
	c.line.cut()
	_ = c.broker.Close() // fails only if it is not connected
}
