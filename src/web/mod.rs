//! The HTTP API: it reads requests, asks the gateway or the store, and writes answers. It decides nothing.

mod about;
mod auth;
mod body;
mod callback_door;
mod callback_log;
mod cursor;
mod door;
mod fault;
mod form;
mod json;
pub mod keyring;
pub mod language;
pub mod messages;
pub mod openapi;
mod preferences;
pub mod problem;
mod problem_detail;
pub mod problem_kind;
mod query;
pub mod readiness;
mod return_url;
pub mod role;
pub mod routes;
mod rules;
mod sampling;
mod stamp;
pub mod state;
pub mod view;
pub mod words;

pub use keyring::KeyRing;
pub use readiness::Readiness;
pub use routes::{api, everything_else, operations};
pub use state::{Parts, State};
