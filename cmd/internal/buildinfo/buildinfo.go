// Package buildinfo says which build of a program is running.
package buildinfo

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

// Info identifies a build.
type Info struct {
	Version   string // stamped by the linker, or the module's version, or "devel"
	Revision  string // of the version control system, 12 digits, with + behind it if files were changed; or "unknown"
	GoVersion string // go1.26.0
}

// Read returns this program's build. The version is what the linker stamped into package main; it may be empty.
func Read(version string) Info {
	info, _ := debug.ReadBuildInfo()
	return from(version, info)
}

// from is Read without the program; info may be nil.
func from(version string, info *debug.BuildInfo) Info {
	i := Info{Version: version, GoVersion: runtime.Version()}
	if info != nil {
		i.Version = cmp.Or(i.Version, moduleVersion(info.Main.Version))
		i.Revision = revision(info.Settings)
	}
	i.Version = cmp.Or(i.Version, "devel")
	i.Revision = cmp.Or(i.Revision, "unknown")
	return i
}

// moduleVersion drops Go's own word for a build from a working tree.
func moduleVersion(v string) string {
	if v == "(devel)" {
		return ""
	}
	return v
}

func revision(settings []debug.BuildSetting) string {
	id, dirty := "", ""
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			id = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+"
			}
		}
	}
	if id == "" {
		return ""
	}
	return id + dirty
}

// String is what -version prints behind the program's name: "1.2.0 (revision 0123456789ab, go1.26.0)".
func (i Info) String() string {
	return fmt.Sprintf("%s (revision %s, %s)", i.Version, i.Revision, i.GoVersion)
}

// Collector returns the metric NAMESPACE_build_info, always 1, with the build as labels.
func (i Info) Collector(namespace string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace:   namespace,
		Name:        "build_info",
		Help:        "Always 1; the labels say which build is running.",
		ConstLabels: prometheus.Labels{"version": i.Version, "revision": i.Revision, "goversion": i.GoVersion},
	}, func() float64 { return 1 })
}
