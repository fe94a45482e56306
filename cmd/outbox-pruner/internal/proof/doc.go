// Package proof decides which rows of an outbox table were relayed, from what can be seen of the slots that relay them.
// It is pure: no I/O, no clock. It promises that a row it calls proven was received and confirmed by the reader of
// every slot. What it cannot show stays unproven, and its caller keeps the row.
//
// # The argument
//
// A row is known by the transaction that inserted it: xmin, the number of that transaction. A slot carries a row, and a
// position that its reader confirmed covers it, if three things hold:
//
//  1. The slot existed, and its publication published the table's inserts, before the row was inserted. A slot that was
//     made later never carries the row, and yet its confirmed_flush_lsn is past it.
//  2. It has been the same slot since. A slot of the same name that was dropped and made again has a hole in between.
//  3. confirmed_flush_lsn is at or past the end of the row's commit record.
//
// For 1 the pruner takes a transaction number of its own (pg_current_xact_id) after it has seen slot and publication. A
// number above it was given out later, so everything that transaction inserted was inserted later. This is Range.From.
// Numbers are compared, not commit times: a row with an old timestamp that is committed late has its place by number.
//
// For 3 the pruner takes a snapshot, then pg_current_wal_insert_lsn, then waits for confirmed_flush_lsn to reach that
// position. A transaction with a number below the snapshot's xmin had ended when the snapshot was taken, so its commit
// record ends at or before the position. This is Range.To. (pg_visible_in_snapshot would take more rows, and be wrong:
// a snapshot does not list subtransactions, so a row that a running transaction inserted behind a savepoint would pass.)
//
// For 2 there is no identity of a slot in PostgreSQL's catalog. Any one of three signs shows that the slot seen now is
// the slot seen before (Sighting.Continues):
//
//   - Its stamp. Statistics of a slot have a time of their last reset (pg_stat_replication_slots.stats_reset). It is empty in
//     a new slot and goes when the slot is dropped. The pruner resets the statistics of a slot that has no stamp. It survives restarts
//     of reader and server, not a crash of the server or a failover. PostgreSQL 15 and later: 14 could miss a drop.
//   - Its sender. The walsender that streams the slot has executed the same START_REPLICATION all the while: same process, same
//     backend_start, same query_start. A slot in use cannot be dropped.
//   - Its restart_lsn. A new slot's restart_lsn is where the server was inserting when it was made, and it only moves on. One
//     that is below what the server had flushed before the first sight belongs to a slot that was there then. This bridges a
//     crash if the pruner is back soon. Across a change of timeline it holds only for a slot that the server copied from its primary
//     (synced, 17 and later), because positions behind the fork mean other WAL.
//
// Without a sign the range ends where it was confirmed and a new one begins. Rows in between stay unproven. A range that was
// confirmed stays true whatever happens to the slot later, which is why the ledger is kept in the database, beside the
// rows: it goes through crashes, failovers and restores with them.
//
// # What would break it, and what is done
//
//   - Transaction numbers in a row have 32 bits. Comparisons are made within 2^31 of now; older parts of ranges are
//     not used (Ledger.Proven). A row that outlives 2^31 transactions could be taken for a young one: the caller looks for such
//     rows every 2^30 transactions (Ledger.CheckDue) and stops if there is one.
//   - A rewrite of the table (ALTER TABLE, VACUUM FULL, pg_repack) may give rows new numbers. It changes the relation's
//     file node, which is part of Leaf.Print: what was there before it is unproven from then on.
//   - A table or partition that had another name or schema for a while: what was inserted then may be outside of the publication, or
//     of what the reader asks for by name. Both write a new version of a row of pg_class (or of pg_namespace, for a schema's
//     name), whose xmin is a part of Slot.Ground and Leaf.Ground. Other DDL does so too, and ends ranges needlessly.
//   - A table or partition that is not logged: its rows are in no WAL. It is refused.
//   - A partition that is attached brings rows that were never published. It counts from when it was first seen attached; one
//     that was made as a partition from behind the transaction that made it (Leaf.Born).
//     Born asks that a column's row in pg_attribute says that it is inherited and is still the one that the creating command wrote:
//     attaching, like detaching, writes new versions of all of them. What cannot be shown to be born counts as attached.
//   - An UPDATE gives a row a new number. An outbox is for inserting only; where the row has a time of its own, a time
//     before Range.Since keeps it unproven.
//   - A position that somebody moved by hand (pg_replication_slot_advance, pg_copy_logical_replication_slot), and a reader that
//     confirms what it has not delivered, cannot be told from progress.
package proof
