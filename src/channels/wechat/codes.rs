//! WeChat Pay's words, and what they mean here. Source: its documentation of each interface, "错误码" and "交易状态".
//!
//! Codes are written with and without underscores, also by the same interface; both are the same code. A code that is
//! not listed means nothing: the call is *unknown*.

/// What a code says of the call that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The same again, or a query, tells.
    Unknown,
    /// Too often. On a close it is also seen while the payer is in the middle of paying.
    Throttled,
    AlreadyPaid,
    /// The number is used up: another order needs another one.
    Closed,
    NoOrder,
    /// Not made, or not to be seen yet.
    NoRefund,
    /// The number was used with other parameters.
    OtherParameters,
    /// The payer is typing a password.
    PayerActs,
    Refused,
    /// Refused as a payment; about a refund it is also said where an earlier request has been carried out.
    InvalidRequest,
    /// Turned away before it was looked at: our key, serial number or clock.
    NotExecuted,
    /// The merchant's balance; the same number later.
    BalanceTooLow,
    /// The payer's account; the money must go back by another way.
    AnotherWay,
    /// No payment and no refund on that day.
    NoBill,
    BillNotReady,
}

const CODES: [(&str, Meaning); 24] = [
    ("SYSTEM_ERROR", Meaning::Unknown),
    ("BANK_ERROR", Meaning::Unknown),
    ("FREQUENCY_LIMITED", Meaning::Throttled),
    // Two spellings that documents of other interfaces have.
    ("FREQUENCY_LIMIT_EXCEED", Meaning::Throttled),
    ("RATELIMIT_EXCEEDED", Meaning::Throttled),
    ("ORDER_PAID", Meaning::AlreadyPaid),
    ("ORDER_CLOSED", Meaning::Closed),
    ("ORDER_NOT_EXIST", Meaning::NoOrder),
    ("RESOURCE_NOT_EXISTS", Meaning::NoRefund),
    ("OUT_TRADE_NO_USED", Meaning::OtherParameters),
    ("USER_PAYING", Meaning::PayerActs),
    ("TRADE_ERROR", Meaning::Refused),
    ("RULE_LIMIT", Meaning::Refused),
    ("NO_AUTH", Meaning::Refused),
    ("PARAM_ERROR", Meaning::Refused),
    ("INVALID_REQUEST", Meaning::InvalidRequest),
    ("APPID_MCHID_NOT_MATCH", Meaning::Refused),
    ("MCH_NOT_EXISTS", Meaning::Refused),
    ("OPENID_MISMATCH", Meaning::Refused),
    ("SIGN_ERROR", Meaning::NotExecuted),
    ("NOT_ENOUGH", Meaning::BalanceTooLow),
    ("USER_ACCOUNT_ABNORMAL", Meaning::AnotherWay),
    ("NO_STATEMENT_EXIST", Meaning::NoBill),
    ("STATEMENT_CREATING", Meaning::BillNotReady),
];

/// What this code means, however it is written. `None` if it is not listed.
pub(super) fn meaning(code: &str) -> Option<Meaning> {
    let same = |listed: &str| letters(listed).eq(letters(code));
    CODES
        .iter()
        .find(|(listed, _)| same(listed))
        .map(|(_, meaning)| *meaning)
}

fn letters(code: &str) -> impl Iterator<Item = u8> {
    code.bytes().filter(|byte| *byte != b'_')
}

/// What `trade_state` says of the money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trade {
    Paid,
    /// It was paid, and a refund was started, of a part or of all. Nothing lists a trade's refunds.
    GivenBack,
    /// It can still be paid.
    Payable,
    Declined,
    Closed,
}

const TRADE_STATES: [(&str, Trade); 8] = [
    ("SUCCESS", Trade::Paid),
    ("REFUND", Trade::GivenBack),
    ("NOTPAY", Trade::Payable),
    ("CLOSED", Trade::Closed),
    // The rest is of payments by a code that the payer shows.
    ("REVOKED", Trade::Closed),
    ("PAYERROR", Trade::Declined),
    ("USERPAYING", Trade::Payable),
    ("ACCEPT", Trade::Payable),
];

/// `None` if it is not listed.
pub(super) fn trade(state: &str) -> Option<Trade> {
    listed(&TRADE_STATES, state)
}

/// What a refund's status says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refunded {
    Pending,
    Succeeded,
    /// The money is still the merchant's.
    Failed,
    /// The money has left the merchant and not reached the payer: nobody may call that failed.
    Stuck,
}

const REFUND_STATUSES: [(&str, Refunded); 4] = [
    ("PROCESSING", Refunded::Pending),
    ("SUCCESS", Refunded::Succeeded),
    ("CLOSED", Refunded::Failed),
    ("ABNORMAL", Refunded::Stuck),
];

/// `None` if it is not listed.
pub(super) fn refunded(status: &str) -> Option<Refunded> {
    listed(&REFUND_STATUSES, status)
}

fn listed<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    let found = table.iter().find(|(listed, _)| *listed == word);
    found.map(|(_, meaning)| *meaning)
}
