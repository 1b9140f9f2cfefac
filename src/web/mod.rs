//! The HTTP API: it reads requests, asks the gateway or the store, and writes answers. It decides nothing.

mod about;
mod auth;
mod body;
mod callback_door;
mod callback_log;
mod cursor;
mod detached;
mod door;
mod fault;
mod form;
mod json;
mod key_limit;
pub mod keyring;
mod language;
mod messages;
mod openapi;
mod preferences;
mod problem;
mod problem_detail;
mod problem_kind;
mod problem_view;
mod query;
pub mod readiness;
mod return_url;
pub mod role;
mod routes;
mod rules;
mod sampling;
pub mod state;
mod survey;
mod view;
mod words;

pub use keyring::KeyRing;
pub use readiness::Readiness;
pub use routes::{api, everything_else, operations};
pub use state::{Parts, State};
