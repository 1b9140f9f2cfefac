//! A write in rows, made where the decision was made, so that the journal's thread has little to do.

use super::account::AccountRows;
use super::outbox::{self, FulfilmentRows};
use super::postings::{self, PostingRows};
use super::{new_alert, order_row, refund_row, to_json, unreadable};
use crate::clock::new_id;
use crate::domain::order::{Event, Payment};
use crate::store::StoreError;
use crate::store::audit::AuditRow;
use crate::store::journal::{CallbackRecord, DailyLimit, Write};
use entities::{
    alerts, callbacks, deliveries, idempotency_keys, order_events, orders, payments, refunds,
};
use std::collections::BTreeSet;

/// One piece of work of the journal, in rows.
#[derive(Debug)]
pub(in crate::store) enum Prepared {
    Order(Box<OrderRows>),
    Account(Box<AccountRows>),
}

impl Prepared {
    /// The decision's id.
    pub(in crate::store) fn decision(&self) -> &str {
        match self {
            Self::Order(rows) => &rows.order.last_decision,
            Self::Account(rows) => &rows.movement.row.last_decision,
        }
    }

    /// What is to be sealed into the audit log with it.
    pub(in crate::store) fn audit(&self) -> Option<&AuditRow> {
        match self {
            Self::Order(rows) => rows.audit.as_ref(),
            Self::Account(_) => None,
        }
    }
}

/// Everything that one decision about an order writes.
#[derive(Debug)]
pub(in crate::store) struct OrderRows {
    /// `None` creates the order.
    pub(in crate::store) expected_version: Option<i64>,
    pub(in crate::store) unless_replaced: bool,
    pub(in crate::store) daily_limit: Option<DailyLimit>,
    pub(in crate::store) order: orders::Model,
    pub(in crate::store) events: Vec<order_events::Model>,
    /// Payments that are new.
    pub(in crate::store) payments: Vec<payments::Model>,
    /// Payments on record, whose `own` may have changed.
    pub(in crate::store) kept_payments: Vec<payments::Model>,
    pub(in crate::store) refunds: Vec<refunds::Model>,
    pub(in crate::store) postings: PostingRows,
    pub(in crate::store) fulfilments: FulfilmentRows,
    pub(in crate::store) deliveries: Vec<deliveries::Model>,
    pub(in crate::store) alerts: Vec<alerts::Model>,
    pub(in crate::store) resolves_alerts: bool,
    /// Keys of alerts that are over.
    pub(in crate::store) resolved_alerts: Vec<String>,
    pub(in crate::store) notice: Option<NoticeRow>,
    pub(in crate::store) idempotency: Option<idempotency_keys::Model>,
    pub(in crate::store) audit: Option<AuditRow>,
    /// Unix milliseconds.
    pub(in crate::store) at: i64,
}

/// A notice and whether its row is there already.
#[derive(Debug)]
pub(in crate::store) struct NoticeRow {
    pub(in crate::store) row: callbacks::Model,
    pub(in crate::store) repeat: bool,
}

/// The rows of this write; fresh ids are made here, once, so that a repeated attempt writes the same rows.
pub(in crate::store) fn prepare(write: &Write) -> Result<Prepared, StoreError> {
    let decision = write.decision_id.as_str();
    let (new, kept): (Vec<_>, Vec<_>) = payments(write).into_iter().partition(|row| {
        write
            .payments
            .iter()
            .any(|new| new.trade_no == row.trade_no)
    });
    let events = events(write)?;
    let refunds = write.refunds.iter();
    let rows = OrderRows {
        expected_version: write.expected_version,
        unless_replaced: write.unless_replaced,
        daily_limit: write.daily_limit,
        order: order_row(&write.order, decision, write.wake_at)?,
        payments: new,
        kept_payments: kept,
        refunds: refunds
            .map(|refund| refund_row(&write.order, refund))
            .collect::<Result<_, _>>()?,
        postings: postings::rows(write),
        fulfilments: outbox::fulfilments(write),
        deliveries: outbox::deliveries(write, &events),
        events,
        alerts: alerts(write),
        resolves_alerts: write.resolves_alerts,
        resolved_alerts: write.resolved_alerts.clone(),
        notice: write.callback.as_ref().map(|record| notice(write, record)),
        idempotency: write
            .idempotency
            .as_ref()
            .map(|record| idempotency_keys::Model {
                owner: record.owner.clone(),
                route: record.route.clone(),
                key: record.key.clone(),
                payload_digest: record.payload_digest.clone(),
                order_no: record.order_no.0.clone(),
                created_at: write.at.0,
            }),
        audit: write
            .audit
            .as_ref()
            .map(|record| AuditRow::new(record, decision, write.at)),
        at: write.at.0,
    };
    Ok(Prepared::Order(Box::new(rows)))
}

