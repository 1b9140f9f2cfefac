//! The plain text of a mail.

use super::render::{Digest, Entry};
use crate::domain::UnixMillis;
use std::fmt::Write;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

pub(super) fn body(digest: &Digest) -> String {
    let mut body = format!("{}\n", digest.headline);
    for entry in &digest.entries {
        body.push_str(&paragraph(entry));
    }
    if digest.more > 0 {
        body.push_str(&format!(
            "\n… and {} more: {}\n",
            digest.more, digest.all_alerts
        ));
    }
    body.push_str("\n-- \nEach alert is mailed once. All that are open: ");
    body.push_str(&digest.all_alerts);
    body.push('\n');
    body
}

fn paragraph(entry: &Entry) -> String {
    let mut text = format!("\n{}\n  {}\n", entry.title, entry.message);
    for (name, value) in &entry.lines {
        text.push_str(&format!("  {name}: {value}\n"));
    }
    text.push_str(&format!("  What to do: {}\n  {}\n", entry.next, entry.link));
    text
}

/// RFC 3339 in UTC with milliseconds.
pub(super) fn moment(at: UnixMillis) -> String {
    let nanos = i128::from(at.0).saturating_mul(1_000_000);
    let formatted = OffsetDateTime::from_unix_timestamp_nanos(nanos)
        .ok()
        .and_then(|moment| moment.format(&Rfc3339).ok());
    formatted.unwrap_or_else(|| {
        let mut text = String::new();
        // Writing to a string cannot fail.
        write!(text, "{} ms after 1970", at.0).unwrap_or_default();
        text
    })
}
