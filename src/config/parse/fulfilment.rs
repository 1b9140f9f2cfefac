//! `[fulfilment]`.

use crate::config::secret::{SIGNING_BYTES_MIN, is_signing_key};
use crate::config::section::Section;
use crate::config::{FulfilmentSettings, address, defaults};

pub(super) fn fulfilment(mut section: Section<'_>) -> FulfilmentSettings {
    let url = url(&mut section);
    let secrets = section.secrets("secrets").unwrap_or_default();
    if url.is_some() && secrets.is_empty() && !section.was_refused("secrets") {
        section.refuse(
            "secrets",
            "is missing; webhooks are signed with whsec_ and a key of at least 24 bytes in base64",
        );
    }
    if !secrets.iter().all(is_signing_key) {
        let message = format!(
            "allowed is, for each, whsec_ and at least {SIGNING_BYTES_MIN} bytes in base64"
        );
        section.refuse("secrets", message);
    }
    let schedule_ms = section.ladder_ms("schedule");
    let allow_private = section.flag("allow_private").unwrap_or_default();
    section.finish();
    FulfilmentSettings {
        url,
        secrets,
        schedule_ms: schedule_ms.unwrap_or_else(|| defaults::FULFILMENT_SCHEDULE_MS.to_vec()),
        allow_private,
    }
}

/// In the clear only to this machine.
fn url(section: &mut Section<'_>) -> Option<String> {
    let text = section.text("url")?;
    let allowed = "an https address (http if it is loopback) without user and fragment";
    let url =
        address::web(&text).filter(|_| text.starts_with("https://") || address::is_loopback(&text));
    if url.is_none() {
        section.refuse("url", format!("is refused; allowed is {allowed}"));
    }
    url.map(|_| text)
}
