//! From a balance transaction to a line of the bill.
//!
//! Source: docs.stripe.com/reports/balance-transaction-types.

use super::super::amounts::from_stripe;
use super::super::codes::{self, RefundStands};
use super::{Object, Source, Transaction};
use crate::channels::bill::{BillKind, BillLine, BillStatus};
use crate::channels::words::is_name;
use crate::domain::{Money, OrderNo, UnixMillis};

/// What a transaction says to us.
pub(super) enum Meaning {
    Line(BillLine),
    /// About neither a charge nor a refund: fees, payouts, disputes. Or a charge that was not made here, in an amount or
    /// currency that no order can be in.
    Other,
    /// It may be ours, and cannot be read.
    Bad {
        order_no: Option<String>,
        problem: &'static str,
    },
}

/// What a type of transaction says of its source.
#[derive(Debug, Clone, Copy)]
enum Moved {
    Paid,
    /// A debit that had been counted as paid and was taken back by the bank.
    PaymentFailed,
    /// Sent back; the refund itself says whether it arrived.
    Returned,
    /// A refund that the payer's bank sent back.
    ReturnFailed,
}

const TYPES: [(&str, Moved); 6] = [
    ("charge", Moved::Paid),
    ("payment", Moved::Paid),
    ("payment_failure_refund", Moved::PaymentFailed),
    ("refund", Moved::Returned),
    ("payment_refund", Moved::Returned),
    ("refund_failure", Moved::ReturnFailed),
];

pub(super) fn meaning(transaction: &Transaction) -> Meaning {
    let moved = TYPES.iter().find(|(kind, _)| *kind == transaction.kind);
    let Some((_, moved)) = moved else {
        return Meaning::Other;
    };
    let source = match &transaction.source {
        Some(Source::Whole(source)) => Some(source),
        Some(Source::Id(_)) | None => None,
    };
    let metadata = source.and_then(|source| source.metadata.as_ref());
    let order_no = metadata.and_then(|it| it.out_trade_no.clone());
    let charge = matches!(moved, Moved::Paid | Moved::PaymentFailed);
    match line(transaction, *moved, source) {
        Ok(line) => Meaning::Line(line),
        // Ours bear their number. A refund that was made at Stripe bears none, and may be of one of ours.
        Err(_) if charge && source.is_some() && order_no.is_none() => Meaning::Other,
        Err(problem) => Meaning::Bad { order_no, problem },
    }
}

/// # Errors
/// What is wrong with it, for people.
fn line(
    transaction: &Transaction,
    moved: Moved,
    source: Option<&Object>,
) -> Result<BillLine, &'static str> {
    let sum = transaction.amount.checked_sub(transaction.fee);
    if sum != Some(transaction.net) {
        return Err("amount, fee and net do not add up");
    }
    let source = source.ok_or("its source was not sent along")?;
    let (kind, status) = match moved {
        Moved::Paid => (BillKind::Charge, BillStatus::Succeeded),
        Moved::PaymentFailed => (BillKind::Charge, BillStatus::Failed),
        Moved::Returned => (BillKind::Refund, returned(source)?),
        Moved::ReturnFailed => (BillKind::Refund, BillStatus::Failed),
    };
    let money = presented(transaction, source)?;
    let metadata = source.metadata.as_ref();
    let order_no = metadata.and_then(|it| it.out_trade_no.clone());
    let refund_no = match kind {
        BillKind::Charge => None,
        // As its notices name it.
        BillKind::Refund => metadata
            .and_then(|it| it.out_refund_no.clone())
            .or_else(|| Some(source.id.clone())),
    };
    Ok(BillLine {
        kind,
        status,
        trade_no: trade_no(source)?,
        order_no: order_no.filter(|number| OrderNo::is_valid(number)),
        refund_no: refund_no.filter(|number| is_name(number)),
        money,
        fee: fee(transaction, money),
        completed_at: Some(UnixMillis(transaction.created.saturating_mul(1000))),
    })
}

/// Where the refund stood when the bill was fetched.
fn returned(source: &Object) -> Result<BillStatus, &'static str> {
    let Some(status) = source.status.as_deref() else {
        return Ok(BillStatus::Succeeded);
    };
    match codes::refund(status) {
        Some(RefundStands::Succeeded) => Ok(BillStatus::Succeeded),
        Some(RefundStands::UnderWay) => Ok(BillStatus::Pending),
        Some(RefundStands::Failed) => Ok(BillStatus::Failed),
        None => Err("a refund with a status that is not listed"),
    }
}

/// What the payer paid or got back, in the payer's currency. The transaction's own amount is in the balance's, which is
/// the same unless it was exchanged.
fn presented(transaction: &Transaction, source: &Object) -> Result<Money, &'static str> {
    let of_source = source.amount_captured.or(source.amount);
    let (amount, currency) = match (of_source, &source.currency) {
        (Some(amount), Some(currency)) => (amount, currency),
        (Some(_) | None, _) if transaction.exchange_rate.is_none() => {
            (transaction.amount, &transaction.currency)
        }
        (Some(_) | None, _) => return Err("exchanged, and the payer's amount is not there"),
    };
    let amount = amount.checked_abs().ok_or("an amount that is none")?;
    from_stripe(amount, currency).ok_or("an amount or currency that is none of ours")
}

/// The intent, by which payments are on record; a charge without one was not made here.
fn trade_no(source: &Object) -> Result<String, &'static str> {
    let names = [&source.payment_intent, &source.charge];
    let name = names.into_iter().flatten().next().unwrap_or(&source.id);
    is_name(name)
        .then(|| name.clone())
        .ok_or("its trade has no name")
}

/// The fee is in the balance's currency.
fn fee(transaction: &Transaction, money: Money) -> Option<i64> {
    if transaction.exchange_rate.is_some() {
        return None;
    }
    let fee = from_stripe(transaction.fee, &transaction.currency)?;
    (fee.currency == money.currency).then_some(fee.amount)
}
