//! WeChat Pay's times: Beijing time, with its offset in calls and without it in bills.

use crate::channels::beijing::there;
pub(super) use crate::channels::beijing::{date, day_of, parse};
use crate::domain::UnixMillis;
use time::Date;
use time::macros::{format_description, time};

/// `2026-11-30T18:00:12+08:00`, as `time_expire` wants it. `None` beyond what a calendar holds.
pub(super) fn rfc3339(moment: UnixMillis) -> Option<String> {
    let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]+08:00");
    there(moment)?.format(format).ok()
}

/// Whether it is 10:00 of the day after this one, or later: until then its bill may still be made.
pub(super) fn bill_is_made(day: Date, now: UnixMillis) -> bool {
    let Some((now, next)) = there(now).zip(day.next_day()) else {
        return false;
    };
    (now.date(), now.time()) >= (next, time!(10:00))
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

    #[test]
    fn a_bill_is_made_at_ten_of_the_next_day() {
        let day = day_of(UnixMillis(1_796_032_812_000)).unwrap();
        for (now, made) in [
            ("2026-11-30 23:59:59", false),
            ("2026-12-01 00:30:00", false),
            ("2026-12-01 09:59:59", false),
            ("2026-12-01 10:00:00", true),
            ("2026-12-02 00:30:00", true),
        ] {
            assert_eq!(bill_is_made(day, parse(now).unwrap()), made, "{now}");
        }
    }
}
