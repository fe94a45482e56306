package deploy_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// stack is the compose file's services as processes of this machine, between a real PostgreSQL and a real Kafka.
type stack struct {
	file     composeFile
	postgres *pgserver.Server
	kafka    *kafkaserver.Cluster
	jars     string
}

// startStack starts the servers as the compose file does: the settings of its postgres, then its SQL.
func startStack(t *testing.T) *stack {
	t.Helper()
	s := &stack{file: readCompose(t)}
	postgres := s.file.Services["postgres"]
	password := postgres.Environment["POSTGRES_PASSWORD"]
	s.postgres = pgtest.New(t, pgserver.Config{Password: password, Settings: serverSettings(t, postgres.Command)})
	if err := s.postgres.CreateDatabase(wait.Context(t, time.Minute), postgres.Environment["POSTGRES_DB"]); err != nil {
		t.Fatal(err)
	}
	// As the image's entrypoint does.
	succeed(t, "psql", "-q", "-v", "ON_ERROR_STOP=1", "--no-password", "--no-psqlrc", "-f", filepath.Join(root, postgres.source(t, "/docker-entrypoint-initdb.d/10-outbox.sql")),
		s.postgres.DSN(postgres.Environment["POSTGRES_DB"]))
	s.kafka = kafkatest.New(t, kafkaserver.Config{Brokers: 1})
	jars, err := kafkaserver.Fetch(wait.Context(t, 5*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	s.jars = jars
	return s
}

// serverSettings reads postgres -c name=value -c ….
func serverSettings(t *testing.T, command []string) map[string]string {
	t.Helper()
	settings := map[string]string{}
	for i, arg := range command {
		if arg == "-c" {
			name, value, ok := strings.Cut(command[i+1], "=")
			if !ok {
				t.Fatalf("postgres -c %s", command[i+1])
			}
			settings[name] = value
		}
	}
	return settings
}

// outside knows where the servers and files are here.
func (s *stack) outside(t *testing.T, name string) outside {
	postgres := net.JoinHostPort("127.0.0.1", fmt.Sprint(s.postgres.Port()))
	return outsideOf(t, s.file, name, "postgres:5432", postgres, "kafka:9092", s.kafka.Bootstrap())
}

// tools are Kafka's scripts in its image; each is a class of its jars.
var tools = map[string]string{
	"/opt/kafka/bin/kafka-topics.sh":           "org.apache.kafka.tools.TopicCommand",
	"/opt/kafka/bin/kafka-console-consumer.sh": "org.apache.kafka.tools.consumer.ConsoleConsumer",
}

// start runs a service's command here. program is what the image would run: a program of ours, or empty for the first word
// of the command.
func (s *stack) start(t *testing.T, name, program string, env ...string) *procs.Proc {
	t.Helper()
	there := s.file.Services[name]
	here := s.outside(t, name)
	args := here.command(t, there)
	if program == "" {
		program, args = args[0], args[1:]
	}
	if class := tools[program]; class != "" {
		program, args = "java", append([]string{"-Xmx128m", "-cp", filepath.Join(s.jars, "*"), class}, args...)
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	return proctest.StartProgram(t, procs.Config{Path: path, Args: args, Env: append(here.environment(there), env...)})
}

// finish waits for a service that does its work and ends.
func finish(t *testing.T, p *procs.Proc) {
	t.Helper()
	if code, err := p.Wait(wait.Context(t, 2*time.Minute)); code != 0 || err != nil {
		t.Fatalf("exit %d, %v:\n%s", code, err, p.Tail(20))
	}
}

// healthCommand is the check of the image, from the Dockerfile.
func healthCommand(t *testing.T) []string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^HEALTHCHECK .*CMD (\[.*\])$`).FindStringSubmatch(read(t, "Dockerfile"))
	if m == nil {
		t.Fatal("the Dockerfile has no HEALTHCHECK")
	}
	var command []string
	if err := json.Unmarshal([]byte(m[1]), &command); err != nil {
		t.Fatal(err)
	}
	return command
}

// healthy runs a check of a container, in its environment, until it is well.
func healthy(t *testing.T, program string, command, env []string) {
	t.Helper()
	if filepath.Base(command[0]) != filepath.Base(program) {
		t.Fatalf("the image's check runs %s", command[0])
	}
	for ctx := wait.Context(t, time.Minute); ; {
		check := exec.CommandContext(ctx, program, command[1:]...)
		check.Env = env
		out, err := check.CombinedOutput()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("it is not healthy within a minute: %v: %s", err, out)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// TestComposeCommands runs the commands of docker-compose.yml in its order: topics, relay, its health check, producer, consumer. What
// the producer commits arrives at the consumer.
func TestComposeCommands(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"psql", "java"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed (Debian: postgresql-client, default-jre-headless)", tool)
		}
	}
	s := startStack(t)
	finish(t, s.start(t, "topics", ""))
	program := proctest.Build(t, procs.RelayPackage)
	env := []string{"OUTBOX_RELAY_WEB_LISTEN_ADDRESS=" + freeAddress(t)}
	relay := s.start(t, "relay", program, env...)
	healthy(t, program, healthCommand(t), env)
	s.start(t, "producer", "")
	consumer := s.start(t, "consumer", "")
	seen := map[string]bool{}
	arrived := regexp.MustCompile(`id:[0-9a-f-]{36}.*"customer": "customer-\d+"`)
	for mark := 0; len(seen) < 3; {
		line, err := consumer.WaitLog(wait.Context(t, 2*time.Minute), mark, procs.Regexp(arrived))
		if err != nil {
			t.Fatalf("event %d did not arrive: %v; the relay says\n%s", len(seen)+1, err, relay.Tail(10))
		}
		seen[line.Text] = true
		mark = line.N + 1
	}
	s.prune(t, program)
	stop(t, relay)
}

// prune runs the pruner and its health check, for which the relay's program is used.
func (s *stack) prune(t *testing.T, relayProgram string) {
	t.Helper()
	addr := freeAddress(t)
	pruner := s.start(t, "pruner", proctest.Build(t, prunerPackage), "OUTBOX_PRUNER_WEB_LISTEN_ADDRESS="+addr)
	there := s.file.Services["pruner"]
	check := there
	check.Command = there.Healthcheck.Test[1:] // behind CMD
	healthy(t, relayProgram, outsideOf(t, s.file, "pruner", ":9291", addr).command(t, check), nil)
	stop(t, pruner)
}

// TestComposeSQL: the tables are those of -print-ddl, and the application may do no more than it must.
func TestComposeSQL(t *testing.T) {
	t.Parallel()
	ddl := succeed(t, proctest.Build(t, procs.RelayPackage), "-print-ddl")
	table := func(text string) string {
		m := regexp.MustCompile(`(?s)CREATE TABLE outbox \(.*?\n\);`).FindString(text)
		return strings.Join(strings.Fields(regexp.MustCompile(`--.*`).ReplaceAllString(m, "")), " ")
	}
	if got, want := table(read(t, "deploy/compose/postgres.sql")), table(ddl); got != want || got == "" {
		t.Errorf("the outbox of the compose file is\n%s\nand that of -print-ddl\n%s", got, want)
	}
}

// TestComposePrunerSQL: the pruner's role and table are those of -print-sql.
func TestComposePrunerSQL(t *testing.T) {
	t.Parallel()
	file := read(t, "deploy/compose/postgres.sql")
	printed := succeed(t, proctest.Build(t, prunerPackage), "-print-sql")
	printed = strings.ReplaceAll(printed, "'change me'", "'demo'")
	for _, statement := range strings.SplitAfter(printed, ";\n") {
		statement = strings.TrimSpace(regexp.MustCompile(`(?m)^--.*$`).ReplaceAllString(statement, ""))
		if !strings.Contains(file, statement) {
			t.Errorf("deploy/compose/postgres.sql lacks\n%s", statement)
		}
	}
}
