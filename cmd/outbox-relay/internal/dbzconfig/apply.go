package dbzconfig

import (
	"fmt"
	"strings"
)

// emit makes a flag of a setting.
func (im *importer) emit(o *Option, s setting) {
	value, err := im.resolve(s, nil)
	if err != nil {
		im.unresolved(o.flag(), s, err)
		return
	}
	normal, err := o.normal(o.trimmed(value))
	if err != nil {
		im.refuse(s.src, []string{o.flag()}, "%q %v", value, err)
		return
	}
	im.setFlag(o.flag(), normal, s.src)
}

// unresolved stores a flag whose value is not known.
func (im *importer) unresolved(flag string, s setting, err error) {
	instead := flag
	if flag == "database.password" { // on the command line ps would show it
		instead += ".file"
	}
	im.flags[flag] = Flag{Name: flag, Value: s.value, Source: s.src,
		Unresolved: fmt.Errorf("%s; otherwise give -%s", strings.ReplaceAll(err.Error(), "\n", ", "), instead)}
}

// apply does what the registry says about a setting.
func (im *importer) apply(o *Option, s setting) {
	switch {
	case o.read != nil:
		o.read(im, o, s)
	case o.Status == Honored:
		im.emit(o, s)
	case o.Status == Obsolete:
		im.rename(o, s)
	default:
		im.judge(o, s)
	}
}

// judge refuses an option, or tells why it does not matter.
func (im *importer) judge(o *Option, s setting) {
	if o.Status == Irrelevant && !o.Tell {
		return
	}
	value, err := im.resolve(s, nil)
	if err == nil && o.harmless(value) {
		return
	}
	if o.Status == Irrelevant {
		im.notice(s.src, "%s", o.Reason)
		return
	}
	im.refuse(s.src, settles(o), "%s", o.Reason)
}

func settles(o *Option) []string {
	if o.Settles == "" {
		return nil
	}
	return []string{o.Settles}
}

// rename puts an old name's value in the place of the new one, unless that is set.
func (im *importer) rename(o *Option, s setting) {
	fresh := im.reg.find(o.NewName, o.Scope)
	if im.hasNew(o) {
		im.notice(s.src, "the old name of %s (%s); left aside, because %s is set too", o.NewName, o.Reason, o.NewName)
		return
	}
	im.notice(s.src, "the old name of %s (%s); taken for it", o.NewName, o.Reason)
	im.apply(fresh, s)
}

// hasNew reports whether the new name of an obsolete option is set too.
func (im *importer) hasNew(o *Option) bool {
	if o.Scope == Router {
		return im.router.options.has(o.NewName)
	}
	return im.connector.has(o.NewName)
}

// readRenamed is rename for names that Debezium 2.0 and later ignore without a word. A configuration with topic.prefix
// runs on those only: there the old name has no effect, and giving it one would change records.
func (im *importer) readRenamed(o *Option, s setting) {
	fresh := im.reg.find(o.NewName, o.Scope)
	value, err := im.resolve(s, nil)
	if im.connector.has("topic.prefix") && !im.hasNew(o) && err == nil && value != fresh.Default {
		im.refuse(s.src, []string{fresh.flag()}, "Debezium ignores %s since 2.0 and takes %s=%q; until 1.9 it meant %q. Say which by -%s",
			o.Name, o.NewName, fresh.Default, value, fresh.flag())
		return
	}
	im.rename(o, s)
}
