package replication

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"

	"github.com/jackc/pgx/v5/pgconn"
)

// Class says who can mend an error.
type Class int

// The classes. The zero Class is Transient: what nobody knows is tried again,
// visibly, because giving up stops the events.
const (
	Transient     Class = iota // trying again may help
	Configuration              // flags, grants or server settings must change first
	Human                      // somebody must decide, because events may be missing
)

// Problem is an error whose class is known where it is found.
type Problem struct {
	Class  Class
	Reason string // for metrics: one of a small fixed set
	Err    error
}

func (p *Problem) Error() string { return p.Err.Error() }

func (p *Problem) Unwrap() error { return p.Err }

func configuration(reason string, err error) error { return &Problem{Configuration, reason, err} }

func human(reason string, err error) error { return &Problem{Human, reason, err} }

// ErrServerSilent is returned when the server has sent nothing, although it was
// asked to, for longer than a living one takes.
var ErrServerSilent = errors.New("the server sends nothing any more; the connection is given up")

// ErrStreamEnded is returned when the server ends the stream in good order, as
// it does when it shuts down.
var ErrStreamEnded = errors.New("the server ended the stream")

// verdict is what an SQLSTATE, or a class of them, means for the relay.
type verdict struct {
	class  Class
	reason string
}

// verdicts is looked up by the whole SQLSTATE first, then by its first two
// characters. Codes: PostgreSQL documentation, appendix A; which of them the
// replication commands raise was observed on 14 to 18.
var verdicts = map[string]verdict{
	"57P01": {Transient, "admin_shutdown"},
	"57P02": {Transient, "crash_shutdown"},
	"57P03": {Transient, "cannot_connect_now"},
	"57014": {Transient, "canceled"},
	"53300": {Transient, "too_many_connections"},
	"55006": {Transient, "slot_active"},
	"08":    {Transient, "connection"},
	"53":    {Transient, "resources"},
	"58":    {Transient, "system"},
	"40":    {Transient, "rollback"},
	"XX":    {Transient, "internal"},

	"53400": {Configuration, "no_free_slot"},
	"28":    {Configuration, "auth"},
	"3D":    {Configuration, "no_database"},
	"42501": {Configuration, "privilege"},
	"25006": {Configuration, "read_only"},
	"22023": {Configuration, "invalid_option"},
	"0A000": {Configuration, "unsupported"},
	"42601": {Configuration, "syntax"},

	"55000": {Human, "object_state"},
	"42704": {Human, "undefined_object"},
	"42":    {Human, "undefined"},
	"22":    {Human, "data"},
}

// ClassOf tells who can mend err.
func ClassOf(err error) Class { return judge(err).class }

// Reason names err's kind for a metric label: one of a small fixed set.
func Reason(err error) string { return judge(err).reason }

// Retryable reports whether connecting again may help. An error of authentication
// or TLS counts as retryable once the relay has streamed, because then a password
// or certificate has been changed under it and the new one may be on its way.
func Retryable(err error, streamed bool) bool {
	v := judge(err)
	return v.class == Transient || streamed && (v.reason == "auth" || v.reason == "tls")
}

func judge(err error) verdict {
	var problem *Problem
	var pg *pgconn.PgError
	var parse *pgconn.ParseConfigError
	switch {
	case err == nil:
		return verdict{}
	case errors.As(err, &problem):
		return verdict{problem.Class, problem.Reason}
	case errors.As(err, &pg):
		return bySQLState(pg.Code)
	case errors.As(err, &parse):
		return verdict{Configuration, "connection_string"}
	case isTLS(err):
		return verdict{Configuration, "tls"}
	case errors.Is(err, ErrServerSilent):
		return verdict{Transient, "silent"}
	case errors.Is(err, ErrStreamEnded):
		return verdict{Transient, "stream_ended"}
	}
	return byNetwork(err)
}

func bySQLState(code string) verdict {
	if v, ok := verdicts[code]; ok {
		return v
	}
	if len(code) == 5 {
		if v, ok := verdicts[code[:2]]; ok {
			return v
		}
	}
	return verdict{Transient, "other"}
}

// isTLS reports an error that only another certificate or sslmode can mend.
func isTLS(err error) bool {
	var unknown x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &unknown) || errors.As(err, &hostname) || errors.As(err, &invalid) ||
		refusedTLS(err) || noBinding(err) || isAlert(err)
}

func byNetwork(err error) verdict {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return verdict{Transient, "dns"}
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return verdict{Transient, "timeout"}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return verdict{Transient, "eof"}
	case errors.As(err, &op):
		return verdict{Transient, "network"}
	}
	return verdict{Transient, "other"}
}
