// Package outbox writes events into an outbox table, in the transaction that makes
// the change they are about. That transaction is an argument of the type that only
// a transaction has, so an event cannot be written beside it: either both are
// committed, or neither.
//
//	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
//		if _, err := tx.Exec(ctx, `UPDATE orders SET state = 'paid' WHERE id = $1`, id); err != nil {
//			return err
//		}
//		return outbox.Write(ctx, tx, outbox.Event{
//			AggregateType: "Order", AggregateID: id, Type: "OrderPaid", Payload: OrderPaid{Amount: amount},
//		})
//	})
//
// What could never be sent (no key, a topic name that Kafka refuses, too large a
// payload, JSON that is none) is refused here, where the transaction can still be
// rolled back. In the relay it would be a row that stops everything behind it.
//
// Write takes a pgx.Tx and WriteSQL a *sql.Tx. Both write to the reference table
// (outbox-relay -print-ddl); Table describes any other.
package outbox
