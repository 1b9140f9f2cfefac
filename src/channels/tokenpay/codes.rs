//! The gateway's words and what they mean. It has no codes: an error is HTTP 200, `success: false` and a sentence.
//!
//! Source: LightCountry/TokenPay, `HomeController.cs` and `Domains/TokenOrders.cs`.

/// Where an order of the gateway stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OrderStatus {
    Pending,
    Paid,
    /// It looks for no transfer any more. One that came too late is entered by hand, or never.
    Expired,
}

/// In queries by its name, in notices by its number.
const ORDER_STATUSES: [(&str, &str, OrderStatus); 3] = [
    ("Pending", "0", OrderStatus::Pending),
    ("Paid", "1", OrderStatus::Paid),
    ("Expired", "2", OrderStatus::Expired),
];

/// How a refusal of `CreateOrder` begins, and what it says. All of them stand before the order is stored: no effect.
const REFUSALS: [(&str, &str); 8] = [
    (
        "签名验证失败",
        "the gateway refused the signature: its ApiToken is another one",
    ),
    ("不支持的币种", "the gateway does not take this token"),
    ("金额有误", "the gateway refused the amount"),
    ("此订单金额过低", "the amount is too low for this token"),
    ("汇率有误", "the gateway has no exchange rate"),
    ("动态地址需传递用户标识", "the gateway wants a user key"),
    ("未配置收款地址", "the gateway has no address to receive at"),
    (
        "无可用收款地址",
        "the gateway has no address left for this amount",
    ),
];

pub(super) fn order_status(word: &str) -> Option<OrderStatus> {
    let mut rows = ORDER_STATUSES.iter();
    rows.find(|(name, number, _)| word == *name || word == *number)
        .map(|(.., status)| *status)
}

impl OrderStatus {
    pub(super) fn as_str(self) -> &'static str {
        let mut rows = ORDER_STATUSES.iter();
        rows.find(|(.., status)| *status == self)
            .map_or("", |(name, ..)| name)
    }
}

/// What a listed refusal says, in English.
pub(super) fn refusal(message: &str) -> Option<&'static str> {
    let mut rows = REFUSALS.iter();
    rows.find(|(begins, _)| message.starts_with(begins))
        .map(|(_, says)| *says)
}
