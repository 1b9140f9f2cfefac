//! oncepay inside a merchant's own actix-web app: `shop.rs` is the app, `bank_transfer.rs` its own channel, and
//! `stories.rs` runs them. `licences.rs` grants outside, and `grants.rs` tells how that goes. `reports.rs` sells
//! by the piece to programs, `agents.rs` are these and their bank, and `metered.rs` tells how that goes.

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
mod metered;
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
