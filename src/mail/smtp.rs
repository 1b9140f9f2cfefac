//! Mails over SMTP: TLS from the first byte (`smtps://`), STARTTLS (`smtp://…?tls=required`), or in the clear.

use lettre::{AsyncSmtpTransport, Tokio1Executor};

/// Whether lettre understands this URL; the error never quotes it, since it may hold a password.
pub fn check(url: &str) -> Result<(), String> {
    let allowed = "allowed is smtps://user:password@host or smtp://…, with ?tls=required, opportunistic or none";
    let known = url.starts_with("smtp://") || url.starts_with("smtps://");
    let built = AsyncSmtpTransport::<Tokio1Executor>::from_url(url);
    if known && built.is_ok() {
        Ok(())
    } else {
        Err(allowed.to_owned())
    }
}
