package logging_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"blank", " \n", ""},
		{"url", "postgres://u:hunter2@h:5432/d?sslmode=require", "postgres://u:***@h:5432/d?sslmode=require"},
		{"no password", "postgres://u@h:5432/d", "postgres://u@h:5432/d"},
		{"no user", "postgresql://h:5432/d?user=u", "postgresql://h:5432/d?user=u"},
		{"empty password", "postgres://u:@h/d", "postgres://u:***@h/d"},
		{"hosts", "postgres://u:hunter2@h1:1,h2:2/d", "postgres://u:***@h1:1,h2:2/d"},
		{"ipv6", "postgres://u:hunter2@[::1]:5432/d", "postgres://u:***@[::1]:5432/d"},
		{"escaped", "postgres://u:%40%2Fhunter2@h/d", "postgres://u:***@h/d"},
		{"at and slash", "postgres://u:p@hunter2/x@h/d", "postgres://u:***@h/d"},
		{"number and slash", "postgres://u:12/hunter2@h/d", "postgres://u:***@h/d"},
		{"question mark", "postgres://u:12?hunter2@h/d", "postgres://u:***@h/d"},
		{"hash", "postgres://u:12#hunter2@h/d", "postgres://u:***@h/d"},
		{"colon", "postgres://u:a:hunter2@h/d", "postgres://u:***@h/d"},
		{"blank in it", "postgres://u:a hunter2@h/d", "postgres://u:***@h/d"},
		{"bad escape", "postgres://u:%zzhunter2@h/d", "postgres://u:***@h/d"},
		{"parameters", "postgres://h/d?user=u&password=hunter2&sslmode=disable&sslpassword=hunter2&passfile=/a",
			"postgres://h/d?user=u&password=***&sslmode=disable&sslpassword=***&passfile=/a"},
		{"escaped key", "postgres://h/d?pass%77ord=hunter2", "postgres://h/d?pass%77ord=***"},
		{"broken key", "postgres://h/d?pass%7word=hunter2", "postgres://h/d?pass%7word=***"},
		{"at in a parameter", "postgres://h/d?password=a@hunter2", "postgres://h/d?password=***"},
		{"user and parameter with at", "postgres://u:hunter2@h/d?password=a@hunter2", "postgres://u:***@h/d?password=***"},
		{"parameter that may be a password's part", "postgres://u:hunter2?password=x@h/d", "postgres://u:***"},
		{"port and at in a parameter", "postgres://h:5432/d?password=a@hunter2", "postgres://h:***"},
		{"other scheme", "https://u:hunter2@registry/x?token=hunter2", "https://u:***@registry/x?token=***"},

		{"keywords", "host=h user=u password=hunter2 dbname=d", "host=h user=u password=*** dbname=d"},
		{"spaces", "  host = h\tpassword  =  hunter2\n dbname=d ", "host=h password=*** dbname=d"},
		{"quoted", `password='hunter2 host=x' host=h`, "password=*** host=h"},
		{"escaped quote", `password='it\'s \\ hunter2' host=h`, "password=*** host=h"},
		{"escaped blank", `password=a\ hunter2 host=h`, "password=*** host=h"},
		{"special", `password=a&b=@/'hunter2 host=h`, "password=*** host=h"},
		{"empty value", `password= host=h`, "password=***"}, // libpq takes host=h for the password
		{"quoted empty", `password='' host=h`, "password=*** host=h"},
		{"passfile", "passfile=/a/b sslpassword=hunter2 sslkey=/k", "passfile=/a/b sslpassword=*** sslkey=/k"},
		{"capitals", "PASSWORD=hunter2", "PASSWORD=***"},
		{"quoted other", "host=h options='-c x=y'", "host=h options='-c x=y'"},
		{"unquoted blank", "password=my hunter2 host=h", "***"},
		{"unclosed quote", "host=h password='hunter2", "***"},
		{"quote too early", "password='it's hunter2' host=h", "***"},
		{"neither", "hunter2", "***"},
		{"no scheme", "u:hunter2@h/d", "***"},
		{"jdbc", "jdbc:postgresql://u:hunter2@h/d", "***"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := logging.Redact(test.in); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// FuzzRedact puts a marker as the password into otherwise arbitrary strings; it must never come out.
func FuzzRedact(f *testing.F) {
	f.Add("u", "/d?x=y")
	f.Add("a b", "' host=x")
	f.Fuzz(func(t *testing.T, before, after string) {
		if strings.ContainsAny(before, "@:/?#&= '\\") || strings.Contains(before, "hunter2") || strings.Contains(after, "hunter2") {
			t.Skip()
		}
		for _, dsn := range []string{
			"postgres://" + before + ":hunter2@h" + after,
			"postgres://" + before + ":hunter2" + after + "@h",
			"postgres://h/d?password=" + before + "hunter2",
			"host=h password=" + before + "hunter2",
			"password='hunter2" + after,
		} {
			if got := logging.Redact(dsn); strings.Contains(got, "hunter2") {
				t.Errorf("%q became %q", dsn, got)
			}
		}
	})
}
