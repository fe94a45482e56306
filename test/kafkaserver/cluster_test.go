package kafkaserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/internal/child"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
)

// helperEnv makes the test program start a broker and panic instead of running tests.
const helperEnv = "OUTBOX_TEST_KAFKASERVER_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(helperEnv) != "" {
		helper()
		return
	}
	goleak.VerifyTestMain(m)
}

func helper() {
	cluster, err := kafkaserver.Start(context.Background(), kafkaserver.Config{HeapMB: 256})
	if err != nil {
		panic(err)
	}
	fmt.Println(cluster.Pid(0), cluster.Dir())
	panic("as the test wants it")
}

func start(t *testing.T, config kafkaserver.Config) *kafkaserver.Cluster {
	t.Helper()
	cluster, err := kafkaserver.Start(wait.Context(t, 5*time.Minute), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, name := range []string{"first", "second"} {
			if err := cluster.Close(); err != nil {
				t.Errorf("%s close: %v", name, err)
			}
		}
		if _, err := os.Stat(cluster.Dir()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("folder after Close: %v, want it gone", err)
		}
	})
	return cluster
}

func newClient(t *testing.T, cluster *kafkaserver.Cluster, options ...kgo.Opt) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(cluster.Addrs()...)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func produce(t *testing.T, ctx context.Context, client *kgo.Client, topic, value string) {
	t.Helper()
	if err := client.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte(value)}).FirstErr(); err != nil {
		t.Fatalf("produce %q: %v", value, err)
	}
}

// values reads n records of a topic from its start.
func values(t *testing.T, ctx context.Context, cluster *kafkaserver.Cluster, topic string, n int) string {
	t.Helper()
	client := newClient(t, cluster, kgo.ConsumeTopics(topic))
	var got []string
	for len(got) < n {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("consume after %q: %v", got, err)
		}
		for _, r := range fetches.Records() {
			got = append(got, string(r.Value))
		}
	}
	return strings.Join(got, " ")
}

func TestBrokerKeepsPortAndData(t *testing.T) {
	t.Parallel()
	ctx := wait.Context(t, 4*time.Minute)
	cluster := start(t, kafkaserver.Config{})
	if err := cluster.CreateTopic(ctx, "t", 1, 1, nil); err != nil {
		t.Fatal(err)
	}
	client := newClient(t, cluster)
	produce(t, ctx, client, "t", "before")
	if err := cluster.StartBroker(ctx, 0); err == nil {
		t.Error("a running broker was started again")
	}
	if err := cluster.Stop(ctx, 0); err != nil {
		t.Fatal(err)
	}
	if cluster.Running(0) || cluster.Pid(0) != 0 {
		t.Errorf("running with pid %d after the stop", cluster.Pid(0))
	}
	if err := errors.Join(cluster.Stop(ctx, 0), cluster.StartBroker(ctx, 0)); err != nil {
		t.Fatal(err)
	}
	produce(t, ctx, client, "t", "stopped")
	if err := errors.Join(cluster.Kill(0), cluster.StartBroker(ctx, 0)); err != nil {
		t.Fatal(err)
	}
	produce(t, ctx, client, "t", "killed")
	if got, want := values(t, ctx, cluster, "t", 3), "before stopped killed"; got != want {
		t.Errorf("records %q, want %q", got, want)
	}
}

func TestPausedBrokerAnswersNothing(t *testing.T) {
	t.Parallel()
	ctx := wait.Context(t, 2*time.Minute)
	cluster := start(t, kafkaserver.Config{Settings: map[string]string{"num.partitions": "5"}, HeapMB: 256})
	admin := kadm.NewClient(newClient(t, cluster))
	checkSettings(t, ctx, admin)
	if err := cluster.Pause(0); err != nil {
		t.Fatal(err)
	}
	answer := make(chan error, 1)
	go func() {
		_, err := admin.DescribeBrokerConfigs(ctx, 1) // never answered from a cache, as metadata are
		answer <- err
	}()
	select {
	case err := <-answer:
		t.Fatalf("a paused broker answered (%v)", err)
	case <-time.After(200 * time.Millisecond):
	}
	if err := cluster.Resume(0); err != nil {
		t.Fatal(err)
	}
	if err := <-answer; err != nil {
		t.Errorf("after the pause: %v", err)
	}
	if err := cluster.Kill(0); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(int) error{"kill": cluster.Kill, "pause": cluster.Pause, "resume": cluster.Resume} {
		if err := do(0); !errors.Is(err, kafkaserver.ErrStopped) {
			t.Errorf("%s: %v, want %v", name, err, kafkaserver.ErrStopped)
		}
	}
}

