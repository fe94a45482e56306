package replication

import "strings"

// quoteIdent quotes an identifier for SQL and for publication_names, which is
// read as a list of identifiers.
func quoteIdent(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// quoteLiteral quotes a string constant, for statements that take no parameters.
func quoteLiteral(s string) string {
	return `'` + strings.ReplaceAll(s, `'`, `''`) + `'`
}
