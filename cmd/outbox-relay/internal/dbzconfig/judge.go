package dbzconfig

import "slices"

// judgeChain decides what becomes of the transforms around the router.
func (im *importer) judgeChain(chain []link) {
	var stages []stage
	var src Source
	behind, beats := false, im.startBeats()
	for _, l := range chain {
		im.checkNegate(l)
		switch {
		case l.kind == routerLink:
			behind = true
			im.judgeRouter(l)
		case l.class == "": // refused already
		case !behind && l.kind == decodeLink:
			im.judgeDecode(l)
		case !behind:
			im.judgeBefore(l, chain, &beats)
		default:
			if st, ok := im.judgeAfter(l); ok {
				stages, src = append(stages, st), l.src
			}
		}
	}
	beats.set(im)
	im.setAfter(stages, src)
}

// setAfter makes the flag of the transforms behind the router.
func (im *importer) setAfter(stages []stage, src Source) {
	if len(stages) == 0 {
		return
	}
	text := formatStages(stages)
	if _, err := ParseAfter(text, im.headerConverter()); err != nil {
		im.refuse(src, []string{afterFlag}, "%v", err)
		return
	}
	im.setFlag(afterFlag, text, src)
}

// judgeBefore decides about a transform that sees the change events themselves, and heartbeats.
func (im *importer) judgeBefore(l link, chain []link, beats *beats) {
	upTo := chain[:1+slices.IndexFunc(chain, func(l link) bool { return l.kind == routerLink })]
	predicates := slices.ContainsFunc(upTo, func(l link) bool { return l.options.has("predicate") })
	if l.options.has("predicate") {
		if p, ok := im.predicate(l); !ok {
			return
		} else if p.none {
			if beats.pass(im, l) {
				im.notice(l.src, "the transform %s does not apply to the outbox tables; left aside", l.alias)
			}
			return
		}
	}
	if l.kind == regexLink && !predicates {
		if beats.pass(im, l) {
			im.notice(l.src, "the transform %s renames topics before the router, which names those of events anew; left aside", l.alias)
		}
		return
	}
	im.refuse(l.src, nil, "the transform %s (%s) stands before the router and changes what it sees; the relay has no such step", l.alias, l.class)
}

// judgeAfter decides about a transform that sees the router's records.
func (im *importer) judgeAfter(l link) (stage, bool) {
	var name string
	var names []string
	switch l.kind {
	case unwrapLink:
		im.notice(l.src, "the transform %s is left aside: %s", l.alias, unwrapReason)
		return stage{}, false
	case regexLink:
		name, names = "RegexRouter", []string{"regex", "replacement"}
	case dropLink:
		name, names = "DropHeaders", []string{"headers"}
	case insertLink:
		name, names = "InsertHeader", []string{"header", "value.literal"}
	default:
		im.refuse(l.src, []string{afterFlag}, "the transform %s (%s) changes records in a way that the relay does not know; it knows RegexRouter, DropHeaders and InsertHeader behind the router. "+
			"If it is not needed, give the others by -%s", l.alias, l.class, afterFlag)
		return stage{}, false
	}
	st, ok := im.stageOf(l, name, names...)
	if !ok {
		return st, false
	}
	condition, ok := im.condition(l)
	st.args = append(st.args, condition...)
	return st, ok
}

// stageOf reads the options that a transform must have.
func (im *importer) stageOf(l link, name string, options ...string) (stage, bool) {
	st := stage{name: name}
	for _, option := range options {
		value, ok := im.stageOption(l, option)
		if !ok {
			return st, false
		}
		st.args = append(st.args, [2]string{option, value})
	}
	im.listUnknown(&l, append(options, "type", "predicate", "negate", "plugin.version"))
	return st, true
}

// stageOption is a value that a transform needs.
func (im *importer) stageOption(l link, name string) (string, bool) {
	s, ok := l.options.get(name)
	if !ok {
		im.refuse(l.src, []string{afterFlag}, "the transform %s has no %s%s", l.alias, l.prefix(), name)
		return "", false
	}
	keep := func(string) bool { return false }
	if name == "replacement" {
		keep = im.groups(l.options.byKey["regex"].value)
	}
	value, err := im.resolve(s, keep)
	if err != nil {
		im.refuse(s.src, []string{afterFlag}, "%v; write the value", err)
		return "", false
	}
	return javaTrim(value), true
}

// listUnknown lists a transform's options that it does not have.
func (im *importer) listUnknown(l *link, known []string) {
	for _, k := range l.options.keys {
		if !slices.Contains(known, k) {
			var full []string
			for _, name := range known {
				full = append(full, l.prefix()+name)
			}
			im.ignore(l.options.byKey[k], nearest(l.prefix()+k, full), "")
		}
	}
}
