// Package javaregex has moved to schema/javaregex.
package javaregex

import "github.com/outbox-relay/outbox-relay/schema/javaregex"

// Regexp is schema/javaregex's.
type Regexp = javaregex.Regexp

// Replacement is schema/javaregex's.
type Replacement = javaregex.Replacement

// Compile is schema/javaregex's.
func Compile(pattern string) (*Regexp, error) { return javaregex.Compile(pattern) }

// CompileFold is schema/javaregex's.
func CompileFold(pattern string) (*Regexp, error) { return javaregex.CompileFold(pattern) }
