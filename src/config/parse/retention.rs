//! `[retention]`.

use crate::config::section::Section;
use crate::config::{RetentionSettings, defaults};

const DAY_MS: i64 = 86_400_000;

pub(super) fn retention(mut section: Section<'_>) -> RetentionSettings {
    let deliveries_ms = days(&mut section, "deliveries");
    let orphans_ms = days(&mut section, "orphans");
    section.not_yet("sessions");
    section.finish();
    RetentionSettings {
        deliveries_ms: deliveries_ms.unwrap_or(defaults::DELIVERIES_KEPT_MS),
        orphans_ms: orphans_ms.unwrap_or(defaults::ORPHANS_KEPT_MS),
    }
}

/// What was told today is looked for today: less than a day is a slip of the pen.
fn days(section: &mut Section<'_>, key: &'static str) -> Option<i64> {
    let kept_ms = section.duration_ms(key, 1);
    if kept_ms.is_some_and(|millis| millis < DAY_MS) {
        section.refuse(key, "allowed is a duration from 1d to 366d");
    }
    kept_ms
}
