//! Mails over SMTP: TLS from the first byte (`smtps://`), STARTTLS (`smtp://…?tls=required`), or in the clear.

use lettre::transport::smtp::{Error, PoolConfig};
use lettre::{AsyncSmtpTransport, Tokio1Executor};
use std::time::Duration;

/// Mail servers close idle connections after a minute or more: ours are closed before, and one that is taken from
/// the pool is asked first whether it still lives.
const IDLE_TIMEOUT: Duration = Duration::from_secs(50);

/// Whether this URL can be used; the error never quotes it, since it may hold a password.
pub fn check(url: &str) -> Result<(), String> {
    let allowed = "allowed is smtps://user:password@host, or smtp://… with ?tls=required, ?tls=opportunistic or without";
    let parsed = reqwest::Url::parse(url).ok();
    let whole = parsed.is_some_and(|url| {
        let known = matches!(url.scheme(), "smtp" | "smtps") && url.has_host();
        // A user without a password would be ignored silently.
        known && url.username().is_empty() == url.password().is_none()
    });
    if whole && AsyncSmtpTransport::<Tokio1Executor>::from_url(url).is_ok() {
        Ok(())
    } else {
        Err(allowed.to_owned())
    }
}

/// A transport with a pool; it connects when it sends.
pub(super) fn connect(
    url: &str,
    timeout: Duration,
) -> Result<AsyncSmtpTransport<Tokio1Executor>, Error> {
    let pool = PoolConfig::new().max_size(2).idle_timeout(IDLE_TIMEOUT);
    Ok(AsyncSmtpTransport::<Tokio1Executor>::from_url(url)?
        .timeout(Some(timeout))
        .pool_config(pool)
        .build())
}
