//! Addresses and names as the configuration takes them.

use reqwest::Url;

/// A web address without user, query and fragment.
#[must_use]
pub fn web(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    plain.then_some(url)
}

/// Whether this address names this machine.
#[must_use]
pub fn is_loopback(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else {
        return false;
    };
    match url.host_str() {
        None => false,
        Some(name) if name == "localhost" || name.ends_with(".localhost") => true,
        Some(name) => name
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.to_canonical().is_loopback()),
    }
}

/// The address of the host, where it is none by name.
#[must_use]
pub fn literal(text: &str) -> Option<std::net::IpAddr> {
    let url = Url::parse(text).ok()?;
    url.host_str()?.trim_matches(['[', ']']).parse().ok()
}

/// Names of channels: 1–64 of `A-Z a-z 0-9 _ -`.
#[must_use]
pub fn is_name(text: &str) -> bool {
    crate::domain::OrderNo::is_valid(text)
}

/// Names of keys and of accounts: 1–64 of `A-Z a-z 0-9 _ - . @`. They stand in addresses, where `.` and `..` are no
/// names but steps.
#[must_use]
pub fn is_key_name(text: &str) -> bool {
    !matches!(text, "." | "..")
        && (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@'))
}
