package dbzconfig

import "strings"

// javaTrim is Java's String.trim: everything up to the blank in the code table goes from both ends, and nothing else.
func javaTrim(text string) string {
	return strings.TrimFunc(text, func(c rune) bool { return c <= ' ' })
}

// trimmed is the value as whoever reads the option sees it. Kafka's ConfigDef trims every text: the options of
// Connect, of its converters and transforms, of the producer. Debezium's own Field does not, so that a blank around a
// column's name is part of it. RegexRouter's options inside the Event Router go through ConfigDef: see readTopics.
func (o *Option) trimmed(value string) string {
	switch o.Scope {
	case Connect, Converter, Transform, Producer, Worker:
		return javaTrim(value)
	}
	return value
}
