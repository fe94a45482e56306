package schema_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/schema"
)

func TestUnavailable(t *testing.T) {
	t.Parallel()
	column := func(oid uint32) *schema.Column { return &schema.Column{TypeOID: oid, TypeMod: -1} }
	user := func(info schema.TypeInfo) *schema.Column {
		return &schema.Column{TypeOID: 20000, TypeMod: -1, Type: &info}
	}
	tests := []struct {
		name        string
		col         *schema.Column
		placeholder string
		want        string
		ok          bool
	}{
		{"text", column(25), "gone", "gone", true},
		{"jsonb", column(3802), "gone", "gone", true},
		{"bytea", column(17), "gone", `\x676f6e65`, true},
		{"text[]", column(1009), `a"b`, `{"a\"b"}`, true},
		{"bytea[]", column(1001), "a", `{"\\x61"}`, true},
		{"int[]", column(1007), "a\xff", "{97,-1}", true},
		{"uuid[]", column(2951), "gone", "{50c1f58b-e7f5-347e-8f53-d64c094783c2}", true},
		{"hstore", user(schema.TypeInfo{Name: "hstore", Kind: 'b'}), "gone", `"gone"=>"gone"`, true},
		{"citext", user(schema.TypeInfo{Name: "citext", Kind: 'b'}), "gone", "gone", true},
		{"a domain of bytea", user(schema.TypeInfo{Name: "blob", Kind: 'd', Base: column(17)}), "a", `\x61`, true},
		{"bytes that are no text", column(25), "a\xff", "a\uFFFD", true},
		{"numeric", column(1700), "gone", "", false},
		{"numeric[]", column(1231), "gone", "", false},
	}
	for _, tt := range tests {
		got, ok := tt.col.Unavailable([]byte(tt.placeholder))
		if string(got) != tt.want || ok != tt.ok {
			t.Errorf("%s: got %q, %t, want %q, %t", tt.name, got, ok, tt.want, tt.ok)
		}
		if !ok {
			continue
		}
		codec, err := schema.Bind(tt.col, schema.DefaultTypeOptions())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := codec.Decode(schema.Datum{Kind: schema.Text, Bytes: got}, nil); err != nil {
			t.Errorf("%s: %q is no text of the type: %v", tt.name, got, err)
		}
	}
}

func TestPrimaryKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		rel  schema.Relation
		want int
	}{
		{"primary key", schema.Relation{ReplicaIdentity: 'd', Columns: []schema.Column{{}, {Key: true, Primary: true}}}, 1},
		{"primary key, all columns in the identity", schema.Relation{ReplicaIdentity: 'f', Columns: []schema.Column{{Key: true}, {Key: true, Primary: true}}}, 1},
		{"the identity's index", schema.Relation{ReplicaIdentity: 'i', Columns: []schema.Column{{}, {Key: true}}}, 1},
		{"neither", schema.Relation{ReplicaIdentity: 'f', Columns: []schema.Column{{Key: true}, {Key: true}}}, -1},
	}
	for _, tt := range tests {
		got := tt.rel.PrimaryKey()
		if len(got) == 0 && tt.want == -1 || len(got) == 1 && got[0] == tt.want {
			continue
		}
		t.Errorf("%s: got %v, want %d", tt.name, got, tt.want)
	}
}
