//! What Stripe's words mean, as tables: statuses of payment intents, refunds and disputes, and the errors of its API.
//!
//! Source: docs.stripe.com (API reference, "Payment Intents lifecycle", "Error codes", "Idempotent requests") and the
//! retry rules of the official stripe-python 16.1.0 and stripe-node 23.1.0.

use crate::domain::order::DisputePhase;

/// Where a payment intent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// Nothing is charged, and the payer can still pay: at the start, in between, and after a decline.
    Payable,
    /// With the bank; for a debit that may take days, and may fail.
    Processing,
    /// Authorised and not captured: nothing is charged, and a cancel releases it.
    Authorised,
    Succeeded,
    Canceled,
}

const INTENTS: [(&str, Stands); 7] = [
    ("requires_payment_method", Stands::Payable),
    ("requires_confirmation", Stands::Payable),
    ("requires_action", Stands::Payable),
    ("processing", Stands::Processing),
    ("requires_capture", Stands::Authorised),
    ("succeeded", Stands::Succeeded),
    ("canceled", Stands::Canceled),
];

/// Where a refund stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefundStands {
    UnderWay,
    /// It may still turn into `failed`: the payer's bank can send the money back.
    Succeeded,
    /// The money is in the merchant's balance again.
    Failed,
}

const REFUNDS: [(&str, RefundStands); 5] = [
    ("pending", RefundStands::UnderWay),
    ("requires_action", RefundStands::UnderWay),
    ("succeeded", RefundStands::Succeeded),
    ("failed", RefundStands::Failed),
    ("canceled", RefundStands::Failed),
];

/// How a dispute has ended. An inquiry that ends without a dispute takes nothing; one that was *prevented* never became a
/// dispute, because the money was given back before.
const DISPUTES_OVER: [(&str, DisputePhase); 4] = [
    ("won", DisputePhase::Won),
    ("warning_closed", DisputePhase::Won),
    ("lost", DisputePhase::Lost),
    ("prevented", DisputePhase::Lost),
];

pub(super) fn intent(status: &str) -> Option<Stands> {
    meaning(&INTENTS, status)
}

pub(super) fn refund(status: &str) -> Option<RefundStands> {
    meaning(&REFUNDS, status)
}

/// How a dispute with this status has ended; `None` while it goes on, and where the status is not listed.
pub(super) fn dispute_over(status: &str) -> Option<DisputePhase> {
    meaning(&DISPUTES_OVER, status)
}

fn meaning<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table
        .iter()
        .find(|(listed, _)| *listed == word)
        .map(|(_, meaning)| *meaning)
}

/// What an error of the API says about the call that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Out of order: whether it had an effect is not known.
    Unavailable,
    /// Another call with this key, or about this object, is at work.
    Busy,
    /// The key was used with other parameters.
    KeyReused,
    /// Not executed: too many calls.
    TooFast,
    /// An attempt of the payer's failed; the intent can still be paid. The intent itself tells.
    AttemptFailed,
    /// The intent's status forbids what was asked.
    WrongStatus,
    /// Nothing is left to be given back.
    RefundedAlready,
    /// Not executed: the key is wrong or may not do this.
    NoEntry,
    /// Not executed: there is no such object under this key.
    Missing,
    /// A definite no, without effect.
    Refused,
    /// Not in the table.
    Unlisted,
}

/// A row: the status of HTTP from, to; the error's `type` and `code`, where `""` is any; and what it means.
type Row = (u16, u16, &'static str, &'static str, Trouble);

/// The first row that fits counts.
const ERRORS: [Row; 16] = [
    (500, 599, "", "", Trouble::Unavailable),
    (400, 499, "api_error", "", Trouble::Unavailable),
    (400, 499, "api_connection_error", "", Trouble::Unavailable),
    (409, 409, "", "idempotency_key_in_use", Trouble::Busy),
    (409, 409, "", "", Trouble::Busy),
    (400, 400, "idempotency_error", "", Trouble::KeyReused),
    (429, 429, "", "rate_limit", Trouble::TooFast),
    (429, 429, "", "lock_timeout", Trouble::Busy),
    (400, 402, "", "processing_error", Trouble::AttemptFailed),
    (402, 402, "card_error", "", Trouble::AttemptFailed),
    (
        400,
        400,
        "",
        "payment_intent_unexpected_state",
        Trouble::WrongStatus,
    ),
    (
        400,
        400,
        "",
        "charge_already_refunded",
        Trouble::RefundedAlready,
    ),
    (401, 401, "", "", Trouble::NoEntry),
    (403, 403, "", "", Trouble::NoEntry),
    (404, 404, "invalid_request_error", "", Trouble::Missing),
    (400, 400, "invalid_request_error", "", Trouble::Refused),
];

/// The meaning of an error object with this status of HTTP, `type` and `code`.
pub(super) fn trouble(status: u16, kind: &str, code: &str) -> Trouble {
    let fits = |(from, to, listed_kind, listed_code, _): &&Row| {
        (*from..=*to).contains(&status)
            && (listed_kind.is_empty() || *listed_kind == kind)
            && (listed_code.is_empty() || *listed_code == code)
    };
    ERRORS
        .iter()
        .find(fits)
        .map_or(Trouble::Unlisted, |(.., means)| *means)
}
