//! Random refunds, postings, grants and movements of accounts, in few enough words that they meet each other.

use oncepay::domain::ledger::HoldStatus;
use oncepay::domain::order::{FulfilmentChange, Held, Posting, Refund, RefundSource, RefundStatus};
use oncepay::domain::{EventId, UnixMillis};
use oncepay::store::Write;
use oncepay::store::journal::{
    AccountWrite, AuditRecord, DailyLimit, EntryRecord, HoldRecord, NewDelivery,
};
use proptest::prelude::*;

const KINDS: [&str; 2] = ["credits", "subscription"];

/// What a decision about an order may do beside the order.
#[derive(Debug, Clone)]
pub(crate) struct Money {
    refund: Option<(u8, i64, usize)>,
    posting: Option<(usize, i64, i64, i64, u8)>,
    grant: Option<(usize, bool)>,
    delivery: Option<u8>,
    audited: bool,
    daily: Option<i64>,
    over: Option<u8>,
}

pub(crate) fn money() -> impl Strategy<Value = Money> {
    (
        prop::option::weighted(0.3, (0..3_u8, 1..900_i64, 0..5_usize)),
        prop::option::weighted(0.4, (0..2_usize, -3..4_i64, 0..3_i64, 0..3_i64, 0..5_u8)),
        prop::option::weighted(0.3, (0..2_usize, any::<bool>())),
        prop::option::weighted(0.3, 0..4_u8),
        prop::bool::weighted(0.2),
        prop::option::weighted(0.3, 1_000..6_000_i64),
        prop::option::weighted(0.2, 0..6_u8),
    )
        .prop_map(
            |(refund, posting, grant, delivery, audited, daily, over)| Money {
                refund,
                posting,
                grant,
                delivery,
                audited,
                daily,
                over,
            },
        )
}

impl Money {
    pub(crate) fn add_to(&self, write: &mut Write, n: usize) {
        let order_no = write.order.order_no.0.clone();
        write.subscription_period_ms = 1_000;
        write.order.account = Some("a".into());
        let refunds = self
            .refund
            .map(|(no, amount, status)| refund_of(write, no, amount, RefundStatus::ALL[status]));
        write.refunds.extend(refunds);
        write
            .postings
            .extend(
                self.posting
                    .map(|(kind, quantity, before, after, source)| Posting {
                        account: format!("{}", char::from(b'a' + source % 2)),
                        kind: KINDS[kind].into(),
                        quantity,
                        source: format!("order:{order_no}:{source}"),
                        held: (before != after).then_some(Held { before, after }),
                    }),
            );
        write.fulfilments.extend(self.grant.map(|(kind, done)| {
            let kind = KINDS[kind].to_owned();
            if done {
                FulfilmentChange::Done { kind }
            } else {
                FulfilmentChange::Queue { kind }
            }
        }));
        write
            .deliveries
            .extend(self.delivery.map(|own| NewDelivery {
                webhook_id: (own > 1).then(|| format!("ful:{order_no}:{own}")),
                kind: "order.paid",
                body: "{}".into(),
            }));
        write.audit = self.audited.then(|| AuditRecord {
            actor: "operator:ann".into(),
            action: "review",
            subject: order_no,
            detail: format!("{{\"n\":{n}}}"),
        });
        write.daily_limit = self.daily.map(|amount| DailyLimit {
            amount,
            since: UnixMillis(0),
        });
        let over = self.over.map(|alert| format!("order_manual|ord_{alert}|0"));
        write.resolved_alerts.extend(over);
    }
}

pub(crate) fn refund_of(write: &Write, no: u8, amount: i64, status: RefundStatus) -> Refund {
    let order = &write.order;
    Refund {
        refund_id: format!("ref_{}_{no}", order.order_no),
        refund_no: format!("r-{no}"),
        trade_no: format!("T{}", no * 2),
        money: oncepay::Money::new(amount, order.money.currency),
        status,
        source: RefundSource::Merchant,
        by: "api:shop".into(),
        reason: None,
        channel_refund_no: Some(format!("c-{status}")),
        version: 1,
        send_count: 1,
        first_sent_at: Some(write.at),
        last_sent: None,
        last_ended: None,
        accepted: status == RefundStatus::Processing,
        check_count: 2,
        next_check_at: Some(write.at),
        not_found_since: None,
        proposal: None,
        last_error: None,
        created_at: write.at,
        updated_at: write.at,
    }
}

/// A movement of an account that belongs to no order.
#[derive(Debug, Clone)]
pub(crate) struct Movement {
    kind: usize,
    version: u8,
    quantity: i64,
    held: i64,
    source: u8,
    hold: Option<usize>,
}

pub(crate) fn movement() -> impl Strategy<Value = Movement> {
    (
        0..2_usize,
        0..4_u8,
        -3..4_i64,
        -1..3_i64,
        0..4_u8,
        prop::option::of(0..4_usize),
    )
        .prop_map(|(kind, version, quantity, held, source, hold)| Movement {
            kind,
            version,
            quantity,
            held,
            source,
            hold,
        })
}

impl Movement {
    pub(crate) fn write(&self, n: usize) -> AccountWrite {
        let at = UnixMillis(10_000 + i64::try_from(n).unwrap());
        AccountWrite {
            decision_id: EventId(format!("evt_m{n}")),
            account: "a".into(),
            kind: KINDS[self.kind].into(),
            expected_version: (self.version > 0).then_some(i64::from(self.version)),
            quantity: self.quantity,
            held: self.held,
            entry: (self.quantity != 0).then(|| EntryRecord {
                entry_id: format!("ent_m{n}"),
                source: format!("debit:{}", self.source),
                note: None,
            }),
            hold: self.hold.map(|status| HoldRecord {
                hold_no: format!("h-{}", self.source),
                quantity: 5,
                captured: 1,
                status: HoldStatus::ALL[status],
                expires_at: Some(at),
                created_at: at,
            }),
            at,
        }
    }
}
