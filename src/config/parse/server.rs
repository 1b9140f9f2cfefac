//! `[server]` and `[database]`.

use crate::config::section::Section;
use crate::config::{OnDeadline, ServerSettings, address, defaults};
use crate::store::DatabaseSettings;
use secrecy::ExposeSecret;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

const LISTEN: &str = "an address and a port such as \"127.0.0.1:8080\"";

/// The server's settings and the folder of data.
pub(super) fn server(mut section: Section<'_>) -> (ServerSettings, PathBuf) {
    let default = ServerSettings::default();
    let listen = section
        .parsed("listen", LISTEN, |text| text.parse().ok())
        .unwrap_or(default.listen);
    let settings = ServerSettings {
        listen,
        admin_listen: section.parsed("admin_listen", LISTEN, |text| text.parse().ok()),
        public_url: public_url(&mut section, listen),
        ui_deadline_ms: section
            .duration_ms("ui_deadline", 1)
            .unwrap_or(default.ui_deadline_ms),
        on_deadline: section
            .parsed(
                "on_deadline",
                "\"accepted\" or \"gateway-timeout\"",
                on_deadline,
            )
            .unwrap_or(default.on_deadline),
        trusted_proxies: trusted_proxies(&mut section),
        return_hosts: return_hosts(&mut section),
        body_limit: size(section.integer("body_limit", 1_024..=16_777_216))
            .unwrap_or(default.body_limit),
        in_flight_max: size(section.integer("in_flight_max", 1..=1_000_000))
            .unwrap_or(default.in_flight_max),
    };
    if settings.admin_listen == Some(settings.listen) {
        section.refuse("admin_listen", "must differ from server.listen");
    }
    let data_dir = section
        .text("data_dir")
        .map_or_else(|| PathBuf::from(defaults::DATA_DIR), PathBuf::from);
    section.finish();
    (settings, data_dir)
}

fn size(number: Option<i64>) -> Option<usize> {
    number.and_then(|number| usize::try_from(number).ok())
}

/// Without a slash at its end, so that paths can be appended.
fn public_url(section: &mut Section<'_>, listen: SocketAddr) -> String {
    let allowed = "an http or https address without user, query and fragment";
    section
        .parsed("public_url", allowed, |text| {
            address::web(text).map(|url| url.as_str().trim_end_matches('/').to_owned())
        })
        .unwrap_or_else(|| format!("http://{listen}"))
}

fn on_deadline(text: &str) -> Option<OnDeadline> {
    match text {
        "accepted" => Some(OnDeadline::Accepted),
        "gateway-timeout" => Some(OnDeadline::GatewayTimeout),
        _ => None,
    }
}

fn trusted_proxies(section: &mut Section<'_>) -> Vec<IpAddr> {
    let texts = section.texts("trusted_proxies").unwrap_or_default();
    let parsed = texts.iter().filter_map(|text| {
        let proxy = text.parse().ok();
        if proxy.is_none() {
            section.refuse("trusted_proxies", format!("`{text}` is no IP address"));
        }
        proxy
    });
    parsed.collect()
}

fn return_hosts(section: &mut Section<'_>) -> Vec<String> {
    let hosts = section.texts("return_hosts").unwrap_or_default();
    for host in &hosts {
        let is_host = !host.is_empty()
            && host
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
        if !is_host {
            let message =
                format!("`{host}` is refused; allowed are host names without port or path");
            section.refuse("return_hosts", message);
        }
    }
    hosts
        .into_iter()
        .map(|host| host.to_ascii_lowercase())
        .collect()
}

/// The URL may hold a password, so it is never quoted.
pub(super) fn database(mut section: Section<'_>) -> DatabaseSettings {
    let url = section
        .secret("url")
        .map(|url| url.expose_secret().to_owned());
    let known = ["sqlite://", "sqlite:", "postgres://", "postgresql://"];
    if url
        .as_ref()
        .is_some_and(|url| !known.iter().any(|scheme| url.starts_with(scheme)))
    {
        section.refuse("url", "allowed is sqlite://PATH or postgres://…");
    } else if let Some(Err(error)) = url.as_deref().map(DatabaseSettings::check) {
        section.refuse("url", error.to_string());
    }
    let readers = section
        .integer("readers", 1..=64)
        .and_then(|readers| u32::try_from(readers).ok());
    section.finish();
    DatabaseSettings {
        url: url.unwrap_or_else(|| defaults::DATABASE_URL.to_owned()),
        readers: readers.unwrap_or(defaults::READERS),
    }
}
