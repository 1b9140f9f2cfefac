//! `Prefer` (RFC 7240): how long a caller wants to wait. A malformed preference is ignored.

use super::state::Shared;
use crate::actors::Wait;
use actix_web::HttpRequest;
use actix_web::http::header::HeaderMap;
use std::time::Duration;

/// The preferences that we know. Of each, the first one in the request counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Preferences {
    pub(crate) respond_async: bool,
    /// Seconds.
    pub(crate) wait_s: Option<u64>,
}

impl Preferences {
    #[must_use]
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let values = headers.get_all("prefer");
        let texts = values.filter_map(|value| value.to_str().ok());
        Self::parse(texts)
    }

    fn parse<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        let mut found = Self::default();
        for preference in values.flat_map(|value| value.split(',')) {
            // Parameters after `;` belong to the preference and change none of ours.
            let preference = preference.split(';').next().unwrap_or_default();
            let (name, value) = match preference.split_once('=') {
                Some((name, value)) => (name.trim(), Some(value.trim())),
                None => (preference.trim(), None),
            };
            if name.eq_ignore_ascii_case("respond-async") && value.is_none() {
                found.respond_async = true;
            } else if name.eq_ignore_ascii_case("wait") && found.wait_s.is_none() {
                found.wait_s = value.and_then(whole_seconds);
            }
        }
        found
    }

    /// The wait that was asked for, capped.
    #[must_use]
    pub(crate) fn wait_up_to(&self, cap: Duration) -> Option<Duration> {
        self.wait_s
            .map(|seconds| Duration::from_secs(seconds).min(cap))
    }
}

/// How long the request waits, and the preference that this honours.
pub(crate) fn waiting(request: &HttpRequest, shared: &Shared) -> (Wait, Option<String>) {
    let preferences = Preferences::of(request.headers());
    let deadline = shared.ui_deadline();
    if preferences.respond_async {
        return (Wait::No, Some("respond-async".to_owned()));
    }
    match preferences.wait_up_to(deadline) {
        Some(wait) => (Wait::UpTo(wait), Some(format!("wait={}", wait.as_secs()))),
        None => (Wait::UpTo(deadline), None),
    }
}

/// `10` or `"10"`; more digits than a number holds are as good as for ever.
fn whole_seconds(text: &str) -> Option<u64> {
    let text = text
        .strip_prefix('"')
        .and_then(|inner| inner.strip_suffix('"'))
        .unwrap_or(text);
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(values: &[&str]) -> (bool, Option<u64>) {
        let found = Preferences::parse(values.iter().copied());
        (found.respond_async, found.wait_s)
    }

    #[test]
    fn preferences_are_read_and_malformed_ones_ignored() {
        assert_eq!(parsed(&["wait=5"]), (false, Some(5)));
        assert_eq!(parsed(&["Wait = \"5\""]), (false, Some(5)));
        assert_eq!(parsed(&["respond-async, wait=10"]), (true, Some(10)));
        assert_eq!(
            parsed(&["handling=lenient", "respond-async; x=1"]),
            (true, None)
        );
        assert_eq!(parsed(&["wait=1, wait=9"]), (false, Some(1)));
        for malformed in [
            "wait",
            "wait=",
            "wait=-1",
            "wait=1.5",
            "wait=abc",
            "respond-async=no",
            ",;=",
        ] {
            assert_eq!(parsed(&[malformed]), (false, None), "{malformed}");
        }
        assert_eq!(
            parsed(&["wait=99999999999999999999"]),
            (false, Some(u64::MAX))
        );
    }

    #[test]
    fn a_wait_is_capped_by_the_deadline() {
        let cap = Duration::from_secs(60);
        let of = |wait_s| {
            Preferences {
                respond_async: false,
                wait_s,
            }
            .wait_up_to(cap)
        };
        assert_eq!(of(None), None);
        assert_eq!(of(Some(3)), Some(Duration::from_secs(3)));
        assert_eq!(of(Some(600)), Some(cap));
    }
}
