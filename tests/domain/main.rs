//! What becomes of an order: stories, the whole table of decisions, and rules that no sequence of events may break.

mod answers;
mod properties;
mod rules;
mod scene;
mod script;
mod stories;
mod table;
