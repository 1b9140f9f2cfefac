//! What Alipay's codes mean, call by call, and the statuses of a trade. (Open platform, "公共错误码" and the error codes
//! of `alipay.trade.precreate`, `.query`, `.close`, `.refund` and `.fastpay.refund.query`.)

/// The call was accepted; what came of it stands in its fields.
pub(super) const ACCEPTED: &str = "10000";
/// Whatever the sub-code.
const ANY: &str = "*";
/// Of these, `error_response` may speak: they are about the call and not about a trade.
const OF_GATEWAY: [&str; 7] = [
    "20000", "20001", "40001", "40002", "40003", "40005", "40006",
];

/// Which call was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Submit,
    Query,
    Close,
    Refund,
    RefundQuery,
}

/// What a code says of the call that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Not in the list for this call: nothing is known.
    Unlisted,
    /// The system is in trouble: nothing is known.
    Trouble,
    /// Not executed, and to be slowed down.
    Throttled,
    /// Not executed, since the app itself is not taken for what it is: its key, its number, its contract. No payer has been
    /// refused, and every order would be.
    OfApp,
    /// A definite no, without effect.
    Refused,
    /// A no without effect that the merchant can end: a wrong setting, too little money.
    Repeatable,
    /// The payer is at it.
    Underway,
    /// The number stands for something else.
    Conflict,
    /// The trade is at an end of which the query tells more.
    Decided,
    /// Closed, and its number used up.
    Closed,
    /// The trade is not there, or not yet: it begins when the payer scans the code or logs in.
    NotThere,
}

struct Row {
    code: &'static str,
    sub_code: &'static str,
    submit: Meaning,
    query: Meaning,
    close: Meaning,
    refund: Meaning,
    refund_query: Meaning,
}

/// A line of the table: code, sub-code, and the meaning for a submit, a query, a close, a refund and its query.
const fn row(code: &'static str, sub_code: &'static str, meanings: [Meaning; 5]) -> Row {
    let [submit, query, close, refund, refund_query] = meanings;
    Row {
        code,
        sub_code,
        submit,
        query,
        close,
        refund,
        refund_query,
    }
}

use Meaning::{
    Closed, Conflict, Decided, NotThere, OfApp, Refused, Repeatable, Throttled, Trouble, Underway,
    Unlisted as No,
};

