//! The languages of texts for people, chosen by `Accept-Language`.

use std::borrow::Cow;

/// A language that the texts exist in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Language {
    #[default]
    English,
    Chinese,
}

impl Language {
    /// The tag for `Content-Language`.
    #[must_use]
    pub(crate) const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-CN",
        }
    }

    /// The best language for this `Accept-Language`; English if it names none of ours.
    #[must_use]
    pub(crate) fn of(accept: &str) -> Self {
        let mut best = None;
        for range in accept.split(',') {
            let (tag, weight) = weighted(range);
            let Some(language) = Self::of_tag(tag) else {
                continue;
            };
            if weight > 0 && best.is_none_or(|(_, heaviest)| weight > heaviest) {
                best = Some((language, weight));
            }
        }
        best.map_or_else(Self::default, |(language, _)| language)
    }

    fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split('-').next().unwrap_or_default();
        match primary.to_ascii_lowercase().as_str() {
            "en" | "*" => Some(Self::English),
            "zh" => Some(Self::Chinese),
            _ => None,
        }
    }
}

/// A language range and its weight in thousandths; one with a malformed weight counts as unwanted.
fn weighted(range: &str) -> (&str, u32) {
    let mut parts = range.split(';').map(str::trim);
    let tag = parts.next().unwrap_or_default();
    let weight = match parts.next() {
        None => Some(1000),
        Some(parameter) => parameter
            .strip_prefix("q=")
            .or_else(|| parameter.strip_prefix("Q="))
            .and_then(thousandths),
    };
    (tag, weight.unwrap_or(0))
}

/// `0.8` as 800: a digit, and up to three after the point.
fn thousandths(text: &str) -> Option<u32> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = fraction.len() <= 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if !matches!(whole, "0" | "1") || !digits {
        return None;
    }
    let fraction: u32 = format!("{fraction:0<3}").parse().ok()?;
    let whole: u32 = whole.parse().ok()?;
    Some(
        whole
            .saturating_mul(1000)
            .saturating_add(fraction)
            .min(1000),
    )
}

/// One text in each language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    english: Cow<'static, str>,
    chinese: Cow<'static, str>,
}

impl Text {
    #[must_use]
    pub(crate) const fn new(english: &'static str, chinese: &'static str) -> Self {
        Self {
            english: Cow::Borrowed(english),
            chinese: Cow::Borrowed(chinese),
        }
    }

    #[must_use]
    pub(crate) const fn owned(english: String, chinese: String) -> Self {
        Self {
            english: Cow::Owned(english),
            chinese: Cow::Owned(chinese),
        }
    }

    /// A text that exists in one language only, such as a channel's own words.
    #[must_use]
    pub(crate) fn as_is(text: String) -> Self {
        Self {
            chinese: Cow::Owned(text.clone()),
            english: Cow::Owned(text),
        }
    }

    #[must_use]
    pub(crate) fn in_language(&self, language: Language) -> &str {
        match language {
            Language::English => &self.english,
            Language::Chinese => &self.chinese,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn the_heaviest_language_that_we_speak_is_chosen() {
        let cases = [
            ("", Language::English),
            ("zh-CN", Language::Chinese),
            ("zh", Language::Chinese),
            ("ZH-hans-CN;q=0.9, en;q=0.8", Language::Chinese),
            ("en;q=0.9, zh;q=0.91", Language::Chinese),
            ("fr, zh;q=0.1", Language::Chinese),
            ("zh;q=0, fr", Language::English),
            ("fr, de", Language::English),
            ("*, zh;q=0.5", Language::English),
            ("zh;q=nonsense", Language::English),
            ("zh;q=2, en;q=0.1", Language::English),
            (",,;;=", Language::English),
        ];
        for (accept, language) in cases {
            assert_eq!(Language::of(accept), language, "{accept}");
        }
    }
}