fn events(write: &Write) -> Result<Vec<order_events::Model>, StoreError> {
    let last = i64::from(write.order.event_seq);
    let written = i64::try_from(write.events.len())
        .map_err(|_out_of_range| unreadable("events", "too many"))?;
    let before = last.saturating_sub(written);
    (1..)
        .zip(&write.events)
        .map(|(n, event)| event_row(write, before.saturating_add(n), event))
        .collect()
}

fn event_row(write: &Write, seq: i64, event: &Event) -> Result<order_events::Model, StoreError> {
    Ok(order_events::Model {
        order_id: write.order.order_id.0.clone(),
        seq,
        event_id: new_id("evt"),
        decision_id: write.decision_id.0.clone(),
        at: write.at.0,
        kind: event.kind.as_str().to_owned(),
        actor: event.by.clone(),
        from_status: event.from.map(|status| status.as_str().to_owned()),
        to_status: event.to.as_str().to_owned(),
        detail: to_json(&event.detail)?,
        digest: event.digest.clone(),
    })
}

/// All payments of the order as it will stand, and those of the write that it does not name.
fn payments(write: &Write) -> Vec<payments::Model> {
    let of_order = &write.order.payments;
    let unnamed = write
        .payments
        .iter()
        .filter(|new| write.order.payment(&new.trade_no).is_none());
    (0..)
        .zip(of_order.iter().chain(unnamed))
        .map(|(position, payment)| payment_row(write, position, payment))
        .collect()
}

fn payment_row(write: &Write, position: i64, payment: &Payment) -> payments::Model {
    payments::Model {
        channel: write.order.fingerprint.channel.clone(),
        trade_no: payment.trade_no.clone(),
        order_id: write.order.order_id.0.clone(),
        own: payment.own,
        amount: payment.money.amount,
        currency: payment.money.currency.as_str().to_owned(),
        at: payment.at.0,
        position,
    }
}

/// One row for each key: a decision that raises the same alert twice has raised it once.
fn alerts(write: &Write) -> Vec<alerts::Model> {
    let order = &write.order;
    let newest = order.payments.last().or(write.payments.last());
    let newest = newest.map(|payment| &payment.trade_no);
    // What happened names the trade that the alert is about, also where another order owns it.
    let named = write.events.iter().rev();
    let trade_no = named
        .filter_map(|event| event.detail.channel_trade_no.as_ref())
        .next()
        .or(newest);
    let mut keys = BTreeSet::new();
    write
        .alerts
        .iter()
        .filter(|alert| keys.insert(alert.key()))
        .map(|alert| alerts::Model {
            order_id: Some(order.order_id.0.clone()),
            order_no: Some(order.order_no.0.clone()),
            idempotency_key: Some(order.idempotency_key.clone()),
            channel: Some(order.fingerprint.channel.clone()),
            channel_trade_no: trade_no.cloned(),
            ..new_alert(alert, write.at)
        })
        .collect()
}

fn notice(write: &Write, record: &CallbackRecord) -> NoticeRow {
    NoticeRow {
        row: callbacks::Model {
            channel: record.channel.clone(),
            callback_key: record.key.clone(),
            status: record.status.clone(),
            order_id: write.order.order_id.0.clone(),
            digest: record.digest.clone(),
            seen_count: 1,
            first_seen_at: write.at.0,
            last_seen_at: write.at.0,
        },
        repeat: record.repeat,
    }
}
