package security_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// readme is what the README tells to run for the role and the publication, and to put into pg_hba.conf.
func readme(t testing.TB) (sql []string, hba string) {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "**Role and publication.**")
	block := regexp.MustCompile("(?s)```sql\n(.*?)```").FindStringSubmatch(section)
	line := regexp.MustCompile(`(?m)^ *(hostssl .*)$`).FindStringSubmatch(section)
	if !found || block == nil || line == nil {
		t.Fatal("the README has no SQL for the role, or no line for pg_hba.conf")
	}
	for statement := range strings.SplitSeq(block[1], ";") {
		if statement = strings.TrimSpace(statement); statement != "" {
			sql = append(sql, statement)
		}
	}
	return sql, line[1]
}

// TestLeastPrivilege gives the relay what the README says and nothing else: the role is made by a superuser, all the
// rest by an owner of the table who is none. The relay may not even read the table.
func TestLeastPrivilege(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	sql, hba := readme(t)
	hba = strings.NewReplacer("shop", d.Name, "10.0.0.0/8", "127.0.0.1/32").Replace(hba)
	if err := d.Server.WriteFile("pg_hba.conf", []byte("host all postgres 127.0.0.1/32 trust\n"+hba+"\n")); err != nil {
		t.Fatal(err)
	}
	d.Exec(t, "SELECT pg_reload_conf()")
	for _, prepare := range []string{
		"DROP PUBLICATION outbox_relay", "CREATE ROLE app", "ALTER TABLE outbox OWNER TO app",
		"GRANT CREATE ON DATABASE " + d.Name + " TO app", "REVOKE ALL ON SCHEMA public FROM PUBLIC", "GRANT USAGE ON SCHEMA public TO app",
	} {
		d.Exec(t, prepare)
	}
	conn := d.Connect(t)
	for _, statement := range sql {
		as := "SET ROLE app"
		if strings.HasPrefix(statement, "CREATE ROLE") {
			as = "RESET ROLE"
		}
		if _, err := conn.Exec(t.Context(), as); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s; %s: %v", as, statement, err)
		}
	}
	env := []string{"PGPASSWORD=change me"}
	args := d.args("outbox_relay", "127.0.0.1", "-database.sslmode", "verify-full", "-database.sslrootcert", d.trust)
	accepted(t, env, args...)
	r := stream(t, env, args...)
	if _, err := conn.Exec(t.Context(), "INSERT INTO outbox VALUES (gen_random_uuid(), 'Order', '1', 'Created', '{}')"); err != nil {
		t.Fatal(err)
	}
	d.arrived(t, 1)
	r.stop(t)
	noMoreThanNeeded(t, conn)
}

// noMoreThanNeeded looks at the role's attributes and rights.
func noMoreThanNeeded(t testing.TB, conn *pgx.Conn) {
	t.Helper()
	var more []string
	err := conn.QueryRow(t.Context(), `SELECT array_remove(ARRAY[
			CASE WHEN rolsuper THEN 'SUPERUSER' END, CASE WHEN rolcreaterole THEN 'CREATEROLE' END, CASE WHEN rolcreatedb THEN 'CREATEDB' END,
			CASE WHEN rolbypassrls THEN 'BYPASSRLS' END, CASE WHEN has_schema_privilege(oid, 'public', 'USAGE') THEN 'USAGE on the schema' END,
			CASE WHEN has_table_privilege(oid, 'outbox', 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE') THEN 'a right on the table' END,
			CASE WHEN EXISTS (SELECT FROM pg_auth_members WHERE member = r.oid) THEN 'a membership' END], NULL)
		FROM pg_roles r WHERE rolname = 'outbox_relay'`).Scan(&more)
	if err != nil {
		t.Fatal(err)
	}
	if len(more) > 0 {
		t.Errorf("the role has %s", strings.Join(more, ", "))
	}
}
