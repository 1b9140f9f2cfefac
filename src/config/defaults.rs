//! What holds where the configuration is silent, and why.

use super::{AlertSettings, CheckSettings, LimitSettings, OnDeadline, ServerSettings};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The channel acknowledges within five seconds or sends again; one second is left for the way.
pub const CALLBACKS_DEADLINE_MS: i64 = 4_000;
/// Twice the user's deadline: a late reply is the cheapest truth there is.
pub const READ_TIMEOUT_MS: i64 = 120_000;
/// The embedded database.
pub const DATABASE_URL: &str = "sqlite://data/oncepay.db";
/// Reads are short; more connections than this wait for cores, not for the database.
pub const READERS: u32 = 8;
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
        }
    }
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            requests_per_key: None,
            callbacks_per_address: Some(200),
        }
    }
}
