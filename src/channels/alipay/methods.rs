//! The ways to pay, and what an order must be like to go one of them.

use super::yuan;
use crate::channels::{Admission, FieldRefusal};

/// How the payer gets to Alipay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// The payer scans a code that the merchant shows.
    Qr,
    /// The payer's browser on a computer.
    Page,
    /// The payer's browser on a telephone.
    Wap,
}

/// Names in orders, of the API, and product codes. (Open platform, the pages of the three methods.)
const METHODS: [(Method, &str, &str, &str); 3] = [
    (
        Method::Qr,
        "qr",
        "alipay.trade.precreate",
        "QR_CODE_OFFLINE",
    ),
    (
        Method::Page,
        "page",
        "alipay.trade.page.pay",
        "FAST_INSTANT_TRADE_PAY",
    ),
    (Method::Wap, "wap", "alipay.trade.wap.pay", "QUICK_WAP_WAY"),
];

/// Of an order that names none.
pub(super) const DEFAULT: &str = "qr";

const NUMBER_CHARS_MAX: usize = 64;
const SUBJECT_CHARS_MAX: usize = 256;
/// One minute to fifteen days, as for `timeout_express`.
const LIFETIME_S: std::ops::RangeInclusive<i64> = 60..=15 * 86_400;

impl Method {
    pub(super) fn named(name: &str) -> Option<Self> {
        METHODS
            .iter()
            .find(|(_, known, _, _)| *known == name)
            .map(|(method, ..)| *method)
    }

    pub(super) fn api(self) -> &'static str {
        self.row().2
    }

    /// A contract may name another product for codes; the pages have one each.
    pub(super) fn product_code(self, configured: Option<&str>) -> &str {
        match (self, configured) {
            (Self::Qr, Some(code)) => code,
            (Self::Qr, None) | (Self::Page | Self::Wap, _) => self.row().3,
        }
    }

    /// Whether the payer's browser makes the call, and not we.
    pub(super) fn is_browsers(self) -> bool {
        match self {
            Self::Qr => false,
            Self::Page | Self::Wap => true,
        }
    }

    fn row(self) -> (Self, &'static str, &'static str, &'static str) {
        let [qr, page, wap] = METHODS;
        match self {
            Self::Qr => qr,
            Self::Page => page,
            Self::Wap => wap,
        }
    }
}

/// Whether Alipay can carry such an order.
pub(super) fn admits(order: &Admission<'_>, amount_max: Option<i64>) -> Result<(), FieldRefusal> {
    let refuse = |field, message: String| Err(FieldRefusal { field, message });
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let number = order.order_no;
    if !(1..=NUMBER_CHARS_MAX).contains(&number.len()) || !number.bytes().all(is_word) {
        let message = format!("must be 1–{NUMBER_CHARS_MAX} of A-Z a-z 0-9 _ at Alipay");
        return refuse("order_no", message);
    }
    if Method::named(order.method).is_none() {
        return refuse("method", "must be qr, page or wap".to_owned());
    }
    if order.money.currency.as_str() != yuan::CURRENCY {
        return refuse("currency", "must be CNY at Alipay".to_owned());
    }
    let most = amount_max.map_or(yuan::MOST, |largest| largest.min(yuan::MOST));
    if !(yuan::LEAST..=most).contains(&order.money.amount) {
        return refuse(
            "amount",
            format!("must be {}–{most} at Alipay", yuan::LEAST),
        );
    }
    if !(1..=SUBJECT_CHARS_MAX).contains(&order.subject.chars().count()) {
        return refuse(
            "subject",
            format!("must be 1–{SUBJECT_CHARS_MAX} characters"),
        );
    }
    if !LIFETIME_S.contains(&order.expires_in_s) {
        let message = format!(
            "must be {}–{} at Alipay",
            LIFETIME_S.start(),
            LIFETIME_S.end()
        );
        return refuse("expires_in", message);
    }
    Ok(())
}
