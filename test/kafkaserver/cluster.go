// Package kafkaserver runs real Apache Kafka clusters (KRaft, no ZooKeeper) for tests and benchmarks. It promises that
// a cluster takes records when Start returns, that each broker keeps its port and data over stops and crashes, and
// that neither a process nor a file of it is left behind when the program ends, in whatever way. It returns errors
// and knows nothing of testing.
package kafkaserver

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/test/internal/child"
	"github.com/outbox-relay/outbox-relay/test/internal/freeport"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
)

const (
	readyTimeout = 2 * time.Minute // about 4 s on an idle machine with 2 cores; tests share it
	readyPoll    = 100 * time.Millisecond
	bindTries    = 3
)

// Cluster is a Kafka cluster in a temporary folder. Brokers are counted from 0. Its methods may be called by several
// goroutines.
type Cluster struct {
	config Config
	java   string
	jars   string
	dir    string
	nodes  []node
	reaper *child.Reaper

	mu    sync.Mutex // guards procs and is held while a broker starts or stops
	procs []*child.Process
}

// Start fetches the broker's jars if needed, and starts a cluster. ctx bounds the start alone, not the life of the
// cluster. The caller must call Close.
func Start(ctx context.Context, config Config) (*Cluster, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	java, err := exec.LookPath("java")
	if err != nil {
		return nil, ErrNoJava
	}
	jars, err := Fetch(ctx)
	if err != nil {
		return nil, err
	}
	c := &Cluster{config: config, java: java, jars: jars, procs: make([]*child.Process, config.Brokers)}
	if err := c.firstStart(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// firstStart chooses the ports that the brokers keep from then on.
func (c *Cluster) firstStart(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "outbox-kafka-")
	if err != nil {
		return fmt.Errorf("make a folder for Kafka: %w", err)
	}
	c.dir = dir
	if c.reaper, err = child.NewReaper("KILL", dir); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for range bindTries {
		if err = c.tryStart(ctx); err == nil {
			return nil
		}
		errs = append(errs, err)
		if !strings.Contains(err.Error(), "BindException") && !strings.Contains(err.Error(), "Address already in use") {
			break
		}
	}
	return errors.Join(errs...)
}

// tryStart formats and starts all brokers on new ports, and waits until they form a cluster.
func (c *Cluster) tryStart(ctx context.Context) error {
	each := nodePorts + len(c.config.Listeners)
	ports, err := freeport.Pick(each * c.config.Brokers)
	if err != nil {
		return err
	}
	c.nodes = nil
	for i := range c.config.Brokers {
		p := ports[each*i : each*(i+1)]
		c.nodes = append(c.nodes, node{client: p[0], controller: p[1], behind: p[2], more: p[nodePorts:]})
	}
	if err := c.format(ctx); err != nil {
		return err
	}
	for i := range c.nodes {
		if err := c.spawn(i); err != nil {
			return err
		}
	}
	for i := range c.nodes {
		if err := c.awaitReady(ctx, i, len(c.nodes)); err != nil {
			return errors.Join(err, c.killAll())
		}
	}
	return nil
}

// format writes the configuration of each broker and the metadata of an empty data folder. StorageTool takes a second
// per broker, so all are formatted at once.
func (c *Cluster) format(ctx context.Context) error {
	var id [16]byte
	rand.Read(id[:])
	id[0] &= 0x7f // keeps the text from starting with a dash, which StorageTool takes for a flag
	cluster := base64.RawURLEncoding.EncodeToString(id[:])
	errs := make([]error, len(c.nodes))
	var all sync.WaitGroup
	for i := range c.nodes {
		all.Go(func() { errs[i] = c.formatOne(ctx, i, cluster) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func (c *Cluster) formatOne(ctx context.Context, i int, cluster string) error {
	dir := c.brokerDir(i)
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clear the folder of broker %d: %w", i, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of broker %d: %w", i, err)
	}
	text := c.config.properties(c.nodes, i, filepath.Join(dir, "data"))
	if err := os.WriteFile(c.propertiesFile(i), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the configuration of broker %d: %w", i, err)
	}
	args := []string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-cp", c.classpath(),
		"kafka.tools.StorageTool", "format", "-t", cluster, "-c", c.propertiesFile(i)}
	cmd := exec.CommandContext(ctx, c.java, append(args, c.config.FormatArgs...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("format the storage of broker %d: %w\n%s", i, err, out)
	}
	return nil
}

func (c *Cluster) brokerDir(i int) string { return filepath.Join(c.dir, fmt.Sprint(i)) }
func (c *Cluster) propertiesFile(i int) string {
	return filepath.Join(c.brokerDir(i), "server.properties")
}
func (c *Cluster) logFile(i int) string { return filepath.Join(c.brokerDir(i), "log") }
func (c *Cluster) classpath() string    { return filepath.Join(c.jars, "*") }

// spawn starts the JVM of broker i. c.mu is held.
func (c *Cluster) spawn(i int) error {
	log, err := os.OpenFile(c.logFile(i), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log of broker %d: %w", i, err)
	}
	defer log.Close() // the JVM has its own descriptor
	cmd := exec.Command(c.java, c.arguments(i)...)
	cmd.Dir = c.brokerDir(i)
	cmd.Stdout, cmd.Stderr = log, log
	proc, err := child.Start(fmt.Sprintf("Kafka broker %d", i), cmd)
	if err != nil {
		return err
	}
	c.procs[i] = proc
	return c.reaper.Watch(proc)
}

// arguments are those of java for broker i.
func (c *Cluster) arguments(i int) []string {
	const logger = "-Dorg.slf4j.simpleLogger."
	args := []string{
		fmt.Sprintf("-Xms%dm", min(256, c.config.HeapMB)), fmt.Sprintf("-Xmx%dm", c.config.HeapMB),
		"-XX:+UseSerialGC", // the cheapest one for a small heap on few cores
		"-XX:-UsePerfData", // else a file stays in the temporary folder when the JVM is killed
		logger + "defaultLogLevel=warn", logger + "showDateTime=true", logger + "dateTimeFormat=HH:mm:ss.SSS",
		"-cp", c.classpath(),
	}
	args = append(args, c.config.JVMFlags...)
	return append(args, "kafka.Kafka", c.propertiesFile(i))
}

// awaitReady waits until broker i answers and sees at least so many brokers of the cluster, itself among them. It gives
// up when any broker ends meanwhile, as one does that could not bind its ports. c.mu is held.
func (c *Cluster) awaitReady(ctx context.Context, i, brokers int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("not ready within %v", readyTimeout))
	defer cancel()
	err := poll.Until(ctx, readyPoll, func(ctx context.Context) error {
		if c.ended() >= 0 {
			return nil // no use to wait any longer
		}
		meta, err := c.ask(ctx, i)
		if err != nil {
			return err
		}
		return sees(meta, int32(i+1), brokers)
	})
	if dead := c.ended(); dead >= 0 {
		i, err = dead, fmt.Errorf("it ended with %s", c.procs[dead].State())
	}
	if err != nil {
		return fmt.Errorf("start Kafka broker %d: %w\n%s", i, err, c.LogTail(i, 30))
	}
	return nil
}

// ended is the first broker that has ended without being told to, or -1. c.mu is held.
func (c *Cluster) ended() int {
	return slices.IndexFunc(c.procs, func(p *child.Process) bool { return p != nil && !p.Running() })
}

// sees checks that the metadata list broker id and enough others, and that there is a controller.
func sees(meta *kmsg.MetadataResponse, id int32, brokers int) error {
	if meta.ControllerID < 0 {
		return errors.New("the cluster has no controller yet")
	}
	for _, b := range meta.Brokers {
		if b.NodeID == id && len(meta.Brokers) >= brokers {
			return nil
		}
	}
	return fmt.Errorf("the metadata list %d brokers, not all that are wanted", len(meta.Brokers))
}

// Bootstrap is the list of all brokers' addresses for clients, separated by commas.
func (c *Cluster) Bootstrap() string { return strings.Join(c.Addrs(), ",") }

// Addrs are the addresses of the brokers, the same for the whole life of the cluster.
func (c *Cluster) Addrs() []string {
	addrs := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		addrs[i] = n.addr()
	}
	return addrs
}

// Dir is the temporary folder that holds everything of the cluster.
func (c *Cluster) Dir() string { return c.dir }

// LogTail returns the last n lines that broker i has logged.
func (c *Cluster) LogTail(i, n int) string { return child.Tail(c.logFile(i), n) }

// Close kills all brokers and removes their files: data that nobody will read need no orderly stop. Closing twice is
// no error.
func (c *Cluster) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	errs := []error{c.killAll()}
	if c.reaper != nil {
		errs = append(errs, c.reaper.Close())
	}
	if c.dir != "" {
		errs = append(errs, os.RemoveAll(c.dir))
	}
	return errors.Join(errs...)
}

// killAll kills all brokers that run. c.mu is held.
func (c *Cluster) killAll() error {
	var errs []error
	for i, proc := range c.procs {
		if proc != nil {
			errs = append(errs, c.stop(context.Background(), i, syscall.SIGKILL))
		}
	}
	return errors.Join(errs...)
}
