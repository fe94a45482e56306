// Package floor holds the least that a program must do for the relay's job, written as directly as the protocols
// allow, so that the benchmark can tell what the relay adds to it: reading a slot and dropping the rows (Read), reading
// and producing them (Relay), producing alone (Produce). They run in processes of their own, like the contenders.
//
// Nothing here is fit for anything else: there is no routing, no retry, no memory limit, and positions are confirmed
// with less care than a product must take.
package floor
