//! Pages of lists: a cursor is the id of the last row that was seen; and the bounds of a page.

use super::language::Text;

pub(crate) const LIMIT_DEFAULT: u64 = 50;
pub(crate) const LIMIT_MAX: u64 = 200;

/// The id that a cursor stands for, if it is one for ids with this prefix.
pub(crate) fn read(cursor: &str, prefix: &str) -> Option<String> {
    is_id(cursor, prefix).then(|| cursor.to_owned())
}

/// Whether this is a prefix, `_`, and a UUID in simple form.
pub(crate) fn is_id(id: &str, prefix: &str) -> bool {
    id.strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix('_'))
        .is_some_and(|hex| {
            hex.len() == 32
                && hex
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        })
}

/// The cursor of a row that is found by a number: in the form of an id, as those of the other lists.
pub(crate) fn of_number(number: i64, prefix: &str) -> String {
    format!("{prefix}_{number:032x}")
}

/// The number that such a cursor stands for.
pub(crate) fn number(cursor: &str, prefix: &str) -> Option<i64> {
    let id = read(cursor, prefix)?;
    let (_, hex) = id.split_once('_')?;
    i64::from_str_radix(hex, 16).ok()
}

/// The limit of a page.
pub(crate) fn limit(text: &str) -> Result<u64, Text> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let limit = text.parse().ok().filter(|_| digits);
    limit
        .filter(|limit| (1..=LIMIT_MAX).contains(limit))
        .ok_or(Text::new(
            "must be a whole number from 1 to 200",
            "必须是 1 到 200 之间的整数",
        ))
}

/// Cuts a page that was read one row too long, and says what follows it.
pub(crate) fn cut<T>(rows: &mut Vec<T>, limit: u64, id: impl Fn(&T) -> String) -> Option<String> {
    let limit = usize::try_from(limit).ok()?;
    if rows.len() <= limit {
        return None;
    }
    rows.truncate(limit);
    rows.last().map(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_and_a_made_up_one_does_not() {
        let id = format!("ord_{}", "0123456789abcdef".repeat(2));
        assert_eq!(read(&id, "ord"), Some(id.clone()));
        assert_eq!(read(&id, "alr"), None);
        for made_up in ["", "x", "ord_1", "////", "ord_'; --", &id.to_uppercase()] {
            assert_eq!(read(made_up, "ord"), None, "{made_up}");
        }
    }

    #[test]
    fn a_number_has_a_cursor_too() {
        let cursor = of_number(500, "ent");
        assert_eq!(cursor.len(), 36);
        assert_eq!(number(&cursor, "ent"), Some(500));
        assert_eq!(number(&cursor, "ord"), None);
        assert_eq!(number(&format!("ent_{}", "f".repeat(32)), "ent"), None);
    }

    #[test]
    fn a_page_has_1_to_200_rows() {
        assert_eq!(limit("200"), Ok(200));
        for refused in [
            "0",
            "201",
            "-1",
            "+5",
            "1.0",
            "",
            "ten",
            "99999999999999999999",
        ] {
            assert!(limit(refused).is_err(), "{refused}");
        }
        let mut rows = vec!["a", "b", "c"];
        assert_eq!(
            cut(&mut rows, 2, |row| (*row).to_owned()),
            Some("b".to_owned())
        );
        assert_eq!(rows, ["a", "b"]);
        assert_eq!(cut(&mut rows, 2, |row| (*row).to_owned()), None);
    }
}
