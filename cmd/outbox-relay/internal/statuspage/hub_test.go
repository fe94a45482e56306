package statuspage

import (
	"fmt"
	"strings"
	"testing"
)

func pastSection() section { return section{"past", []byte("P")} }

func wordsOf(text string) []section {
	return []section{{"words", []byte(text)}, {"log", []byte("L")}}
}

func TestHubSendsAllOnceThenWhatChanges(t *testing.T) {
	t.Parallel()
	h := newHub(2)
	first := h.join()
	h.show(pastSection, wordsOf("1"))
	h.show(pastSection, wordsOf("2"))
	second := h.join()
	h.show(pastSection, wordsOf("3"))
	all := func(n string) string {
		return "event: past\ndata: P\n\nevent: words\ndata: " + n + "\n\nevent: log\ndata: L\n\n"
	}
	for _, test := range []struct {
		name string
		got  []byte
		want string
	}{
		{"the first's first", <-first.frames, all("1")},
		{"then what changed", <-first.frames, "event: words\ndata: 2\n\n"},
		{"again", <-first.frames, "event: words\ndata: 3\n\n"},
		{"the second's first", <-second.frames, all("3")},
	} {
		if string(test.got) != test.want {
			t.Errorf("%s: got %q, want %q", test.name, test.got, test.want)
		}
	}
	h.leave(first)
	h.leave(second)
	if !h.idle() {
		t.Error("not idle after all have left")
	}
}

func TestHubIsBounded(t *testing.T) {
	t.Parallel()
	h := newHub(2)
	slow, other := h.join(), h.join()
	if h.join() != nil {
		t.Error("a third was admitted")
	}
	for i := range viewerFrames + 1 {
		h.show(pastSection, wordsOf(fmt.Sprint(i)))
		<-other.frames
	}
	for range viewerFrames {
		if _, ok := <-slow.frames; !ok {
			t.Fatal("what was sent to the slow one is gone")
		}
	}
	if _, ok := <-slow.frames; ok {
		t.Error("the slow one was not let go")
	}
	h.close()
	if _, ok := <-other.frames; ok {
		t.Error("the end let nobody go")
	}
	if h.join() != nil {
		t.Error("somebody was admitted after the end")
	}
}

func TestPastKeepsFifteenMinutes(t *testing.T) {
	t.Parallel()
	p := newPast()
	for i := range points + 100 {
		p.add(point{lag: int64(i)})
	}
	h := p.history()
	if len(h.Lag) != points || h.Lag[0] != 100 || h.Lag[points-1] != int64(points+99) || p.last().lag != int64(points+99) {
		t.Errorf("%d points from %d to %d", len(h.Lag), h.Lag[0], h.Lag[len(h.Lag)-1])
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	r := newRates()
	if got := r.topics(); got != nil {
		t.Errorf("got %v before the first look", got)
	}
	var at = streamingRelay(noon).now.SlotView.At
	for i := range uint64(30) {
		r.add(at, map[string]uint64{"slow": 7, "fast": 100 * i, "b": 5 * i, "a": 5 * i})
		at = at.Add(every)
	}
	var got []string
	for _, topic := range r.topics() {
		got = append(got, fmt.Sprintf("%s %d %.0f", topic.Name, topic.Events, topic.PerSecond))
	}
	if want := "fast 2900 100, a 145 5, b 145 5, slow 7 0"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
}
