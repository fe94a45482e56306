package replication

import (
	"strings"
	"testing"
)

func TestMarkerName(t *testing.T) {
	t.Parallel()
	if got := markerName("outbox_relay"); got != "outbox_relay_snapshot" {
		t.Errorf("got %s", got)
	}
	seen := map[string]bool{}
	for _, slot := range []string{strings.Repeat("a", 54), strings.Repeat("a", 55), strings.Repeat("a", 54) + "b", strings.Repeat("a", 63)} {
		name := markerName(slot)
		if !slotName.MatchString(name) || !strings.HasSuffix(name, "_snapshot") || seen[name] {
			t.Errorf("marker of %s is %s, which is no slot name or not its own", slot, name)
		}
		seen[name] = true
	}
}

func TestMajor(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]int{"15.18 (Debian 15.18-1)": 15, "18beta2": 18, "9.6": 9, "": 0} {
		if got := major(version); got != want {
			t.Errorf("%q: got %d, want %d", version, got, want)
		}
	}
}

func TestCreateSlotCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		failover       bool
		name, snapshot string
		want           string
	}{
		{false, "s", "nothing", `CREATE_REPLICATION_SLOT "s" LOGICAL pgoutput NOEXPORT_SNAPSHOT`},
		{false, "m", "export", `CREATE_REPLICATION_SLOT "m" LOGICAL pgoutput EXPORT_SNAPSHOT`},
		{true, "s", "nothing", `CREATE_REPLICATION_SLOT "s" LOGICAL pgoutput (SNAPSHOT 'nothing', FAILOVER)`},
		{true, "m", "export", `CREATE_REPLICATION_SLOT "m" LOGICAL pgoutput EXPORT_SNAPSHOT`},
	}
	for _, tt := range tests {
		if got := createSlotCommand(&Config{Slot: "s", Failover: tt.failover}, tt.name, tt.snapshot); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
