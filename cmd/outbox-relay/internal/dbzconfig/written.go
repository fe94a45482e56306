package dbzconfig

import (
	"regexp"
	"strings"
)

const (
	sqlPart = `(?:"(?:[^"]|"")+"|[\pL_][\pL\pN_$]*)`
	sqlName = sqlPart + `(?:\s*\.\s*` + sqlPart + `){0,2}`
)

var (
	writes = regexp.MustCompile(`(?i)\b(?:insert\s+into|merge\s+into|delete\s+from|update|truncate(?:\s+table)?|copy)\s+` +
		`((?:only\s+)?` + sqlName + `(?:\s*\*)?(?:\s*,\s*(?:only\s+)?` + sqlName + `(?:\s*\*)?)*)`)
	only     = regexp.MustCompile(`(?i)^only\s+`)
	target   = regexp.MustCompile(`(?i)(?:only\s+)?` + sqlName)
	namePart = regexp.MustCompile(sqlPart)
	dollar   = regexp.MustCompile(`^\$(?:[\pL_][\pL\pN_]*)?\$`)
)

// Written finds the tables that SQL names as what it writes, by the parts of their names as PostgreSQL folds them: two
// with a schema, three with a database. It looks into WITH, and into the bodies of DO, which stand between dollars.
// What functions, triggers, rules, views and EXECUTE write stays unseen.
func Written(sql string) [][]string {
	var tables [][]string
	for _, m := range writes.FindAllStringSubmatch(bare(sql), -1) {
		for _, name := range target.FindAllString(m[1], -1) {
			tables = append(tables, nameParts(only.ReplaceAllString(name, "")))
		}
	}
	return tables
}

// nameParts splits a name and makes small letters of what is not quoted.
func nameParts(name string) []string {
	var parts []string
	for _, part := range namePart.FindAllString(name, -1) {
		if part[0] == '"' {
			parts = append(parts, strings.ReplaceAll(part[1:len(part)-1], `""`, `"`))
			continue
		}
		parts = append(parts, strings.ToLower(part))
	}
	return parts
}

// bare puts a blank in the place of each comment and empties text in apostrophes, so that neither hides a statement nor
// looks like one. Names in quotes stay, and text between dollars too, without the dollars.
func bare(sql string) string {
	var out strings.Builder
	for i := 0; i < len(sql); {
		rest := sql[i:]
		switch {
		case strings.HasPrefix(rest, "--"):
			i += until(rest, "\n")
			out.WriteByte(' ')
		case strings.HasPrefix(rest, "/*"):
			i += commentEnd(rest)
			out.WriteByte(' ')
		case rest[0] == '\'':
			i += textEnd(rest, i > 0 && (sql[i-1] == 'E' || sql[i-1] == 'e'))
			out.WriteString("''")
		case rest[0] == '"':
			n := 1 + until(rest[1:], `"`)
			i += n
			out.WriteString(rest[:n])
		case rest[0] == '$' && dollar.MatchString(rest):
			i += len(dollar.FindString(rest))
			out.WriteByte(' ')
		default:
			i++
			out.WriteByte(rest[0])
		}
	}
	return out.String()
}

// until is the length of text up to the end of the sign.
func until(text, sign string) int {
	if at := strings.Index(text, sign); at >= 0 {
		return at + len(sign)
	}
	return len(text)
}

// commentEnd is the length of a comment, which may hold others.
func commentEnd(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(text[i:], "*/"):
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// textEnd is the length of a text in apostrophes. Two of them stand for one, and behind an E a backslash escapes.
func textEnd(text string, escapes bool) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && escapes:
			i++
		case text[i] != '\'':
		case i+1 < len(text) && text[i+1] == '\'':
			i++
		default:
			return i + 1
		}
	}
	return len(text)
}

// HideLiterals puts *** in the place of every text in apostrophes, for SQL that may hold a password.
func HideLiterals(sql string) string {
	var out strings.Builder
	for i := 0; i < len(sql); {
		rest := sql[i:]
		switch {
		case rest[0] == '\'':
			i += textEnd(rest, i > 0 && (sql[i-1] == 'E' || sql[i-1] == 'e'))
			out.WriteString("'***'")
		case rest[0] == '$' && dollar.MatchString(rest):
			tag := dollar.FindString(rest)
			i += len(tag) + until(rest[len(tag):], tag)
			out.WriteString(tag + "***" + tag)
		default:
			i++
			out.WriteByte(rest[0])
		}
	}
	return out.String()
}
