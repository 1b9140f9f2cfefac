//! oncepay inside a merchant's own actix-web app: `shop.rs` is the app, `bank_transfer.rs` its own channel, and
//! `stories.rs` runs them.

#[cfg(test)]
mod bank;
#[cfg(test)]
mod bank_transfer;
#[cfg(test)]
mod shop;
#[cfg(test)]
mod stories;
