//! Moments as WeChat Pay writes them: Beijing time, whatever the zone of this machine.

use crate::domain::UnixMillis;
use time::macros::{format_description, offset};
use time::{Date, OffsetDateTime, PrimitiveDateTime, UtcOffset};

const BEIJING: UtcOffset = offset!(+8);

/// `2026-11-30T18:00:12+08:00`, as `time_expire` wants it. `None` beyond what a calendar holds.
pub(super) fn rfc3339(moment: UnixMillis) -> Option<String> {
    let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]+08:00");
    at(moment)?.format(format).ok()
}

/// The day that it is in Beijing.
pub(super) fn day_of(moment: UnixMillis) -> Option<Date> {
    at(moment).map(OffsetDateTime::date)
}

/// `2026-11-29`, as bills are asked for.
pub(super) fn date(day: Date) -> Option<String> {
    day.format(format_description!("[year]-[month]-[day]")).ok()
}

/// `2026-11-29 09:00:30`, as bills have it.
pub(super) fn parse(text: &str) -> Option<UnixMillis> {
    let format = format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    let moment = PrimitiveDateTime::parse(text, format).ok()?;
    let seconds = moment.assume_offset(BEIJING).unix_timestamp();
    seconds.checked_mul(1000).map(UnixMillis)
}

fn at(moment: UnixMillis) -> Option<OffsetDateTime> {
    let seconds = moment.0.div_euclid(1000);
    let utc = OffsetDateTime::from_unix_timestamp(seconds).ok()?;
    utc.checked_to_offset(BEIJING)
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
