package router_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/router"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, regex, replacement string
		want                     router.Targets
	}{
		{"default", "(?<routedByValue>.*)", "outbox.event.${routedByValue}", router.Targets{Before: "outbox.event.", Affixed: true}},
		{"suffix", "(.*)", "$1.events", router.Targets{After: ".events", Affixed: true}},
		{"one topic", "(?<routedByValue>.*)", "events", router.Targets{Fixed: "events"}},
		{"one topic without a group", ".*", "events", router.Targets{Fixed: "events"}},
		{"some values only", "(order|customer)", "events", router.Targets{}},
		{"two groups", "(.*)", "$1.$1", router.Targets{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := router.DefaultOptions()
			o.RouteTopicRegex, o.RouteTopicReplacement = test.regex, test.replacement
			got, err := o.Targets()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	o := router.DefaultOptions()
	o.RouteTopicReplacement = "${nogroup}"
	if _, err := o.Targets(); err == nil {
		t.Error("want an error for a group that does not exist")
	}
}

// TestTargetsHas: a topic is a target only where the options alone tell.
func TestTargetsHas(t *testing.T) {
	t.Parallel()
	affixed := router.Targets{Before: "a.", After: ".z", Affixed: true}
	for _, test := range []struct {
		targets router.Targets
		topic   string
		want    bool
	}{
		{affixed, "a.x.z", true}, {affixed, "a.z", false}, {affixed, "a..z", false}, {affixed, "b.x.z", false}, {affixed, "a.x", false},
		{router.Targets{Fixed: "one"}, "one", true}, {router.Targets{Fixed: "one"}, "one.more", false},
		{router.Targets{Affixed: true}, "any", false}, {router.Targets{}, "any", false},
	} {
		if got := test.targets.Has(test.topic); got != test.want {
			t.Errorf("%+v has %q: %t", test.targets, test.topic, got)
		}
	}
}
