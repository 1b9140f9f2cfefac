//! `[checks]`.

use crate::config::CheckSettings;
use crate::config::section::Section;

pub(super) fn checks(mut section: Section<'_>) -> CheckSettings {
    let default = CheckSettings::default();
    let settings = CheckSettings {
        submit_timeout_ms: section
            .duration_ms("submit_timeout", 1)
            .unwrap_or(default.submit_timeout_ms),
        query_timeout_ms: section
            .duration_ms("query_timeout", 1)
            .unwrap_or(default.query_timeout_ms),
        schedule_ms: section.ladder_ms("schedule").unwrap_or(default.schedule_ms),
        pending_schedule_ms: section
            .ladder_ms("pending_schedule")
            .unwrap_or(default.pending_schedule_ms),
        expiry_attempts: count(&mut section, "expiry_attempts", 1_000)
            .unwrap_or(default.expiry_attempts),
        expiry_margin_ms: section
            .duration_ms("expiry_margin", 0)
            .unwrap_or(default.expiry_margin_ms),
        startup_grace_ms: section
            .duration_ms("startup_grace", 0)
            .unwrap_or(default.startup_grace_ms),
        not_found_grace_ms: section
            .duration_ms("not_found_grace", 1)
            .unwrap_or(default.not_found_grace_ms),
        max_submits: count(&mut section, "max_submits", 20).unwrap_or(default.max_submits),
        startup_spread_ms: section
            .duration_ms("startup_spread", 0)
            .unwrap_or(default.startup_spread_ms),
    };
    section.finish();
    settings
}

fn count(section: &mut Section<'_>, key: &'static str, most: i64) -> Option<u32> {
    let number = section.integer(key, 1..=most)?;
    u32::try_from(number).ok()
}
