//! WeChat Pay's times: Beijing time, with its offset in calls and without it in bills.

pub(super) use crate::channels::beijing::{date, day_of, parse};
use crate::domain::UnixMillis;
use time::macros::format_description;

/// `2026-11-30T18:00:12+08:00`, as `time_expire` wants it. `None` beyond what a calendar holds.
pub(super) fn rfc3339(moment: UnixMillis) -> Option<String> {
    let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]+08:00");
    crate::channels::beijing::there(moment)?.format(format).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_beijing_time() {
        let moment = UnixMillis(1_796_032_812_345);
        assert_eq!(rfc3339(moment).unwrap(), "2026-11-30T18:00:12+08:00");
        assert_eq!(
            parse("2026-11-30 18:00:12"),
            Some(UnixMillis(1_796_032_812_000))
        );
        assert_eq!(parse("2026-11-30T18:00:12"), None);
        let late = UnixMillis(1_796_032_812_000 + 6 * 3_600_000);
        assert_eq!(date(day_of(late).unwrap()).unwrap(), "2026-12-01");
    }
}
