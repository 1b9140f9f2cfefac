//! An order and its row.

use super::refund::refund_from_row;
use super::{from_json, to_json, unreadable};
use crate::domain::order::{CloseBy, Fingerprint, Order, OrderStatus, Payment, Reason};
use crate::domain::{Currency, Money, OrderId, OrderNo, UnixMillis};
use crate::store::StoreError;
use entities::{orders, payments, refunds};

/// The row of this order as `decision` leaves it; `wake_at` is unix milliseconds.
pub(in crate::store) fn order_row(
    order: &Order,
    decision: &str,
    wake_at: Option<UnixMillis>,
) -> Result<orders::Model, StoreError> {
    Ok(orders::Model {
        order_id: order.order_id.0.clone(),
        order_no: order.order_no.0.clone(),
        idempotency_key: order.idempotency_key.clone(),
        channel: order.fingerprint.channel.clone(),
        merchant: order.fingerprint.merchant.clone(),
        live: order.fingerprint.live,
        method: order.method.clone(),
        amount: order.money.amount,
        currency: order.money.currency.as_str().to_owned(),
        subject: order.subject.clone(),
        account: order.account.clone(),
        entitlements: to_json(&order.entitlements)?,
        metadata: to_json(&order.metadata)?,
        return_url: order.return_url.clone(),
        notify_url: order.notify_url.clone(),
        payer: order.payer.clone(),
        channel_ref: order.channel_ref.clone(),
        replaces: order.replaces.as_ref().map(|no| no.0.clone()),
        status: order.status.as_str().to_owned(),
        reason: order.reason.map(|reason| reason.as_str().to_owned()),
        version: order.version,
        created_at: order.created_at.0,
        updated_at: order.updated_at.0,
        paid_at: order.paid_at.map(|at| at.0),
        expires_at: order.expires_at.0,
        deadline_passed_at: order.deadline_passed_at.map(|at| at.0),
        ask_first: order.ask_first,
        submits: to_json(&order.submits)?,
        extra_submits: order.extra_submits.into(),
        check_count: order.check_count.into(),
        next_check_at: order.next_check_at.map(|at| at.0),
        ask_due: order.ask_due,
        not_found_since: order.not_found_since.as_ref().map(to_json).transpose()?,
        close_requested_at: order.close_requested_at.map(|at| at.0),
        close_by: order.close_by.map(|by| by.as_str().to_owned()),
        expiry_count: order.expiry_count.into(),
        proof_in_conflict: order.proof_in_conflict,
        amount_refunded: order.amount_refunded,
        next_action: order.next_action.as_ref().map(to_json).transpose()?,
        withheld: order.withheld,
        proposal: order.proposal.as_ref().map(to_json).transpose()?,
        refund_proposal: order.refund_proposal.as_ref().map(to_json).transpose()?,
        callback_count: order.callback_count.into(),
        event_seq: order.event_seq.into(),
        last_error: order.last_error.clone(),
        last_decision: decision.to_owned(),
        wake_at: wake_at.map(|at| at.0),
    })
}

/// The order of this row, these payments and these refunds, which stand in their order.
pub(in crate::store) fn order_from_row(
    row: orders::Model,
    payments: Vec<payments::Model>,
    refunds: Vec<refunds::Model>,
) -> Result<Order, StoreError> {
    Ok(Order {
        money: money(row.amount, &row.currency)?,
        fingerprint: Fingerprint {
            channel: row.channel,
            merchant: row.merchant,
            live: row.live,
        },
        order_id: OrderId(row.order_id),
        order_no: OrderNo(row.order_no),
        idempotency_key: row.idempotency_key,
        method: row.method,
        subject: row.subject,
        account: row.account,
        entitlements: from_json("entitlements", &row.entitlements)?,
        metadata: from_json("metadata", &row.metadata)?,
        return_url: row.return_url,
        notify_url: row.notify_url,
        payer: row.payer,
        channel_ref: row.channel_ref,
        replaces: row.replaces.map(OrderNo),
        status: status(&row.status)?,
        reason: word("reason", row.reason.as_deref(), Reason::parse)?,
        version: row.version,
        created_at: UnixMillis(row.created_at),
        updated_at: UnixMillis(row.updated_at),
        paid_at: row.paid_at.map(UnixMillis),
        expires_at: UnixMillis(row.expires_at),
        deadline_passed_at: row.deadline_passed_at.map(UnixMillis),
        ask_first: row.ask_first,
        submits: from_json("submits", &row.submits)?,
        extra_submits: count("extra_submits", row.extra_submits)?,
        check_count: count("check_count", row.check_count)?,
        next_check_at: row.next_check_at.map(UnixMillis),
        ask_due: row.ask_due,
        not_found_since: optional("not_found_since", row.not_found_since.as_deref())?,
        close_requested_at: row.close_requested_at.map(UnixMillis),
        close_by: word("close_by", row.close_by.as_deref(), CloseBy::parse)?,
        expiry_count: count("expiry_count", row.expiry_count)?,
        payments: payments
            .into_iter()
            .map(payment)
            .collect::<Result<_, _>>()?,
        proof_in_conflict: row.proof_in_conflict,
        amount_refunded: row.amount_refunded,
        next_action: optional("next_action", row.next_action.as_deref())?,
        withheld: row.withheld,
        proposal: optional("proposal", row.proposal.as_deref())?,
        refunds: refunds
            .into_iter()
            .map(refund_from_row)
            .collect::<Result<_, _>>()?,
        refund_proposal: optional("refund_proposal", row.refund_proposal.as_deref())?,
        callback_count: count("callback_count", row.callback_count)?,
        event_seq: count("event_seq", row.event_seq)?,
        last_error: row.last_error,
    })
}

/// The status in a row.
pub(in crate::store) fn status(text: &str) -> Result<OrderStatus, StoreError> {
    OrderStatus::parse(text).ok_or_else(|| unreadable("status", text))
}

fn payment(row: payments::Model) -> Result<Payment, StoreError> {
    Ok(Payment {
        money: money(row.amount, &row.currency)?,
        trade_no: row.trade_no,
        own: row.own,
        at: UnixMillis(row.at),
    })
}

pub(super) fn money(amount: i64, currency: &str) -> Result<Money, StoreError> {
    let currency = Currency::parse(currency).ok_or_else(|| unreadable("currency", currency))?;
    Ok(Money::new(amount, currency))
}

pub(super) fn count(column: &str, value: i64) -> Result<u32, StoreError> {
    u32::try_from(value).map_err(|_out_of_range| unreadable(column, value))
}

pub(super) fn word<T>(
    column: &str,
    text: Option<&str>,
    parse: fn(&str) -> Option<T>,
) -> Result<Option<T>, StoreError> {
    text.map(|text| parse(text).ok_or_else(|| unreadable(column, text)))
        .transpose()
}

pub(super) fn optional<T: serde::de::DeserializeOwned>(
    column: &str,
    text: Option<&str>,
) -> Result<Option<T>, StoreError> {
    text.map(|text| from_json(column, text)).transpose()
}
