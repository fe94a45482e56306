package dbzconfig

import (
	"regexp"
	"strings"
)

// readWorker takes what a worker's file says beyond the converters.
func (im *importer) readWorker() {
	for _, key := range im.worker.keys {
		s := im.worker.byKey[key]
		if rest, ok := strings.CutPrefix(key, "producer."); ok && rest != "" {
			s.key = rest
			im.producer.setDefault(s) // what the connector overrides is set already
			continue
		}
		o := im.reg.find(key, Worker)
		switch {
		case o == nil:
			im.ignore(s, nearest(key, im.reg.names(Worker, "")), "")
		case key == "bootstrap.servers":
			im.producer.setDefault(s)
		case o.Status != Honored:
			im.judge(o, s)
		}
	}
}

// readProducer makes flags of the producer's options.
func (im *importer) readProducer() {
	for _, key := range im.producer.keys {
		s := im.producer.byKey[key]
		o := im.reg.find(key, Producer)
		if o == nil {
			im.ignore(s, nearest(key, im.reg.names(Producer, "")), "")
			continue
		}
		im.apply(o, s)
	}
	im.checkStores()
}

// checkStores refuses trust and key stores that are not in PEM: Java's default for their type is JKS.
func (im *importer) checkStores() {
	for _, store := range []string{"ssl.truststore", "ssl.keystore"} {
		s, ok := im.producer.get(store + ".location")
		if ok && !im.producer.has(store+".type") {
			im.refuse(s.src, []string{store + ".location"}, "the file is in Java's format (%s.type is JKS if it is not set), and the relay reads PEM only: convert it with keytool and openssl, and set -%s.location", store, store)
			delete(im.flags, store+".location")
		}
	}
}

var (
	loginModule = regexp.MustCompile(`^\s*\S*\b(PlainLoginModule|ScramLoginModule|OAuthBearerLoginModule)\s`)
	jaasOption  = regexp.MustCompile(`\b(username|password|clientId|clientSecret|scope)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;"']+))`)
)

// jaasFlags are the flags of a login module's options.
var jaasFlags = map[string]string{
	"username": "sasl.username", "password": "sasl.password",
	"clientId": "sasl.oauthbearer.client.credentials.client.id", "clientSecret": "sasl.oauthbearer.client.credentials.client.secret", "scope": "sasl.oauthbearer.scope",
}

// readJAAS takes user and password, or what OAUTHBEARER needs, out of
// sasl.jaas.config.
func (im *importer) readJAAS(_ *Option, s setting) {
	value, err := im.resolve(s, nil)
	if err != nil {
		s.value = "" // it may hold a password beside the placeholder
		im.unresolved("sasl.username", s, err)
		im.unresolved("sasl.password", s, err)
		return
	}
	if !loginModule.MatchString(value) {
		im.refuse(s.src, []string{"sasl.username"}, "the relay logs in by PlainLoginModule, ScramLoginModule and OAuthBearerLoginModule only")
		return
	}
	for _, m := range jaasOption.FindAllStringSubmatch(value, -1) {
		im.setFlag(jaasFlags[m[1]], unescapeJAAS(m[2]+m[3]+m[4]), s.src)
	}
}

func unescapeJAAS(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		out.WriteByte(text[i])
	}
	return out.String()
}
