//! Stripe: the adapter against a double of it on the loopback, and against what official libraries have signed.

mod bills;
mod charges;
mod closes;
mod events;
mod long_bill;
mod refunds;
mod searches;
mod settings;
mod stage;
mod tables;
mod vectors;
