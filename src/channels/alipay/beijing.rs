//! Alipay's times: Beijing time, written without an offset.

use crate::channels::beijing;
pub(super) use crate::channels::beijing::day_of as date;
use crate::domain::UnixMillis;
use time::Date;
use time::macros::format_description;

/// `2026-11-30 18:00:00`. A moment beyond what a calendar holds is the empty text.
pub(super) fn write(moment: UnixMillis) -> String {
    let format = format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    beijing::there(moment)
        .and_then(|moment| moment.format(format).ok())
        .unwrap_or_default()
}

/// The moment in `2026-11-30 18:00:00`; the milliseconds that some times have are left alone.
pub(super) fn read(text: &str) -> Option<UnixMillis> {
    beijing::parse(text.split_once('.').map_or(text, |(whole, _)| whole))
}

/// `2026-11-30`, as bills are asked for.
pub(super) fn write_date(date: Date) -> String {
    beijing::date(date).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_beijing_and_keep_no_milliseconds() {
        let moment = UnixMillis(1_796_032_812_345);
        assert_eq!(write(moment), "2026-11-30 18:00:12");
        let read_back = UnixMillis(1_796_032_812_000);
        assert_eq!(read("2026-11-30 18:00:12"), Some(read_back));
        assert_eq!(read("2026-11-30 18:00:12.345"), Some(read_back));
        assert_eq!(read("2026-11-30"), None);
    }

    #[test]
    fn a_day_begins_at_midnight_in_beijing() {
        let last_second = UnixMillis(1_796_054_399_000);
        let day = |moment| date(moment).map(write_date).unwrap();
        assert_eq!(day(last_second), "2026-11-30");
        assert_eq!(day(last_second.plus(1_000)), "2026-12-01");
    }
}
