//! oncepay inside a merchant's own actix-web app: `shop.rs` is the app, `bank_transfer.rs` its own channel, and
//! `stories.rs` runs them. `licences.rs` grants outside, and `grants.rs` tells how that goes; `acknowledged.rs`, that no
//! channel waits for it. `reports.rs` sells by the piece to programs, `agents.rs` are these and their bank, `market.rs` is where they meet, and `metered.rs` tells
//! how that goes: `metered_twice.rs` when a payment comes in twice or for nothing, `metered_flood.rs` when proofs are many,
//! and `metered_killed.rs` when the process dies. These play on PostgreSQL too, where a server is given.

#[cfg(test)]
#[path = "../support/mod.rs"]
mod support;

#[cfg(test)]
mod acknowledged;
#[cfg(test)]
mod agents;
#[cfg(test)]
mod bank;
#[cfg(test)]
mod bank_transfer;
#[cfg(test)]
mod grants;
#[cfg(test)]
mod licences;
#[cfg(test)]
mod market;
#[cfg(test)]
mod metered;
#[cfg(test)]
mod metered_flood;
#[cfg(test)]
mod metered_killed;
#[cfg(test)]
mod metered_twice;
#[cfg(test)]
mod private_addresses;
#[cfg(test)]
mod reports;
#[cfg(test)]
mod shop;
#[cfg(test)]
mod stories;
#[cfg(test)]
mod till;