#[rustfmt::skip]
const ROWS: [Row; 34] = [
    //   code     sub-code                            submit      query      close      refund      refund query
    row("10003", ANY,                               [Underway,   No,        No,        No,         No]),
    row("20000", ANY,                               [Trouble,    Trouble,   Trouble,   Trouble,    Trouble]),
    // Nothing was executed, and nothing is known of a trade.
    row("20001", ANY,                               [OfApp,      No,        No,        Repeatable, No]),
    row("40001", "isv.missing-signature",           [OfApp,      No,        No,        Repeatable, No]),
    row("40001", "isv.missing-app-id",              [OfApp,      No,        No,        Repeatable, No]),
    row("40001", ANY,                               [Refused,    No,        No,        Repeatable, No]),
    row("40002", "isv.invalid-signature",           [OfApp,      No,        No,        Repeatable, No]),
    row("40002", "isv.invalid-app-id",              [OfApp,      No,        No,        Repeatable, No]),
    row("40002", ANY,                               [Refused,    No,        No,        Repeatable, No]),
    row("40006", ANY,                               [OfApp,      No,        No,        Repeatable, No]),
    row("40005", ANY,                               [Throttled,  Throttled, Throttled, Throttled,  Throttled]),
    // The second is how Alipay misspells it.
    row("40004", "ACQ.SYSTEM_ERROR",                [Trouble,    Trouble,   Trouble,   Trouble,    Trouble]),
    row("40004", "AQC.SYSTEM_ERROR",                [Trouble,    Trouble,   Trouble,   Trouble,    Trouble]),
    row("40004", "ACQ.TRADE_HAS_SUCCESS",           [Decided,    No,        Decided,   No,         No]),
    row("40004", "ACQ.TRADE_HAS_CLOSE",             [Closed,     No,        Decided,   No,         No]),
    row("40004", "ACQ.CONTEXT_INCONSISTENT",        [Conflict,   No,        No,        No,         No]),
    row("40004", "ACQ.TRADE_NOT_EXIST",             [No,         NotThere,  NotThere,  No,         No]),
    row("40004", "ACQ.INVALID_PARAMETER",           [Refused,    No,        No,        Refused,    No]),
    row("40004", "ACQ.PARTNER_ERROR",               [Refused,    No,        No,        Repeatable, No]),
    row("40004", "ACQ.TOTAL_FEE_EXCEED",            [Refused,    No,        No,        No,         No]),
    row("40004", "ACQ.EXIST_FORBIDDEN_WORD",        [Refused,    No,        No,        Refused,    No]),
    row("40004", "ACQ.ACCESS_FORBIDDEN",            [Refused,    No,        No,        Repeatable, No]),
    row("40004", "ACQ.SELLER_BEEN_BLOCKED",         [Refused,    No,        No,        Repeatable, No]),
    row("40004", "ACQ.PAYMENT_AUTH_CODE_INVALID",   [Refused,    No,        No,        No,         No]),
    // It cannot be closed, most often because it is paid.
    row("40004", "ACQ.REASON_TRADE_STATUS_INVALID", [No,         No,        Decided,   No,         No]),
    row("40004", "ACQ.TRADE_STATUS_ERROR",          [No,         No,        Decided,   Refused,    No]),
    row("40004", "ACQ.SELLER_BALANCE_NOT_ENOUGH",   [No,         No,        No,        Repeatable, No]),
    row("40004", "ACQ.REFUND_AMT_NOT_EQUAL_TOTAL",  [No,         No,        No,        Refused,    No]),
    row("40004", "ACQ.REASON_TRADE_REFUND_FEE_ERR", [No,         No,        No,        Refused,    No]),
    row("40004", "ACQ.TRADE_NOT_ALLOW_REFUND",      [No,         No,        No,        Refused,    No]),
    row("40004", "ACQ.TRADE_HAS_FINISHED",          [No,         No,        No,        Refused,    No]),
    row("40004", "ACQ.REASON_TRADE_BEEN_FREEZEN",   [No,         No,        No,        Refused,    No]),
    // The number was used with another amount: what came of that one is to be asked, and no other number to be taken.
    row("40004", "ACQ.DISCORDANT_REPEAT_REQUEST",   [No,         No,        No,        Conflict,   No]),
    row("40004", "ACQ.REFUND_CHARGE_ERROR",         [No,         No,        No,        Trouble,    No]),
];

/// What this code means as the answer to this call; what is not in the table means nothing.
pub(super) fn meaning(asked: Asked, code: &str, sub_code: Option<&str>) -> Meaning {
    let sub_code = sub_code.unwrap_or_default();
    let row = ROWS
        .iter()
        .find(|row| row.code == code && (row.sub_code == ANY || row.sub_code == sub_code));
    row.map_or(Meaning::Unlisted, |row| match asked {
        Asked::Submit => row.submit,
        Asked::Query => row.query,
        Asked::Close => row.close,
        Asked::Refund => row.refund,
        Asked::RefundQuery => row.refund_query,
    })
}

/// Whether this is a code of the gateway itself.
pub(super) fn is_of_gateway(code: &str) -> bool {
    OF_GATEWAY.contains(&code)
}

/// Where a trade stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TradeStatus {
    Waiting,
    Paid,
    /// Never paid, or given back in full: the status alone does not say which.
    Closed,
}

const STATUSES: [(&str, TradeStatus); 4] = [
    ("WAIT_BUYER_PAY", TradeStatus::Waiting),
    ("TRADE_SUCCESS", TradeStatus::Paid),
    // Paid, and no refund is possible any more.
    ("TRADE_FINISHED", TradeStatus::Paid),
    ("TRADE_CLOSED", TradeStatus::Closed),
];

/// The status in this word of Alipay's, if it is listed.
pub(super) fn trade_status(word: &str) -> Option<TradeStatus> {
    STATUSES
        .iter()
        .find(|(listed, _)| *listed == word)
        .map(|(_, status)| *status)
}
