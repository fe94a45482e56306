package options_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

var update = flag.Bool("update", false, "write testdata anew")

func TestUsage(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	if err := sample(&config{}).Usage(&got); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/usage.txt"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (run with -update if this is meant):\n%s", golden, diff)
	}
	for line := range strings.Lines(got.String()) {
		if len(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestUsageReportsWriteErrors(t *testing.T) {
	t.Parallel()
	if err := sample(&config{}).Usage(brokenWriter{}); err == nil {
		t.Error("no error")
	}
}

func TestEffective(t *testing.T) {
	t.Parallel()
	s := sample(&config{})
	err := s.Parse([]string{"-slot.name=s", "-database.url=u:hunter2@h", "-database.password=hunter2", "-buffer.memory=64M"},
		[]string{"OUTBOX_SAMPLE_RETRIES=5"})
	if err != nil {
		t.Fatal(err)
	}
	onLine := options.Source{Kind: options.Flag}
	want := []options.Setting{
		{Name: "slot.name", Value: "s", Source: onLine},
		{Name: "database.url", Value: "u:***@h", Hidden: true, Source: onLine},
		{Name: "database.password", Value: "***", Hidden: true, Source: onLine},
		{Name: "database.token", Value: "***", Hidden: true},
		{Name: "table.include.list", Value: "public.outbox"},
		{Name: "slot.create", Value: "false"},
		{Name: "bootstrap.servers"},
		{Name: "retries", Value: "5", Source: options.Source{Kind: options.Environment, Where: "OUTBOX_SAMPLE_RETRIES"}},
		{Name: "security.protocol", Value: "PLAINTEXT"},
		{Name: "security.mode"},
		{Name: "offset", Value: "-1"},
		{Name: "buffer.memory", Value: "64M", Source: onLine},
		{Name: "linger.ms", Value: "0"},
		{Name: "heartbeat", Value: "1h30m"},
		{Name: "topic.regex", Value: "a+"},
		{Name: "internal.test"},
		{Name: "log.level", Value: "info"},
		{Name: "config"},
	}
	for i := range want {
		want[i].Variable = "OUTBOX_SAMPLE_" + strings.ToUpper(strings.ReplaceAll(want[i].Name, ".", "_"))
	}
	if diff := cmp.Diff(want, s.Effective()); diff != "" {
		t.Error(diff)
	}
}
