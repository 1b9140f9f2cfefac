//! The simulator: that no story of a fixed set of seeds breaks a rule, and that it finds what is broken on purpose.
//!
//! `ONCEPAY_WORLD_SEEDS=1000 cargo test --release --test simulation world::` plays more seeds.

mod command;
mod faults;
mod finds;
mod seeds;
