//! What becomes of an order: stories, the whole table of decisions, and rules that no sequence of events may break.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a story that cannot be read is a failed test"
)]

mod answers;
mod currencies;
mod inputs;
mod ledger;
mod money_rules;
mod order_ledger;
mod properties;
mod refund_inputs;
mod refunds;
mod rules;
mod scene;
mod script;
mod stories;
mod table;
