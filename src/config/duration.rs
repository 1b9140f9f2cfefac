//! Durations as people write them: `"300ms"`, `"3s"`, `"15m"`, `"1h"`, `"2d"`.

/// What a duration may look like, for messages.
pub const FORM: &str = "a duration such as \"300ms\", \"3s\", \"15m\" or \"1h\"";

/// Nothing here waits longer than a year; what is longer is a slip of the pen.
const LONGEST_MS: i64 = 366 * 24 * 3_600_000;

/// Milliseconds of a duration: a whole number and one unit; a bare `0` needs none.
#[must_use]
pub fn parse_ms(text: &str) -> Option<i64> {
    if text == "0" {
        return Some(0);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let unit_ms = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    let millis = number.parse::<i64>().ok()?.checked_mul(unit_ms)?;
    (millis <= LONGEST_MS).then_some(millis)
}

/// The shortest way to write these milliseconds.
#[must_use]
pub fn show(millis: i64) -> String {
    let units = [(3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    units
        .iter()
        .find(|(unit_ms, _)| millis != 0 && millis % unit_ms == 0)
        .map_or_else(
            || format!("{millis}ms"),
            |(unit_ms, unit)| format!("{}{unit}", millis / unit_ms),
        )
}
