//! What texts in requests must look like. Each rule says what is wrong, or nothing.

use super::language::Text;
use crate::domain::OrderNo;

/// The largest whole number that every reader of JSON keeps exactly.
pub(crate) const AMOUNT_MAX: i64 = 9_007_199_254_740_991;

/// A subject, a basis, a payer, a value of metadata: `low` to `high` characters, none of them a control character.
pub(crate) fn plain(low: usize, high: usize) -> impl Fn(&str) -> Option<Text> {
    move |text| {
        if !(low..=high).contains(&text.chars().count()) {
            return Some(Text::owned(
                format!("must have {low} to {high} characters"),
                format!("长度必须为 {low} 到 {high} 个字符"),
            ));
        }
        text.chars()
            .any(char::is_control)
            .then(|| Text::new("must not hold control characters", "不得包含控制字符"))
    }
}

/// A merchant-given name.
pub(crate) fn name(text: &str) -> Option<Text> {
    let valid = (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@'));
    (!valid).then(|| {
        Text::new(
            "must have 1 to 64 of A-Z a-z 0-9 _ - . @",
            "必须由 1 到 64 个 A-Z a-z 0-9 _ - . @ 字符组成",
        )
    })
}

/// A merchant-given name that stands in addresses: there `.` and `..` are no names but steps.
pub(crate) fn path_name(text: &str) -> Option<Text> {
    let step = matches!(text, "." | "..");
    step.then(|| Text::new("must not be . or ..", "不得为 . 或 .."))
        .or_else(|| name(text))
}

/// A basis says something: blanks are none.
pub(crate) fn basis(text: &str) -> Option<Text> {
    plain(1, 500)(text.trim())
}

/// An order number.
pub(crate) fn order_no(text: &str) -> Option<Text> {
    (!OrderNo::is_valid(text)).then(|| {
        Text::new(
            "must have 1 to 64 of A-Z a-z 0-9 _ -",
            "必须由 1 到 64 个 A-Z a-z 0-9 _ - 字符组成",
        )
    })
}

/// A payment method: a channel's word.
pub(crate) fn word(text: &str) -> Option<Text> {
    let valid = (1..=32).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    (!valid).then(|| {
        Text::new(
            "must have 1 to 32 of A-Z a-z 0-9 _ -",
            "必须由 1 到 32 个 A-Z a-z 0-9 _ - 字符组成",
        )
    })
}

/// Whether this is a currency that money can be counted in: gold, tests and "no currency" have codes, but no units.
pub(crate) fn is_money(code: &str) -> bool {
    iso_currency::Currency::from_code(code).is_some_and(|found| found.exponent().is_some())
}

/// A currency of ISO 4217.
pub(crate) fn currency(text: &str) -> Option<Text> {
    (!is_money(text)).then(|| {
        Text::new(
            "must be a currency code of ISO 4217, such as CNY",
            "必须是 ISO 4217 货币代码，例如 CNY",
        )
    })
}

/// One of these words.
pub(crate) fn one_of(words: &[&str]) -> Text {
    let words = words.join(", ");
    Text::owned(
        format!("must be one of {words}"),
        format!("必须是以下之一：{words}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_lengths_are_refused_in_plain_texts() {
        let subject = plain(1, 128);
        assert_eq!(subject("VIP+ 月卡"), None);
        assert_eq!(subject(&"月".repeat(128)), None);
        for refused in [
            &"月".repeat(129),
            "",
            "a\u{0}b",
            "a\nb",
            "a\u{7f}",
            "a\u{85}",
        ] {
            assert!(subject(refused).is_some(), "{refused:?}");
        }
    }

    #[test]
    fn names_words_and_currencies_have_their_alphabets() {
        assert_eq!(name("user-42@shop.example"), None);
        assert!(name("user 42").is_some() && name("").is_some() && name("用户").is_some());
        assert_eq!(path_name("r-1.a@b"), None);
        assert!(path_name(".").is_some() && path_name("..").is_some() && path_name("/").is_some());
        assert_eq!(path_name("..."), None);
        assert_eq!(order_no("202607260001"), None);
        assert!(order_no("a.b").is_some() && order_no(&"1".repeat(65)).is_some());
        assert_eq!(word("direct"), None);
        assert!(word("direct;").is_some());
        assert_eq!(currency("CNY"), None);
        assert!(currency("ABC").is_some() && currency("cny").is_some() && currency("").is_some());
    }
}
