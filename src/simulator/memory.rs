//! A database in memory, with the constraints of the real one.

mod accounts;
mod alerts;
mod outbox;

pub(super) use accounts::{Account, Accounts};

use super::parts::Parts;
use crate::domain::order::{Decision, Order, OrderStatus, Payment, Refund, RefundStatus};
use alerts::KeptAlert;
use outbox::{Delivery, QueuedGrant};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// What the database refuses, whoever asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constraint {
    /// A row changes at the version that was read.
    Version,
    /// One row for an order number.
    OrderNo,
    /// A trade of a channel belongs to one order.
    TradeNo,
    /// A notice is kept once.
    Callback,
    /// An alert's key is raised once for ever.
    AlertKey,
    /// Refunds that have not failed never exceed what their trade paid.
    RefundCap,
    /// An account moves once for one source and kind.
    LedgerSource,
    /// An account moves at the version that was read.
    AccountVersion,
    /// What had ended becomes paid only while nothing replaces it.
    Replacement,
}

/// What came of a write that was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Holds,
    Stale,
    OrderExists,
    TradeNo,
    Callback,
    RefundCap,
    LedgerSource,
    Replaced,
}

/// One order with everything that hangs on its row.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) order: Order,
    /// Keys and statuses of notices.
    pub(super) inbox: Vec<(String, &'static str)>,
    pub(super) alerts: Vec<KeptAlert>,
    /// Keys of all alerts that were ever raised.
    pub(super) keys: Vec<String>,
    pub(super) grants: Vec<QueuedGrant>,
    pub(super) deliveries: Vec<Delivery>,
}

/// One decision with what else its write expects and holds.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) no: u32,
    /// `None` is a birth.
    pub(super) expected_version: Option<i64>,
    pub(super) decision: Decision,
    pub(super) notice: Option<(String, &'static str)>,
    pub(super) unless_replaced: bool,
    /// The order that replaces this one, if it is open or paid.
    pub(super) successor: Option<OrderStatus>,
}

#[derive(Debug, Default)]
pub(super) struct Memory {
    rows: HashMap<u32, Box<Row>>,
    trades: HashMap<(String, String), u32>,
    pub(super) accounts: Accounts,
}

impl Memory {
    pub(super) fn row(&self, no: u32) -> Option<&Row> {
        self.rows.get(&no).map(AsRef::as_ref)
    }

    pub(super) fn row_mut(&mut self, no: u32) -> Option<&mut Row> {
        self.rows.get_mut(&no).map(AsMut::as_mut)
    }

    pub(super) fn order(&self, no: u32) -> Option<&Order> {
        self.row(no).map(|row| &row.order)
    }

    /// Whether this notice is on record.
    pub(super) fn has_notice(&self, no: u32, notice: &(String, &'static str)) -> bool {
        self.row(no).is_some_and(|row| row.inbox.contains(notice))
    }

    /// Its story is over: nobody asks for the row again.
    pub(super) fn forget(&mut self, no: u32) -> Option<Box<Row>> {
        self.rows.remove(&no)
    }

    /// Whether the write would be made.
    pub(super) fn verdict(&self, write: &Write, parts: &impl Parts) -> Verdict {
        let decision = &write.decision;
        let row = self.row(write.no);
        match write.expected_version {
            None if row.is_some() && parts.has(Constraint::OrderNo) => return Verdict::OrderExists,
            None => {}
            Some(version) => {
                let found = row.map(|row| row.order.version);
                if found != Some(version) && parts.has(Constraint::Version) {
                    return Verdict::Stale;
                }
            }
        }
        if write.unless_replaced && write.successor.is_some() && parts.has(Constraint::Replacement)
        {
            return Verdict::Replaced;
        }
        let is_taken = |payment: &Payment| self.owner(&decision.next, payment) != Some(write.no);
        let known = |payment: &&Payment| self.owner(&decision.next, payment).is_some();
        if parts.has(Constraint::TradeNo) && decision.payments.iter().filter(known).any(is_taken) {
            return Verdict::TradeNo;
        }
        let kept = write
            .notice
            .as_ref()
            .filter(|notice| self.has_notice(write.no, notice));
        if kept.is_some_and(|_| !decision.events.is_empty()) && parts.has(Constraint::Callback) {
            return Verdict::Callback;
        }
        if parts.has(Constraint::RefundCap) && exceeds(&decision.next) {
            return Verdict::RefundCap;
        }
        let mut postings = decision.postings.iter();
        if parts.has(Constraint::LedgerSource)
            && postings.any(|posting| self.accounts.has_moved(posting))
        {
            return Verdict::LedgerSource;
        }
        Verdict::Holds
    }

    fn owner(&self, order: &Order, payment: &Payment) -> Option<u32> {
        self.owner_of(&order.fingerprint.channel, &payment.trade_no)
    }

    /// The order that this trade of a channel belongs to.
    pub(super) fn owner_of(&self, channel: &str, trade_no: &str) -> Option<u32> {
        let trade = (channel.to_owned(), trade_no.to_owned());
        self.trades.get(&trade).copied()
    }

    /// Makes a write whose verdict was that it holds. The places of the alerts and deliveries that it adds.
    pub(super) fn make(&mut self, write: Write, parts: &impl Parts) -> Added {
        let Write {
            no,
            decision,
            notice,
            ..
        } = write;
        for payment in &decision.payments {
            let channel = decision.next.fingerprint.channel.clone();
            let trade = (channel, payment.trade_no.clone());
            self.trades.entry(trade).or_insert(no);
        }
        for posting in &decision.postings {
            self.accounts.post(posting);
        }
        let mut added = Added {
            grants: decision.queued().map(str::to_owned).collect(),
            ..Added::default()
        };
        let row = match self.rows.entry(no) {
            Entry::Occupied(found) => {
                let row = found.into_mut();
                row.order = decision.next;
                row
            }
            Entry::Vacant(place) => place.insert(Box::new(Row::of(decision.next))),
        };
        if let Some(notice) = notice
            && !row.inbox.contains(&notice)
        {
            row.inbox.push(notice);
        }
        row.resolve(
            decision.resolves_alerts,
            &decision.resolved_alerts,
            &decision.alerts,
        );
        for alert in decision.alerts {
            added.alerts.extend(row.raise(alert, parts));
        }
        for change in decision.fulfilments {
            row.change_grant(change);
        }
        for announcement in &decision.announcements {
            added.deliveries.push(row.announce(announcement));
        }
        added
    }
}

/// What a write has left to be done.
#[derive(Debug, Default)]
pub(super) struct Added {
    /// Places of alerts that are to be mailed.
    pub(super) alerts: Vec<usize>,
    /// Kinds that are to be granted.
    pub(super) grants: Vec<String>,
    /// Places of webhooks that are to be sent.
    pub(super) deliveries: Vec<usize>,
}

impl Row {
    const fn of(order: Order) -> Self {
        Self {
            order,
            inbox: Vec::new(),
            alerts: Vec::new(),
            keys: Vec::new(),
            grants: Vec::new(),
            deliveries: Vec::new(),
        }
    }
}

/// Refunds of some trade that have not failed add up to more than it paid.
pub(super) fn exceeds(order: &Order) -> bool {
    let counts = |refund: &&Refund| refund.status != RefundStatus::Failed;
    order.payments.iter().any(|payment| {
        let of_trade = order.refunds.iter().filter(counts);
        let sum: i64 = of_trade
            .filter(|refund| refund.trade_no == payment.trade_no)
            .map(|refund| refund.money.amount)
            .sum();
        sum > payment.money.amount
    })
}
