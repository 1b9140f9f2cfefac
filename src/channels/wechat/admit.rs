//! What WeChat Pay can carry, held against an order before it is created.

use super::{JSAPI, NATIVE};
use crate::channels::{Admission, FieldRefusal};

/// `out_trade_no`.
const ORDER_NO: std::ops::RangeInclusive<usize> = 6..=32;
/// `description`; WeChat Pay counts characters.
const SUBJECT_CHARS_MAX: usize = 127;
/// A `time_expire` that is nearer than a minute is refused, and neither a `code_url` nor a `prepay_id` lives longer than
/// two hours.
const EXPIRES_IN_S: std::ops::RangeInclusive<i64> = 60..=7_200;
/// `openid`.
const PAYER: std::ops::RangeInclusive<usize> = 1..=128;
const CURRENCY: &str = "CNY";

pub(super) fn admits(order: &Admission<'_>, amount_max: Option<i64>) -> Result<(), FieldRefusal> {
    let refuse = |field, message: &str| {
        Err(FieldRefusal {
            field,
            message: message.to_owned(),
        })
    };
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !ORDER_NO.contains(&order.order_no.len()) || !order.order_no.bytes().all(is_word) {
        return refuse("order_no", "must be 6–32 of A-Z a-z 0-9 _ -");
    }
    if order.method != NATIVE && order.method != JSAPI {
        return refuse("method", "must be native or jsapi");
    }
    if order.money.currency.as_str() != CURRENCY {
        return refuse("currency", "must be CNY");
    }
    if order.money.amount < 1 {
        return refuse("amount", "must be at least 1");
    }
    if let Some(most) = amount_max.filter(|most| order.money.amount > *most) {
        return refuse("amount", &format!("must be at most {most}"));
    }
    if !(1..=SUBJECT_CHARS_MAX).contains(&order.subject.chars().count()) {
        return refuse("subject", "must be 1–127 characters");
    }
    if !EXPIRES_IN_S.contains(&order.expires_in_s) {
        return refuse("expires_in", "must be 60–7200 seconds");
    }
    let payer = order.payer.unwrap_or_default();
    if order.method == JSAPI && !(PAYER.contains(&payer.len()) && payer.bytes().all(is_word)) {
        return refuse(
            "payer",
            "must be the payer's openid for jsapi, 1–128 of A-Z a-z 0-9 _ -",
        );
    }
    Ok(())
}
