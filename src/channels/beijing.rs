//! Moments as Chinese channels write them: Beijing time, whatever the zone of this machine.

use crate::domain::UnixMillis;
use time::macros::{format_description, offset};
use time::{Date, OffsetDateTime, PrimitiveDateTime, UtcOffset};

/// China has had this one offset, without summer time, since 1991.
const BEIJING: UtcOffset = offset!(+8);

/// The moment on a clock in Beijing. `None` beyond what a calendar holds.
pub(super) fn there(moment: UnixMillis) -> Option<OffsetDateTime> {
    let seconds = moment.0.div_euclid(1_000);
    let moment = OffsetDateTime::from_unix_timestamp(seconds).ok()?;
    moment.checked_to_offset(BEIJING)
}

/// The day that it is in Beijing.
pub(super) fn day_of(moment: UnixMillis) -> Option<Date> {
    there(moment).map(OffsetDateTime::date)
}

/// `2026-11-30`, as bills are asked for.
pub(super) fn date(day: Date) -> Option<String> {
    day.format(format_description!("[year]-[month]-[day]")).ok()
}

/// The moment in `2026-11-30 18:00:00`.
pub(super) fn parse(text: &str) -> Option<UnixMillis> {
    let format = format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    let moment = PrimitiveDateTime::parse(text, format).ok()?;
    let seconds = moment.assume_offset(BEIJING).unix_timestamp();
    seconds.checked_mul(1_000).map(UnixMillis)
}
