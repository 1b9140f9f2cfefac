//! Offers: their numbers, and the text that the seller signs.
//!
//! Source: github.com/alipay/ai, the contract of the A402 interface.

use crate::clock::new_id;
use crate::domain::{Money, UnixMillis};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

/// Letters of the number that make it unique, and of the code behind them: 64 in all, which is what a number may have.
const UNIQUE_LETTERS: usize = 32;
const CODE_BYTES: usize = 16;

/// What one use of a resource is offered for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Offer<'a> {
    pub(super) number: String,
    pub(super) price: Money,
    pub(super) resource: &'a str,
    pub(super) goods_name: &'a str,
    pub(super) seller_id: &'a str,
    pub(super) service_id: &'a str,
    /// ISO 8601 with an offset.
    pub(super) pay_before: String,
}

/// Makes and knows the numbers of offers. The key outlives restarts: what was offered before one is paid after it.
#[derive(Clone)]
pub(super) struct OfferKey {
    mac: Hmac<Sha256>,
}

impl std::fmt::Debug for OfferKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("OfferKey(…)")
    }
}

impl OfferKey {
    /// The key in these bytes; `None` if they are too few to be one.
    pub(super) fn of(secret: &[u8]) -> Option<Self> {
        let mac = Hmac::new_from_slice(secret).ok()?;
        (secret.len() >= 32).then_some(Self { mac })
    }

    /// A fresh number for an offer of this resource at this price.
    pub(super) fn number(&self, price: Money, resource: &str) -> String {
        let id = new_id("offer");
        let unique = id.rsplit('_').next().unwrap_or_default();
        let code = self.code(unique, price, resource).finalize().into_bytes();
        let code: Vec<u8> = code.iter().copied().take(CODE_BYTES).collect();
        format!("{unique}{}", hex::encode(code))
    }

    /// Whether this number is of an offer of ours, of this resource at this price. The comparison takes constant time.
    pub(super) fn is_of(&self, number: &str, price: Money, resource: &str) -> bool {
        let Some((unique, code)) = number.split_at_checked(UNIQUE_LETTERS) else {
            return false;
        };
        let code = hex::decode(code).unwrap_or_default();
        code.len() == CODE_BYTES
            && self
                .code(unique, price, resource)
                .verify_truncated_left(&code)
                .is_ok()
    }

    fn code(&self, unique: &str, price: Money, resource: &str) -> Hmac<Sha256> {
        let mut mac = self.mac.clone();
        for part in [unique, &price.to_string(), resource] {
            mac.update(part.as_bytes());
            mac.update(b"\n");
        }
        mac
    }
}

/// The resource as offers name it: the path and the query of the request; its method does not count. What separates
/// fields in the text that the seller signs must not stand in one, and no two resources have one name.
pub(super) fn resource_id(path_and_query: &str) -> String {
    let escaped = path_and_query.replace('%', "%25");
    escaped.replace('&', "%26").replace('=', "%3D")
}

/// The amount as it is offered and signed: `0.01`.
pub(super) fn amount(price: Money) -> String {
    let shown = price.to_string();
    let amount = shown.split(' ').next().unwrap_or_default();
    amount.to_owned()
}

/// Beijing time, which is the channel's own.
pub(super) fn pay_before(now: UnixMillis, within_ms: i64) -> String {
    let beijing = UtcOffset::from_hms(8, 0, 0).unwrap_or(UtcOffset::UTC);
    let seconds = now.plus(within_ms).0.div_euclid(1_000);
    OffsetDateTime::from_unix_timestamp(seconds)
        .ok()
        .and_then(|moment| moment.to_offset(beijing).format(&Rfc3339).ok())
        .unwrap_or_default()
}

impl Offer<'_> {
    /// The text that the seller signs: eight fields, sorted by their names.
    pub(super) fn text(&self) -> String {
        let Self {
            number,
            price,
            resource,
            goods_name,
            seller_id,
            service_id,
            pay_before,
        } = self;
        format!(
            "amount={}&currency={}&goods_name={goods_name}&out_trade_no={number}&pay_before={pay_before}\
             &resource_id={resource}&seller_id={seller_id}&service_id={service_id}",
            amount(*price),
            price.currency
        )
    }
}