// checkSettings checks a setting of the test's own and one of the package.
func checkSettings(t *testing.T, ctx context.Context, admin *kadm.Client) {
	t.Helper()
	configs, err := admin.DescribeBrokerConfigs(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range configs[0].Configs {
		got[c.Key] = c.MaybeValue()
	}
	for key, want := range map[string]string{"num.partitions": "5", "auto.create.topics.enable": "false"} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
}

func TestThreeBrokersSurviveTheLossOfALeader(t *testing.T) {
	t.Parallel()
	ctx := wait.Context(t, 4*time.Minute)
	cluster := start(t, kafkaserver.Config{Brokers: 3, HeapMB: 256})
	if n := strings.Count(cluster.Bootstrap(), ":"); n != 3 {
		t.Errorf("bootstrap %s, want three addresses", cluster.Bootstrap())
	}
	if err := cluster.CreateTopic(ctx, "t", 1, 3, map[string]string{"min.insync.replicas": "2"}); err != nil {
		t.Fatal(err)
	}
	if err := cluster.CreateTopic(ctx, "t", 1, 3, nil); !errors.Is(err, kerr.TopicAlreadyExists) {
		t.Errorf("second creation: %v, want %v", err, kerr.TopicAlreadyExists)
	}
	client := newClient(t, cluster)
	produce(t, ctx, client, "t", "before")
	checkLeaderMoves(t, ctx, cluster, "t")
	checkTopicConfig(t, ctx, cluster, "t")
	dead := int(leader(t, ctx, cluster, "t")) - 1
	if err := cluster.Kill(dead); err != nil {
		t.Fatal(err)
	}
	produce(t, ctx, client, "t", "without")
	if err := cluster.StartBroker(ctx, dead); err != nil {
		t.Fatal(err)
	}
	if got, want := values(t, ctx, cluster, "t", 2), "before without"; got != want {
		t.Errorf("records %q, want %q", got, want)
	}
	if err := cluster.DeleteTopic(ctx, "t"); err != nil {
		t.Error(err)
	}
	if topics, err := kadm.NewClient(client).ListTopics(ctx); err != nil || topics.Has("t") {
		t.Errorf("the topic is still listed after its deletion (%v)", err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]kafkaserver.Config{
		"two brokers":               {Brokers: 2},
		"one proxy for two brokers": {Brokers: 3, Advertised: []string{"127.0.0.1:1"}},
	} {
		if cluster, err := kafkaserver.Start(t.Context(), config); err == nil {
			t.Error(errors.Join(fmt.Errorf("%s: it was started", name), cluster.Close()))
		}
	}
}

func TestMissingToolsAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("OUTBOX_TEST_CACHE", t.TempDir())
	if _, err := kafkaserver.Start(t.Context(), kafkaserver.Config{}); !errors.Is(err, kafkaserver.ErrNoJava) {
		t.Errorf("start: %v, want %v", err, kafkaserver.ErrNoJava)
	}
	if _, err := kafkaserver.Fetch(t.Context()); !errors.Is(err, kafkaserver.ErrNoMaven) {
		t.Errorf("fetch: %v, want %v", err, kafkaserver.ErrNoMaven)
	}
}

func TestBrokerThatDoesNotStartIsToldWithItsLog(t *testing.T) {
	t.Parallel()
	cluster, err := kafkaserver.Start(wait.Context(t, time.Minute), kafkaserver.Config{JVMFlags: []string{"-XX:+NoSuchFlag"}})
	if err == nil {
		t.Fatal(errors.Join(errors.New("started with a wrong flag"), cluster.Close()))
	}
	if !strings.Contains(err.Error(), "NoSuchFlag") {
		t.Errorf("the error does not say what the JVM said: %v", err)
	}
}

func TestNothingOutlivesAProgramThatPanics(t *testing.T) {
	t.Parallel()
	owner := exec.CommandContext(wait.Context(t, 2*time.Minute), os.Args[0])
	owner.Env = append(os.Environ(), helperEnv+"=1")
	owner.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	var dir string
	_, scanErr := fmt.Fscanln(out, &pid, &dir)
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	if err := owner.Wait(); err == nil || scanErr != nil {
		t.Fatalf("the owner ended with %v, its answer: %v; want a panic after the answer", err, scanErr)
	}
	err = poll.Until(wait.Context(t, 30*time.Second), 10*time.Millisecond, func(context.Context) error {
		if child.Alive(pid) {
			return fmt.Errorf("the broker %d still runs", pid)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s is still there (%v)", dir, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
