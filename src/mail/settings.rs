//! Who is mailed about alerts, and how.

use secrecy::SecretString;

/// `[alerts]`.
#[derive(Debug, Clone)]
pub struct AlertSettings {
    pub from: String,
    pub to: Vec<String>,
    /// Absent: `.eml` files in `data/mail`.
    pub smtp_url: Option<SecretString>,
    /// Alerts of so many milliseconds go into one mail.
    pub digest_window_ms: i64,
    /// When the mail of a day is sent, in milliseconds after midnight, UTC.
    pub daily_at_ms: i64,
}
