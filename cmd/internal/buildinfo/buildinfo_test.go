package buildinfo

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestFrom(t *testing.T) {
	t.Parallel()
	built := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123"}
	dirty := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	clean := debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	tests := []struct {
		name, version string
		info          *debug.BuildInfo
		want          Info
	}{
		{"nothing known", "", nil, Info{Version: "devel", Revision: "unknown"}},
		{"stamped", "1.2.0", built("v1.0.0", revision, clean), Info{Version: "1.2.0", Revision: "0123456789ab"}},
		{"go install", "", built("v1.0.0"), Info{Version: "v1.0.0", Revision: "unknown"}},
		{"working tree", "", built("(devel)", dirty, revision), Info{Version: "devel", Revision: "0123456789ab+"}},
		{"changed but no revision", "", built("", dirty), Info{Version: "devel", Revision: "unknown"}},
		{"short revision", "", built("", debug.BuildSetting{Key: "vcs.revision", Value: "12"}),
			Info{Version: "devel", Revision: "12"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.want.GoVersion = runtime.Version()
			if diff := cmp.Diff(test.want, from(test.version, test.info)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	if got := Read("1.2.0").String(); !strings.HasPrefix(got, "1.2.0 (revision ") || !strings.HasSuffix(got, ", "+runtime.Version()+")") {
		t.Errorf("got %q", got)
	}
}

func TestCollector(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(Info{"1.2.0", "abc", "go1.26.0"}.Collector("outbox_relay"))
	want := `# HELP outbox_relay_build_info Always 1; the labels say which build is running.
# TYPE outbox_relay_build_info gauge
outbox_relay_build_info{goversion="go1.26.0",revision="abc",version="1.2.0"} 1
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	if problems, err := testutil.GatherAndLint(reg); err != nil || len(problems) > 0 {
		t.Error(err, problems)
	}
}
