//! Addresses of mails.

use lettre::message::Mailbox;

/// `ops@example.com` or `Ops <ops@example.com>`.
#[must_use]
pub fn parse(text: &str) -> Option<Mailbox> {
    text.parse().ok()
}
