//! A text letter by letter as its reader means it: `%20` and `\n` are blanks, a full-width digit is a digit.

use std::ops::Range;

/// One letter, and the bytes that stand for it.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    pub(super) range: Range<usize>,
    pub(super) letter: char,
}

pub(super) fn units(text: &str) -> Vec<Unit> {
    let mut units = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (letter, length) = encoded(rest).unwrap_or_else(|| plain(rest));
        let end = at.saturating_add(length);
        units.push(Unit {
            range: at..end,
            letter,
        });
        at = end;
    }
    units
}

/// A letter of a query string or of a quoted text.
fn encoded(rest: &str) -> Option<(char, usize)> {
    let mut letters = rest.chars();
    match letters.next()? {
        '%' => {
            let code = rest.get(1..3)?;
            let byte = u8::from_str_radix(code, 16).ok()?;
            byte.is_ascii().then(|| (meant(char::from(byte)), 3))
        }
        '\\' => match letters.next()? {
            'n' | 'r' | 't' | '0' => Some((' ', 2)),
            _ => None,
        },
        _ => None,
    }
}

fn plain(rest: &str) -> (char, usize) {
    let letter = rest.chars().next().unwrap_or(' ');
    (meant(letter), letter.len_utf8())
}

/// The ASCII letter that looks the same.
fn meant(letter: char) -> char {
    match letter {
        '\u{ff10}'..='\u{ff19}' => {
            char::from_digit(u32::from(letter).saturating_sub(u32::from('\u{ff10}')), 10)
                .unwrap_or(letter)
        }
        '\u{ff0b}' => '+',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{3000}' | '\n' | '\r' | '\t' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{ff0d}' => '-',
        letter => letter,
    }
}
