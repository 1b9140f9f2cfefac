//! What holds where the configuration is silent, and why.

use super::{
    AlertSettings, CheckSettings, CircuitSettings, LimitSettings, OnDeadline, Rate, ServerSettings,
};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;

/// The channel acknowledges within five seconds or sends again; one second is left for the way.
pub const CALLBACKS_DEADLINE_MS: i64 = 4_000;
/// Twice the user's deadline: a late reply is the cheapest truth there is.
pub const READ_TIMEOUT_MS: i64 = 120_000;
/// The embedded database.
pub const DATABASE_URL: &str = "sqlite://data/oncepay.db";
/// Reads are short; more connections than this wait for cores, not for the database.
pub const READERS: u32 = 8;
/// As Standard Webhooks recommends; after the last of them hourly, until a day has passed.
pub const FULFILMENT_SCHEDULE_MS: [i64; 5] = [5_000, 60_000, 300_000, 900_000, 3_600_000];
/// What one granted `subscription` lasts.
pub const SUBSCRIPTION_PERIOD_MS: i64 = 30 * 86_400_000;
/// A receiver that asks for a webhook of a quarter ago asks for it again, or by the order.
pub const DELIVERIES_KEPT_MS: i64 = 90 * 86_400_000;
/// No channel repeats a notice for so long, and by then somebody has looked into it.
pub const ORPHANS_KEPT_MS: i64 = 30 * 86_400_000;
/// Where everything that is not the database is kept.
pub const DATA_DIR: &str = "data";

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080),
            admin_listen: None,
            public_url: "http://127.0.0.1:8080".to_owned(),
            ui_deadline_ms: 60_000,
            on_deadline: OnDeadline::Accepted,
            trusted_proxies: Vec::new(),
            return_hosts: Vec::new(),
            // An order with twenty entitlements and all its metadata is under 16 KiB.
            body_limit: 64 * 1024,
            in_flight_max: 10_000,
        }
    }
}

impl Default for CheckSettings {
    fn default() -> Self {
        Self {
            submit_timeout_ms: 3_000,
            query_timeout_ms: 3_000,
            schedule_ms: vec![60_000, 300_000, 900_000],
            pending_schedule_ms: vec![30_000, 120_000, 600_000, 1_800_000, 3_600_000],
            expiry_attempts: 24,
            expiry_margin_ms: 600_000,
            startup_grace_ms: 120_000,
            not_found_grace_ms: 120_000,
            max_submits: 3,
            startup_spread_ms: 10_000,
        }
    }
}

impl Default for AlertSettings {
    fn default() -> Self {
        Self {
            from: "oncepay@localhost.localdomain".to_owned(),
            to: vec!["ops@localhost.localdomain".to_owned()],
            smtp_url: None,
            digest_window_ms: 30_000,
            // Before people begin to work in Europe, and while they do in Asia.
            daily_at_ms: 8 * 3_600_000,
        }
    }
}

impl Default for CircuitSettings {
    fn default() -> Self {
        Self {
            // A channel that is up answers one of ten calls in a row, whatever one of its machines does.
            failures: 10,
            // A processor that is started again takes about so long.
            pause_ms: 30_000,
        }
    }
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            requests_per_key: None,
            callbacks_per_address: NonZeroU32::new(200).map(Rate::per_second),
            // Far more than any client that has lost its key, and nothing for a flood.
            unauthenticated_per_address: NonZeroU32::new(100).map(Rate::per_second),
            account_daily: BTreeMap::new(),
        }
    }
}
