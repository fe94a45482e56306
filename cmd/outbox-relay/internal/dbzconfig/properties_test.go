package dbzconfig

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// TestProperties has the rules of java.util.Properties.load, each as its documentation states it.
func TestProperties(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       string // key=value@line, separated by |
	}{
		{"three separators", "a=1\nb:2\nc 3\nd\t4", "a=1@1|b=2@2|c=3@3|d=4@4"},
		{"blanks around", "  a \t=\f 1 ", "a=1 @1"},
		{"only the first separator counts", "a=b=c\nd : = e", "a=b=c@1|d== e@2"},
		{"blank before the separator", "a b = c", "a=b = c@1"},
		{"no value", "a\nb=\nc:", "a=@1|b=@2|c=@3"},
		{"no key", "=v\n:w", "=v@1|=w@2"},
		{"comments", "# a=1\n  ! b=2\nc=3 # not a comment", "c=3 # not a comment@3"},
		{"blank lines", "\n \t\f\n\r\na=1", "a=1@4"},
		{"line ends", "a=1\r\nb=2\rc=3\n", "a=1@1|b=2@2|c=3@3"},
		{"continued", "a=1,\\\n   2,\\\r\n\t3\nb=4", "a=1,2,3@1|b=4@4"},
		{"continued key", "a\\\n  b=1", "ab=1@1"},
		{"a comment is not continued", "# a\\\nb=1", "b=1@2"},
		{"continued into what looks like a comment", "a=1\\\n#2", "a=1#2@1"},
		{"continued into a blank line", "a=1\\\n\nb=2", "a=1@1|b=2@3"},
		{"two backslashes do not continue", "a=1\\\\\nb=2", "a=1\\@1|b=2@2"},
		{"three do", "a=1\\\\\\\nb=2", "a=1\\b=2@1"},
		{"backslash at the end of the file", "a=1\\", "a=1@1"},
		{"escapes", `a=\t\n\r\f\\\"\'\q`, "a=\t\n\r\f\\\"'q@1"},
		{"escaped separators in the key", `a\ b\=c\:d=e`, "a b=c:d=e@1"},
		{"escaped comment sign", `\#a=1`, "#a=1@1"},
		{"unicode", `a=\u00e4\u20AC\ud83d\ude00`, "a=ä€😀@1"},
		{"lone surrogate", `a=\ud83dx`, "a=\ufffdx@1"},
		{"UTF-8", "a=ä😀", "a=ä😀@1"},
		{"ISO 8859-1", "a=\xe4\xdf", "a=äß@1"},
		{"escaped blank before the value", `a=\  b`, "a=  b@1"},
		{"twice", "a=1\na=2", "a=1@1|a=2@2"},
		{"short escape", `a=\u12`, "error line 1"},
		{"not hexadecimal", "b=1\na=\\u12g4", "error line 2"},
		{"sign in an escape", `a=\u+123`, "error line 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, shown(parseProperties(decodeText([]byte(test.text))))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func shown(properties []property, err error) string {
	if err != nil {
		return "error " + err.Error()[:len("line 1")]
	}
	var out []string
	for _, p := range properties {
		out = append(out, fmt.Sprintf("%s=%s@%d", p.key, p.value, p.line))
	}
	return strings.Join(out, "|")
}

// FuzzProperties checks that any text is read without a panic, and that what was read can be written in Java's way and
// read again.
func FuzzProperties(f *testing.F) {
	for _, seed := range []string{"a=1\nb : 2\\\n  3", `\u00e4\==\ud83d\ude00`, "a\\", "\\", "=\x00", "!\n#\n a b c", "a=\xff\xfe"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		first, err := parseProperties(decodeText(content))
		if err != nil {
			return
		}
		var b strings.Builder
		for _, p := range first {
			b.WriteString(escapeJava(p.key) + "=" + escapeJava(p.value) + "\n")
		}
		again, err := parseProperties(b.String())
		if err != nil || len(again) != len(first) {
			t.Fatalf("%d properties, then %d: %v", len(first), len(again), err)
		}
		for i := range first {
			if first[i].key != again[i].key || first[i].value != again[i].value {
				t.Fatalf("%+v, then %+v", first[i], again[i])
			}
		}
	})
}

// escapeJava writes every character as an escape, as Properties.store may.
func escapeJava(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, `\u%04x`, u)
	}
	return b.String()
}
