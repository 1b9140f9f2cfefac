//! `oncepay.toml`, then the environment, then flags: parsed once, checked whole, and never guessed.

pub mod address;
pub mod check;
pub mod defaults;
pub mod duration;
pub mod first_start;
pub mod kept;
pub mod load;
pub mod outline;
mod parse;
pub mod private;
pub mod problem;
pub mod restored;
mod rules;
pub mod secret;
mod section;
mod warnings;

pub use check::{check_against_rows, check_serving};
pub use first_start::FirstStart;
pub use load::{Loaded, Sources};
pub use outline::Outline;
pub use problem::{ConfigError, Problem};

pub use crate::mail::AlertSettings;

use crate::domain::Currency;
use crate::domain::schedule::LateSuccess;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Everything that is configured. Durations are milliseconds.
#[derive(Debug, Clone)]
pub struct Settings {
    pub server: ServerSettings,
    pub database: crate::store::DatabaseSettings,
    pub checks: CheckSettings,
    pub callbacks_deadline_ms: i64,
    pub channels: BTreeMap<String, ChannelSettings>,
    pub sandbox: SandboxSettings,
    pub alerts: AlertSettings,
    pub limits: LimitSettings,
    pub second_person_above: BTreeMap<Currency, i64>,
    pub keys: Vec<KeySettings>,
    /// Where keys, the sandbox's secret, mails and the embedded database are kept.
    pub data_dir: PathBuf,
}

#[derive(Debug, Clone)]
pub struct ServerSettings {
    pub listen: SocketAddr,
    /// Health, readiness, metrics and documents are served there alone if it is set.
    pub admin_listen: Option<SocketAddr>,
    pub public_url: String,
    pub ui_deadline_ms: i64,
    pub on_deadline: OnDeadline,
    pub trusted_proxies: Vec<std::net::IpAddr>,
    pub return_hosts: Vec<String>,
    /// Bytes of an API request's body.
    pub body_limit: usize,
    /// In-flight creates beyond which the door answers 503.
    pub in_flight_max: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDeadline {
    Accepted,
    GatewayTimeout,
}

#[derive(Debug, Clone)]
pub struct CheckSettings {
    pub submit_timeout_ms: i64,
    pub query_timeout_ms: i64,
    pub schedule_ms: Vec<i64>,
    pub pending_schedule_ms: Vec<i64>,
    pub expiry_attempts: u32,
    pub expiry_margin_ms: i64,
    pub startup_grace_ms: i64,
    pub not_found_grace_ms: i64,
    pub max_submits: u32,
    pub startup_spread_ms: i64,
}

/// `[channels.NAME]`. Only `http` exists so far.
#[derive(Debug, Clone)]
pub struct ChannelSettings {
    pub base_url: String,
    pub secret: SecretString,
    /// Default: live unless the base URL is loopback.
    pub live: bool,
    pub read_timeout_ms: i64,
    pub late_success: LateSuccess,
    pub not_found_grace_ms: Option<i64>,
    pub amount_max: Option<i64>,
    /// The merchant's id at the processor, where it has one; default: the channel's name.
    pub merchant: String,
}

/// `[sandbox]`.
#[derive(Debug, Clone, Default)]
pub struct SandboxSettings {
    /// `serve` mounts a sandbox at `/sandbox` (so without a configuration).
    pub mounted: bool,
    /// Accept a sandbox channel beside a live one or on a listener that is not loopback.
    pub allow: bool,
}

#[derive(Debug, Clone)]
pub struct LimitSettings {
    /// Requests a second of one API key; `None` is off.
    pub requests_per_key: Option<u32>,
    /// Requests a second from one address to the callbacks; `None` is off.
    pub callbacks_per_address: Option<u32>,
}

#[derive(Debug, Clone)]
pub struct KeySettings {
    pub name: String,
    pub role: String,
    pub scopes: Vec<String>,
    pub key: SecretString,
}
