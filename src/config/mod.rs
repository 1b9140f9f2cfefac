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
pub mod public_address;
pub mod rate;
pub mod restored;
mod rules;
pub mod secret;
mod section;
mod warnings;

pub use address::is_loopback;
pub use check::{check_against_rows, check_refunds, check_serving};
pub use first_start::FirstStart;
pub use load::{Loaded, Sources};
pub use outline::Outline;
pub use problem::{ConfigError, Problem};
pub use rate::Rate;

pub use crate::mail::AlertSettings;

use crate::domain::Currency;
use crate::domain::schedule::{LateSuccess, OnRefund};
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
    pub fulfilment: FulfilmentSettings,
    pub ledger: LedgerSettings,
    pub retention: RetentionSettings,
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

/// `[channels.NAME]`.
#[derive(Debug, Clone)]
pub struct ChannelSettings {
    /// Without a slash at its end; Alipay's `gateway`.
    pub base_url: String,
    pub kind: ChannelKind,
    /// Default: live unless the base URL is loopback.
    pub live: bool,
    pub read_timeout_ms: i64,
    pub late_success: LateSuccess,
    pub not_found_grace_ms: Option<i64>,
    pub amount_max: Option<i64>,
    /// Calls to the channel; `None` is off.
    pub rate: Option<Rate>,
    /// When the channel counts as down; `None` is off.
    pub circuit: Option<CircuitSettings>,
    /// The merchant's id at the processor, where it has one; default: the channel's name.
    pub merchant: String,
}

/// What a channel of each kind has beside that. Keys and certificates are texts here; whether they are what they are
/// called is known once the channel is opened.
#[derive(Debug, Clone)]
pub enum ChannelKind {
    Http {
        secret: SecretString,
        /// What the processor may still sign with while the secret is being changed.
        previous_secret: Option<SecretString>,
    },
    Alipay(AlipayKeys),
    Wechat(WechatKeys),
    Stripe(StripeKeys),
    Tokenpay(TokenpayKeys),
}

#[derive(Debug, Clone)]
pub struct AlipayKeys {
    pub app_id: String,
    /// The seller that notices are to be about; `None`: it is not compared.
    pub seller_id: Option<String>,
    pub app_private_key: SecretString,
    pub trust: AlipayTrust,
    /// Instead of the method's own.
    pub product_code: Option<String>,
}

/// Whose signature is Alipay's.
#[derive(Debug, Clone)]
pub enum AlipayTrust {
    PublicKey(String),
    Certificates {
        app: String,
        root: String,
        alipay: String,
        /// What Alipay may still sign with while its certificate changes.
        previous: Option<String>,
    },
}

#[derive(Debug, Clone)]
pub struct WechatKeys {
    pub mchid: String,
    pub appid: String,
    pub merchant_private_key: SecretString,
    /// Upper-case hexadecimal.
    pub merchant_serial: String,
    pub apiv3_key: SecretString,
    /// Id and key; `None`: the platform's certificates alone.
    pub public_key: Option<(String, String)>,
    /// PEM. More are fetched when they are needed.
    pub platform_certs: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct StripeKeys {
    pub secret_key: SecretString,
    /// One, or two during a rotation.
    pub webhook_secrets: Vec<SecretString>,
}

#[derive(Debug, Clone)]
pub struct TokenpayKeys {
    pub api_token: SecretString,
    /// What the payer sends, in the gateway's words: `USDT_TRC20` and the like.
    pub token_currency: String,
    /// The gateway's `BaseCurrency`: what orders are in.
    pub base_currency: String,
    pub expired: TokenpayExpired,
}

/// What becomes of an order that the gateway calls expired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenpayExpired {
    Closed,
    Manual,
}

/// `[sandbox]`.
#[derive(Debug, Clone, Default)]
pub struct SandboxSettings {
    /// `serve` mounts a sandbox at `/sandbox` (so without a configuration).
    pub mounted: bool,
    /// Accept a sandbox channel beside a live one or on a listener that is not loopback.
    pub allow: bool,
}

/// `[fulfilment]`.
#[derive(Debug, Clone)]
pub struct FulfilmentSettings {
    /// Where webhooks are sent to; `None`: the ledger alone.
    pub url: Option<String>,
    /// Each webhook is signed with every one of them.
    pub secrets: Vec<SecretString>,
    /// Delays between attempts, of webhooks and of grants.
    pub schedule_ms: Vec<i64>,
    /// Webhooks may go to private and link-local addresses.
    pub allow_private: bool,
}

/// `[ledger]`.
#[derive(Debug, Clone)]
pub struct LedgerSettings {
    /// How far below zero an account may spend, by its name; `*` is every account that is not named.
    pub overdraft: BTreeMap<String, i64>,
    pub on_refund: OnRefund,
    /// How long a subscription lasts for each one granted.
    pub subscription_period_ms: i64,
}

/// `[retention]`: how long is kept what nobody needs any more. Nothing that deduplicates is ever deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionSettings {
    /// Webhooks that were delivered, or whose endpoint has ended, with their attempts.
    pub deliveries_ms: i64,
    /// Notices about orders that nobody knows.
    pub orphans_ms: i64,
}

/// So many calls in a row without an answer hold new submits back for the pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CircuitSettings {
    pub failures: u32,
    pub pause_ms: i64,
}

/// `[limits]`. `None` is off.
#[derive(Debug, Clone)]
pub struct LimitSettings {
    /// Requests of one API key.
    pub requests_per_key: Option<Rate>,
    /// Requests from one address to the callbacks.
    pub callbacks_per_address: Option<Rate>,
    /// Requests from one address without a key that is in force.
    pub unauthenticated_per_address: Option<Rate>,
    /// What the orders of one account on one UTC day, ended ones aside, may add up to, in minor units.
    pub account_daily: BTreeMap<Currency, i64>,
}

#[derive(Debug, Clone)]
pub struct KeySettings {
    pub name: String,
    pub role: String,
    pub scopes: Vec<String>,
    pub key: SecretString,
}
