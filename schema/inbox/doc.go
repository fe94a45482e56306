// Package inbox makes a consumer's effect happen once for each event, although Kafka
// delivers at least once. The event's id is recorded in the transaction that has the
// effect, so the two are committed together or not at all:
//
//	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
//		_, err := inbox.Once(ctx, tx, "billing", id, func() error {
//			_, err := tx.Exec(ctx, `UPDATE accounts SET balance = balance - $2 WHERE id = $1`, account, amount)
//			return err
//		})
//		return err
//	})
//
// The record's offset may be committed to Kafka when the transaction is. A crash in
// between brings the event again, and Once skips it.
//
// Advance is for effects that the newest event decides (a state that is shown, a
// copy of a row): it tells an event that is older than the last one applied.
//
// Nothing here knows a Kafka client: id, key and sequence come from the record's
// headers and key, whatever reads them. The tables inbox and inbox_position are
// looked for in search_path; outbox-relay -print-ddl=inbox prints them. Once and
// Advance take a pgx.Tx, OnceSQL and AdvanceSQL a *sql.Tx.
package inbox
