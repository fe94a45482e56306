package chart_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/chart"
)

// element is what the tests look at.
type element struct {
	name  string
	attrs map[string]string
	text  string
}

// parse reads a document as an XML parser does, strictly, and returns its elements.
func parse(t *testing.T, document string) []element {
	t.Helper()
	var all []element
	var open []int
	decoder := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, document)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, e)
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(token)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

// number is a numeric attribute.
func (e element) number(t *testing.T, name string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(e.attrs[name], 64)
	if err != nil {
		t.Fatalf("%s of <%s>: %v", name, e.name, err)
	}
	return n
}

func find(all []element, name string) []element {
	var found []element
	for _, e := range all {
		if e.name == name {
			found = append(found, e)
		}
	}
	return found
}

func sample() chart.Chart {
	return chart.Chart{
		Title: `rows/s <"most" & best>`,
		Note:  "longer is better",
		Groups: []chart.Group{
			{Name: "small", Bars: []chart.Bar{
				{Name: "a", Value: 50, Low: 40, High: 100, Label: "50"},
				{Name: "b", Value: 25, Low: 25, High: 25, Label: "25"},
			}},
			{Name: "large", Bars: []chart.Bar{{Name: "b", Value: 9e6, Low: 9e6, High: 9e6, Label: "9 M"}}},
		},
	}
}

func TestWellFormed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		chart chart.Chart
	}{
		{"empty", chart.Chart{}},
		{"text that looks like markup, and control characters", chart.Chart{Title: "a\x00b<", Note: "]]>&"}},
		{"no values", chart.Chart{Groups: []chart.Group{{Name: "x", Bars: []chart.Bar{{Name: "a"}}}}}},
		{"values", sample()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if all := parse(t, tt.chart.String()); len(all) == 0 || all[0].name != "svg" {
				t.Errorf("the first element is not svg: %v", all)
			}
		})
	}
}

func TestBars(t *testing.T) {
	t.Parallel()
	all := parse(t, sample().String())
	if got, want := find(all, "title")[0].text, `rows/s <"most" & best>`; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
	bars := find(all, "rect")[1:] // the first is the background
	if len(bars) != 3 {
		t.Fatalf("%d bars, want 3", len(bars))
	}
	a, b, again := bars[0], bars[1], bars[2]
	if ratio := a.number(t, "width") / b.number(t, "width"); ratio != 2 {
		t.Errorf("the bar of 50 is %.2f times as long as that of 25", ratio)
	}
	// The range of a ends at 100, which is the largest of the group, so a alone has half the length.
	if ratio := again.number(t, "width") / a.number(t, "width"); ratio != 2 {
		t.Errorf("the longest bar of another group is %.2f times as long as half the longest of this one", ratio)
	}
	if a.attrs["fill"] == b.attrs["fill"] || b.attrs["fill"] != again.attrs["fill"] {
		t.Errorf("colors %s %s %s, want one for each name", a.attrs["fill"], b.attrs["fill"], again.attrs["fill"])
	}
	if ranges := find(all, "path"); len(ranges) != 1 {
		t.Errorf("%d ranges are drawn, want that of a alone", len(ranges))
	}
	height, last := all[0].number(t, "height"), again.number(t, "y")+again.number(t, "height")
	if last > height {
		t.Errorf("the last bar ends at %v, below the picture's end at %v", last, height)
	}
}
