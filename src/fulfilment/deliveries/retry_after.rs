//! `Retry-After`: seconds, or a date of HTTP.

use crate::domain::UnixMillis;
use std::time::UNIX_EPOCH;

/// Milliseconds from now; `None` for what is neither form. A date that is past is 0.
pub(super) fn millis(text: &str, now: UnixMillis) -> Option<i64> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds: i64 = text.parse().unwrap_or(i64::MAX);
        return Some(seconds.saturating_mul(1_000));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let since_1970 = date.duration_since(UNIX_EPOCH).ok()?.as_millis();
    let at = UnixMillis(i64::try_from(since_1970).unwrap_or(i64::MAX));
    Some(at.since(now).max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_read_and_anything_else_is_not() {
        let now = UnixMillis(1_785_052_800_000);
        assert_eq!(millis("120", now), Some(120_000));
        assert_eq!(millis(" 0 ", now), Some(0));
        assert_eq!(millis("99999999999999999999", now), Some(i64::MAX));
        assert_eq!(millis("Sun, 26 Jul 2026 08:01:30 GMT", now), Some(90_000));
        assert_eq!(millis("Sunday, 26-Jul-26 08:01:30 GMT", now), Some(90_000));
        assert_eq!(millis("Sun, 26 Jul 2020 08:01:30 GMT", now), Some(0));
        for neither in ["", "-5", "1.5", "soon", "2026-07-26T08:01:30Z"] {
            assert_eq!(millis(neither, now), None, "{neither}");
        }
    }
}
