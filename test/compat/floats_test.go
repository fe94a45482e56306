package compat_test

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"

	"github.com/outbox-relay/outbox-relay/test/compat/records"
)

// shortestFloats is the first version of Java whose Float.toString and Double.toString give the shortest text for a
// number (JDK-4511638). Older ones sometimes have a digit too many, or another last digit. Debezium's records then
// depend on the machine; the relay prints as newer versions do.
const shortestFloats = 19

var float = regexp.MustCompile(`-?\d+\.\d+(E-?\d+)?`)

// modernize replaces, in the records of a Debezium that runs on an old Java, each float that the relay's record has in
// the shortest form. A key that is a float decides on the partition too: then both records are put anywhere.
func modernize(theirs, ours []records.Record) {
	byID := make(map[string]*records.Record, len(ours))
	for i := range ours {
		byID[ours[i].Topic+" "+ours[i].ID()] = &ours[i]
	}
	for i := range theirs {
		t := &theirs[i]
		o := byID[t.Topic+" "+t.ID()]
		if o == nil {
			continue
		}
		if key := modern(t.Key, o.Key); !bytes.Equal(key, t.Key) {
			t.Key, t.Partition, o.Partition = key, anyPartition, anyPartition
		}
		t.Value = modern(t.Value, o.Value)
		for j := range min(len(t.Headers), len(o.Headers)) {
			t.Headers[j].Value = modern(t.Headers[j].Value, o.Headers[j].Value)
		}
	}
}

// modern returns ours if it differs from theirs in the notation of floats alone.
func modern(theirs, ours []byte) []byte {
	a, b := float.FindAll(theirs, -1), float.FindAll(ours, -1)
	if bytes.Equal(theirs, ours) || len(a) != len(b) || !bytes.Equal(float.ReplaceAll(theirs, nil), float.ReplaceAll(ours, nil)) {
		return theirs
	}
	if !slices.EqualFunc(a, b, func(x, y []byte) bool { return sameFloat(string(x), string(y)) }) {
		return theirs
	}
	return ours
}

// sameFloat reports whether short is the shorter text of the same number, taken as double or as float. A float never
// needs more than 10 digits, so a double that was rounded to one is not taken for it.
func sameFloat(long, short string) bool {
	if long == short {
		return true
	}
	for _, bits := range []int{64, 32} {
		x, errX := strconv.ParseFloat(long, bits)
		y, errY := strconv.ParseFloat(short, bits)
		if errX == nil && errY == nil && x == y && len(short) <= len(long) && (bits == 64 || len(float.FindString(long)) <= len("-1.234567890E-38")) {
			return true
		}
	}
	return false
}
