//! Moments as people and programs outside write and read them: RFC 3339, UTC, milliseconds.

use crate::domain::UnixMillis;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;

/// `2026-07-26T08:00:00.000Z`. A moment beyond what a calendar holds is the empty text.
#[must_use]
pub(crate) fn rfc3339(moment: UnixMillis) -> String {
    let format =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(moment.0).saturating_mul(1_000_000))
        .ok()
        .and_then(|moment| moment.format(format).ok())
        .unwrap_or_default()
}

/// A moment in RFC 3339 with any offset.
#[must_use]
pub(crate) fn parse(text: &str) -> Option<UnixMillis> {
    let moment = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    let millis = moment.unix_timestamp_nanos().div_euclid(1_000_000);
    i64::try_from(millis).ok().map(UnixMillis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_with_milliseconds_and_read_with_any_offset() {
        assert_eq!(rfc3339(UnixMillis(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            rfc3339(UnixMillis(1_785_052_800_007)),
            "2026-07-26T08:00:00.007Z"
        );
        assert_eq!(
            parse("2026-07-26T16:00:00.007+08:00"),
            Some(UnixMillis(1_785_052_800_007))
        );
        assert_eq!(parse("2026-07-26"), None);
    }
}
