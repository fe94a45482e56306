// Package catalog asks PostgreSQL what the pruner must know before it deletes: slots, publication, table, partitions,
// privileges. It changes nothing but a slot's stamp (Stamp). Every question is a statement of its own, because the order in which
// they are answered is a part of the proof.
//
// Errors that only a person or another configuration can mend are replication.Problems; the others may pass.
package catalog
