//! Alipay's times: Beijing time, written without an offset, whatever the zone of the server that reads them.

use crate::domain::UnixMillis;
use time::macros::{format_description, offset};
use time::{Date, OffsetDateTime, PrimitiveDateTime, UtcOffset};

/// China has had this one offset, without summer time, since 1991.
const BEIJING: UtcOffset = offset!(+8);

/// `2026-11-30 18:00:00`. A moment beyond what a calendar holds is the empty text.
pub(super) fn write(moment: UnixMillis) -> String {
    let format = format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    there(moment)
        .and_then(|moment| moment.format(format).ok())
        .unwrap_or_default()
}

/// The moment in `2026-11-30 18:00:00`; the milliseconds that some times have are left alone.
pub(super) fn read(text: &str) -> Option<UnixMillis> {
    let format = format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let moment = PrimitiveDateTime::parse(whole, format)
        .ok()?
        .assume_offset(BEIJING);
    Some(UnixMillis(moment.unix_timestamp().checked_mul(1_000)?))
}

/// The day that it is in Beijing.
pub(super) fn date(moment: UnixMillis) -> Option<Date> {
    there(moment).map(OffsetDateTime::date)
}

/// `2026-11-30`, as bills are asked for.
pub(super) fn write_date(date: Date) -> String {
    let format = format_description!("[year]-[month]-[day]");
    date.format(format).unwrap_or_default()
}

fn there(moment: UnixMillis) -> Option<OffsetDateTime> {
    let seconds = moment.0.div_euclid(1_000);
    let moment = OffsetDateTime::from_unix_timestamp(seconds).ok()?;
    moment.checked_to_offset(BEIJING)
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
