//! Rates: so many in a second, a minute or an hour.

use governor::Quota;
use std::num::NonZeroU32;
use std::time::Duration;

/// What a rate may look like, for messages.
pub const FORM: &str = "\"off\" or a rate such as \"200/s\", \"10/m\" or \"500/h\"";

/// So many in a time, evenly, after a burst of as many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub count: NonZeroU32,
    pub window_s: u32,
}

impl Rate {
    #[must_use]
    pub const fn per_second(count: NonZeroU32) -> Self {
        Self { count, window_s: 1 }
    }

    /// `200/s`, `10/m` or `500/h`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (count, window) = text.split_once('/')?;
        let window_s = match window {
            "s" => 1,
            "m" => 60,
            "h" => 3_600,
            _ => return None,
        };
        let plain = count.bytes().all(|byte| byte.is_ascii_digit());
        let count = plain.then(|| count.parse().ok()).flatten()?;
        Some(Self { count, window_s })
    }

    /// How long one of them takes to come back.
    #[must_use]
    pub fn interval(self) -> Duration {
        let window = Duration::from_secs(u64::from(self.window_s));
        let interval = window.checked_div(self.count.get()).unwrap_or(window);
        // More than a thousand million in a second are as good as no limit.
        interval.max(Duration::from_nanos(1))
    }

    /// The same for the limiter.
    #[must_use]
    pub fn quota(self) -> Quota {
        let quota = Quota::with_period(self.interval());
        quota
            .unwrap_or_else(|| Quota::per_second(self.count))
            .allow_burst(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_and_a_time() {
        let read = |text| Rate::parse(text).map(|rate| (rate.count.get(), rate.interval()));
        assert_eq!(read("200/s"), Some((200, Duration::from_millis(5))));
        assert_eq!(read("10/m"), Some((10, Duration::from_secs(6))));
        assert_eq!(read("1/h"), Some((1, Duration::from_secs(3_600))));
        for wrong in [
            "",
            "200",
            "0/s",
            "-1/s",
            "+1/s",
            "1.5/s",
            "1/d",
            "1/",
            "/s",
            "9999999999/s",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
