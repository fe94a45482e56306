package dbzconfig

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema/javaregex"
)

// readRouter takes the Event Router's options.
func (im *importer) readRouter() {
	for _, key := range im.router.options.keys {
		s := im.router.options.byKey[key]
		switch o := im.reg.find(key, Router); {
		case key == "type" || key == "predicate" || key == "negate":
		case o == nil:
			im.ignore(s, nearest(im.router.prefix()+key, im.reg.names(Router, im.router.prefix())), "the router has no such option")
		default:
			im.apply(o, s)
		}
	}
}

// readLater leaves an option to readTopics.
func (im *importer) readLater(*Option, setting) {}

// readPlacement takes over table.fields.additional.placement if the router can do it.
func (im *importer) readPlacement(o *Option, s setting) {
	value, err := im.resolve(s, nil)
	if err != nil {
		im.unresolved(o.flag(), s, err)
		return
	}
	opt := router.DefaultOptions()
	opt.AdditionalPlacement = value
	if err := opt.Validate(); err != nil {
		im.refuse(s.src, []string{o.flag()}, "%s", strings.ReplaceAll(strings.ReplaceAll(err.Error(), "-"+o.flag()+": ", ""), "\n", "; "))
		return
	}
	if im.server && strings.Contains(strings.ToLower(value), ":partition") {
		im.notice(s.src, "Debezium Server lets Kafka choose the partition, whatever is placed there, and with -debezium.server so does the relay")
	}
	im.setFlag(o.flag(), value, s.src)
}

// readOpInvalid takes over what updates do, unless they never come so far.
func (im *importer) readOpInvalid(o *Option, s setting) {
	if im.skipsUpdates() {
		value, err := im.resolve(s, nil)
		if word := strings.ToLower(strings.TrimSpace(value)); err == nil && word != "warn" && word != "error" && word != "fatal" {
			im.refuse(s.src, []string{o.flag()}, "%q is none of warn, error, fatal", value)
			return
		}
		im.notice(s.src, "skipped.operations keeps updates from the router, so this has no effect in Debezium; the relay logs updates and drops them")
		return
	}
	im.emit(o, s)
}

// readErrorOnMissing translates the boolean that table.field.additional.missing once was.
func (im *importer) readErrorOnMissing(o *Option, s setting) {
	value, err := im.resolve(s, nil)
	if err == nil {
		value, err = o.normal(value)
	}
	if err != nil {
		im.refuse(s.src, []string{o.NewName}, "%q %v", s.value, err)
		return
	}
	s.value = map[string]string{"true": "error", "false": "ignore"}[value]
	im.rename(o, s)
}

// readTopics takes over the rule that names topics. A reference to a group that the regular expression has not is
// refused: Debezium finds it at the first record.
func (im *importer) readTopics() {
	regex, hasRegex := im.router.options.get("route.topic.regex")
	replacement, hasReplacement := im.router.options.get("route.topic.replacement")
	if !hasRegex && !hasReplacement {
		return
	}
	both := []string{"route.topic.regex", "route.topic.replacement"}
	re, err := im.resolve(regex, nil)
	if err != nil {
		im.unresolved(both[0], regex, err)
	}
	if re = javaTrim(re); !hasRegex {
		re = im.reg.find(both[0], Router).Default
	}
	topic := im.reg.find(both[1], Router).Default
	if hasReplacement {
		var errTopic error
		if topic, errTopic = im.resolve(replacement, im.groups(re)); errTopic != nil {
			im.unresolved(both[1], replacement, errTopic)
			err = errors.Join(err, errTopic)
		}
		topic = javaTrim(topic) // both are options of Kafka's RegexRouter in the end, which trims them
	}
	if err == nil {
		src := replacement.src
		if !hasReplacement {
			src = regex.src
		}
		if err := checkRule(re, topic); err != nil {
			im.refuse(src, both, "%v", err)
			return
		}
		if hasReplacement {
			im.setFlag(both[1], topic, replacement.src)
		}
	}
	if _, set := im.flags[both[0]]; hasRegex && !set {
		im.flags[both[0]] = Flag{Name: both[0], Value: re, Source: regex.src, With: both[1]}
	}
}

// checkRule compiles a topic rule, and says what may be meant by a group that there is not.
func checkRule(regex, replacement string) error {
	re, err := javaregex.Compile(regex)
	if err != nil {
		return err
	}
	if replacement == "" {
		return errors.New("the topic's name is empty")
	}
	_, err = re.ParseReplacement(replacement)
	if err == nil {
		return nil
	}
	hint := ""
	names := groupNames(regex)
	for _, m := range reference.FindAllStringSubmatch(replacement, -1) {
		name := nearest(m[1], names)
		if name == "" && len(names) == 1 {
			name = names[0]
		}
		if name != "" && name != m[1] {
			hint = fmt.Sprintf("; did you mean ${%s}?", name)
		}
	}
	return fmt.Errorf("%w, so Debezium fails at the first record%s", err, hint)
}

var (
	namedGroup = regexp.MustCompile(`\(\?<([A-Za-z][A-Za-z0-9]*)>`)
	reference  = regexp.MustCompile(`\$\{([^}:]*)`)
	groupLike  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)
)

// groupNames are the named groups of a regular expression.
func groupNames(regex string) []string {
	var out []string
	for _, m := range namedGroup.FindAllStringSubmatch(regex, -1) {
		out = append(out, m[1])
	}
	return out
}

// groups tells groups of a regular expression from placeholders: ${name} is a group if there is one, or if it could be
// one and is not spelled as variables are. A group that there is not is refused later, with its name.
func (im *importer) groups(regex string) func(string) bool {
	names := map[string]bool{}
	for _, name := range groupNames(regex) {
		names[name] = true
	}
	return func(name string) bool {
		before, _, _ := strings.Cut(name, ":")
		return names[before] || groupLike.MatchString(name) && !variableName.MatchString(name)
	}
}
