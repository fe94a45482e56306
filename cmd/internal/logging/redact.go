package logging

import (
	"net/url"
	"regexp"
	"strings"
)

// hidden stands in the place of a secret.
const hidden = "***"

// Redact returns a connection string without its passwords, fit for a log: a URL with user and password in it or
// with secrets among its parameters, or PostgreSQL's keyword=value form. What is not clearly one of the two comes
// back as *** as a whole. In doubt it hides too much: a password with an unescaped / or @ in it must not show.
func Redact(dsn string) string {
	dsn = strings.TrimSpace(dsn)
	if dsn == "" {
		return ""
	}
	if scheme := schemeOf.FindString(dsn); scheme != "" {
		return scheme + redactURL(dsn[len(scheme):])
	}
	return redactKeywords(dsn)
}

var schemeOf = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// redactURL works on what follows the scheme. The parameters come first, so that an @ in a secret among them is
// not taken for the one behind the user's password.
func redactURL(rest string) string {
	safe := redactQuery(rest)
	end := strings.LastIndexByte(safe, '@')
	if end < 0 {
		if !strings.Contains(rest, "@") {
			return safe
		}
		end = len(safe) // the @ went with a parameter, which may have been a part of the user's password
	}
	// A / ? or @ in a password cannot be told from the ones that end it, so all up to the last @ is hidden.
	user, _, hasPassword := strings.Cut(safe[:end], ":")
	if !hasPassword {
		return safe
	}
	return user + ":" + hidden + safe[end:]
}

// redactQuery hides the values of secret parameters.
func redactQuery(rest string) string {
	path, query, ok := strings.Cut(rest, "?")
	if !ok {
		return rest
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		key, _, _ := strings.Cut(part, "=")
		if name, err := url.QueryUnescape(key); err != nil || secretKey(name) {
			parts[i] = key + "=" + hidden
		}
	}
	return path + "?" + strings.Join(parts, "&")
}

// keyword is one key=value of libpq's form, from the start of the text: the value is quoted, with \ before a quote
// or \ in it, or goes up to the next blank.
var keyword = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_.]*)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s'\\]|\\.)(?:[^\s\\]|\\.)*|)(?:\s+|$)`)

// redactKeywords rewrites the string key by key, and gives up on the first thing that libpq would not take either.
func redactKeywords(dsn string) string {
	var out []string
	for dsn != "" {
		m := keyword.FindStringSubmatch(dsn)
		if m == nil {
			return hidden
		}
		value := m[2]
		if secretKey(m[1]) {
			value = hidden
		}
		out = append(out, m[1]+"="+value)
		dsn = dsn[len(m[0]):]
	}
	return strings.Join(out, " ")
}

// secretKey reports whether a parameter holds a secret. passfile does not: it is a path.
func secretKey(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"password", "passwd", "secret", "token"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
