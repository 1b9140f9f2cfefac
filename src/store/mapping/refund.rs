//! A refund and its row.

use super::order::{count, money, optional, word};
use super::{to_json, unreadable};
use crate::domain::UnixMillis;
use crate::domain::order::{Order, Refund, RefundSource, RefundStatus};
use crate::store::StoreError;
use entities::refunds;

pub(in crate::store) fn refund_row(
    order: &Order,
    refund: &Refund,
) -> Result<refunds::Model, StoreError> {
    Ok(refunds::Model {
        refund_id: refund.refund_id.clone(),
        order_id: order.order_id.0.clone(),
        refund_no: refund.refund_no.clone(),
        channel: order.fingerprint.channel.clone(),
        trade_no: refund.trade_no.clone(),
        amount: refund.money.amount,
        currency: refund.money.currency.as_str().to_owned(),
        status: refund.status.as_str().to_owned(),
        source: refund.source.as_str().to_owned(),
        actor: refund.by.clone(),
        note: refund.reason.clone(),
        channel_refund_no: refund.channel_refund_no.clone(),
        version: refund.version,
        send_count: refund.send_count.into(),
        first_sent_at: refund.first_sent_at.map(|at| at.0),
        last_sent: refund.last_sent.as_ref().map(to_json).transpose()?,
        last_ended: refund.last_ended.as_ref().map(to_json).transpose()?,
        accepted: refund.accepted,
        check_count: refund.check_count.into(),
        next_check_at: refund.next_check_at.map(|at| at.0),
        not_found_since: refund.not_found_since.as_ref().map(to_json).transpose()?,
        proposal: refund.proposal.as_ref().map(to_json).transpose()?,
        last_error: refund.last_error.clone(),
        created_at: refund.created_at.0,
        updated_at: refund.updated_at.0,
    })
}

pub(super) fn refund_from_row(row: refunds::Model) -> Result<Refund, StoreError> {
    Ok(Refund {
        money: money(row.amount, &row.currency)?,
        status: word("status", Some(&row.status), RefundStatus::parse)?
            .ok_or_else(|| unreadable("status", &row.status))?,
        source: word("source", Some(&row.source), RefundSource::parse)?
            .ok_or_else(|| unreadable("source", &row.source))?,
        refund_id: row.refund_id,
        refund_no: row.refund_no,
        trade_no: row.trade_no,
        by: row.actor,
        reason: row.note,
        channel_refund_no: row.channel_refund_no,
        version: row.version,
        send_count: count("send_count", row.send_count)?,
        first_sent_at: row.first_sent_at.map(UnixMillis),
        last_sent: optional("last_sent", row.last_sent.as_deref())?,
        last_ended: optional("last_ended", row.last_ended.as_deref())?,
        accepted: row.accepted,
        check_count: count("check_count", row.check_count)?,
        next_check_at: row.next_check_at.map(UnixMillis),
        not_found_since: optional("not_found_since", row.not_found_since.as_deref())?,
        proposal: optional("proposal", row.proposal.as_deref())?,
        last_error: row.last_error,
        created_at: UnixMillis(row.created_at),
        updated_at: UnixMillis(row.updated_at),
    })
}
