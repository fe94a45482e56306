package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

// failureCases are the cases that docs/failure-modes.md must have, once each. The numbers with a gap before them are
// those of reports that came to the same.
const failureCases = `A01 A02 A03 A04 A05 A06 A07 A09 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20
	B01 B02 B03 B04 B05 B06 B07 B08 B09 B10 B11 B12 B13 B14 B15 B16 B18 B19 B20 B21 B22 B23 B25 B26 B27 B29 B30 B32 B34
	C01 C02 C03 C04 C05 C06 C08 C09 C10 C11 C12 C13 C14 C15 C16 C17 C18 C20
	D01 D02 D03 D05 D07 D08 D09
	E01 E02 E03 E04 E05 E06 E07 E08 E09 E10 E11 E12 E13 E15 E16 E17 E18 E19 E22 E23 E24 E26 E27 E28 E29 E30
	F01 F02 F03 F04 F05 F07 F08 F09 F11 F12 F13 F14 F17 F18
	G01 G02 G03 G06 G07 G08 G09 G10 G11 G12 G13 G14 G15 G16 G17`

var (
	caseRow  = regexp.MustCompile(`(?m)^\| ([A-G]\d\d) \|(.*)\|$`)
	caseTest = regexp.MustCompile("`([a-z0-9-]+/Test\\w+)`")
)

// TestFailureModes: docs/failure-modes.md has each case, and each of its rows names a test. TestNamedTestsExist looks
// whether they exist.
func TestFailureModes(t *testing.T) {
	t.Parallel()
	text := read(t, "docs/failure-modes.md").prose
	rows := map[string]int{}
	for _, m := range caseRow.FindAllStringSubmatch(text, -1) {
		rows[m[1]]++
		columns := strings.Split(m[2], "|")
		if len(columns) != 5 || !caseTest.MatchString(columns[4]) {
			t.Errorf("case %s has no test in its last column", m[1])
		}
	}
	for _, name := range strings.Fields(failureCases) {
		if rows[name] != 1 {
			t.Errorf("case %s has %d rows, want 1", name, rows[name])
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("case %s is not known here", name)
	}
}
