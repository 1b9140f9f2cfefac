//! oncepay: a payment runtime that charges an order once.
//!
//! It runs as a server of its own (`oncepay serve`) or inside an actix-web app. For the latter, [`Settings`] and
//! [`Runtime`] are the way in:
//!
//! ```no_run
//! # use oncepay::{Currency, Money, Runtime, Settings, Wait};
//! # use std::time::Duration;
//! # async fn start() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings::from_text(
//!     r#"
//!     server.public_url = "https://shop.example.com/payments"
//!     database.url = "sqlite://data/payments.db"
//!     "#,
//! )?;
//! let runtime = Runtime::builder(settings).start().await?; // .channel(…) adds a channel of your own
//! let routes = runtime.routes(); // for scope("/payments").configure(routes)
//!
//! let gateway = runtime.gateway();
//! let cny = Currency::parse("CNY").ok_or("a currency")?;
//! let order = gateway.new_order("cart-17", "bank", Money::new(4_999, cny), "Three books")?;
//! let answered = gateway.create(order, Wait::UpTo(Duration::from_secs(20))).await?;
//! println!("{}", answered.order.status);
//! runtime.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! A channel is an implementation of [`Channel`]. `tests/embedded/` is a whole shop that brings one of its own.

pub mod actors;
pub mod channels;
pub mod cli;
pub mod clock;
pub mod config;
pub mod domain;
pub mod fulfilment;
pub mod mail;
mod moment;
pub mod pay_per_use;
pub mod runtime;
pub mod sandbox;
pub mod scrub;
pub mod simulator;
pub mod store;
pub mod telemetry;
pub mod web;

pub use actors::{Answered, Gateway, GatewayError, NewOrder, NewRefund, Wait};
pub use channels::Channel;
pub use config::Settings;
pub use domain::order::{Order, OrderStatus};
pub use domain::{Currency, Money, OrderNo};
pub use fulfilment::{Fulfiller, FulfillerError, Fulfilling, Grant, Revocation};
pub use pay_per_use::{PayPerUse, PayPerUseError, PayPerUseTerms};
pub use runtime::{Runtime, RuntimeBuilder, RuntimeError};
