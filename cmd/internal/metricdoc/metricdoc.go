// Package metricdoc lists what a registry can export, for -print-metrics and for docs/metrics.md, which is made of it.
// A series that has no value yet, such as an error that has not happened, is listed too: that is what a scrape cannot
// tell.
package metricdoc

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Series is all series of one name.
type Series struct {
	Name   string
	Type   string // counter, gauge, histogram or summary
	Help   string
	Labels []string // sorted
}

// Source is a *prometheus.Registry, or a *Registry around one.
type Source interface {
	prometheus.Gatherer
	prometheus.Collector
}

// List returns the series of a registry, sorted by name. Of a collector that is not checked, which describes nothing
// in advance, it knows what is exported now.
func List(reg Source) ([]Series, error) {
	types, err := exported(reg)
	if err != nil {
		return nil, err
	}
	if r, ok := reg.(*Registry); ok {
		maps.Copy(types, r.types)
	}
	byName := make(map[string]Series)
	for _, desc := range described(reg) {
		s, err := parse(desc)
		if err != nil {
			return nil, err
		}
		s.Type = kind(s.Name, types)
		byName[s.Name] = s
	}
	all := make([]Series, 0, len(byName))
	for _, s := range byName {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Series) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// exported returns the types of what has a value now, by name.
func exported(reg Source) (map[string]string, error) {
	families, err := reg.Gather()
	if err != nil {
		return nil, fmt.Errorf("gather the metrics to describe them: %w", err)
	}
	types := make(map[string]string, len(families))
	for _, f := range families {
		types[f.GetName()] = strings.ToLower(f.GetType().String())
	}
	return types, nil
}

// kind returns a series' type. One without a value is a counter or gauge by its name, which is a rule of
// Prometheus's that a test of ours holds the names to.
func kind(name string, types map[string]string) string {
	if t, ok := types[name]; ok {
		return t
	}
	if strings.HasSuffix(name, "_total") {
		return "counter"
	}
	return "gauge"
}

// described returns the descriptions of all collectors.
func described(reg Source) []*prometheus.Desc {
	ch := make(chan *prometheus.Desc)
	go func() {
		defer close(ch)
		reg.Describe(ch)
	}()
	var all []*prometheus.Desc
	for d := range ch {
		all = append(all, d)
	}
	return all
}

// Prometheus's library shows a description only as text, which this takes apart:
//
//	Desc{fqName: "x_total", help: "What.", unit: "", constLabels: {slot="s"}, variableLabels: {topic}}
var (
	descText = regexp.MustCompile(`^Desc\{fqName: ("(?:[^"\\]|\\.)*"), help: ("(?:[^"\\]|\\.)*"), .*constLabels: \{(.*)\}, variableLabels: \{(.*)\}\}$`)
	constant = regexp.MustCompile(`([A-Za-z_]\w*)="(?:[^"\\]|\\.)*"`)
	variable = regexp.MustCompile(`[A-Za-z_]\w*`)
)

func parse(d *prometheus.Desc) (Series, error) {
	m := descText.FindStringSubmatch(d.String())
	if m == nil {
		return Series{}, fmt.Errorf("describe the metric %s: its description has another form than expected", d)
	}
	s := Series{Name: unquote(m[1]), Help: unquote(m[2])}
	for _, label := range constant.FindAllStringSubmatch(m[3], -1) {
		s.Labels = append(s.Labels, label[1])
	}
	s.Labels = append(s.Labels, variable.FindAllString(m[4], -1)...)
	slices.Sort(s.Labels)
	return s, nil
}

func unquote(s string) string {
	u, err := strconv.Unquote(s)
	if err != nil {
		return s
	}
	return u
}
