//! Rules and rows made of bytes: rules as somebody might configure them, and rows as no decision would leave them.

use super::bytes::Bytes;
use super::happenings::amount;
use crate::scene::{START, account};
use oncepay::domain::order::{
    CloseBy, Entitlement, EntitlementStatus, Order, OrderStatus, Payment, Proposal, Reason, Refund,
    RefundSource, RefundStatus, ReviewDecision, Submit,
};
use oncepay::domain::schedule::{LateSuccess, OnRefund, Rules};
use oncepay::domain::{Money, Now, Stamp, UnixMillis};

/// Rules as somebody might configure them, for a channel of any contract.
pub(crate) fn rules(bytes: &mut Bytes<'_>, rules: &mut Rules) {
    let able = &mut rules.capabilities;
    let bits = u16::from_le_bytes([bytes.byte(), bytes.byte()]);
    // All bits off is the usual channel.
    let bit = |n: u32| bits & (1 << n) != 0;
    able.one_charge_per_key = !bit(0);
    able.resubmits = !bit(1);
    able.closes = !bit(2);
    able.refunds = !bit(3);
    able.own_expiry = bit(4);
    able.asynchronous = bit(5);
    able.repeats_action = bit(15);
    able.settles_within_ms = if bit(6) { 86_400_000 } else { 0 };
    able.key_life_ms = match (bit(7), bit(8)) {
        (false, false) => Some(86_400_000),
        (true, false) => Some(600_000),
        (_, true) => None,
    };
    rules.late_success = match (bit(9), bit(10)) {
        (false, _) => LateSuccess::Manual,
        (true, false) => LateSuccess::Fulfil,
        (true, true) => LateSuccess::Refund,
    };
    rules.on_refund = match (bit(11), bit(12)) {
        (false, _) => OnRefund::Debt,
        (true, false) => OnRefund::Hold,
        (true, true) => OnRefund::Keep,
    };
    if bit(13) {
        let currency = oncepay::Currency::parse("CNY");
        let limits = currency.into_iter().map(|currency| (currency, 1_000));
        rules.second_person_above.extend(limits);
    }
    if bit(14) {
        rules.max_submits = 1 + u32::from(bytes.byte() % 20);
        rules.expiry_attempts = 1 + u32::from(bytes.byte() % 8);
        rules.not_found_grace_ms = 1 + i64::from(bytes.byte()) * 1_000;
        rules.expiry_margin_ms = i64::from(bytes.byte()) * 10_000;
        rules.startup_grace_ms = i64::from(bytes.byte()) * 1_000;
    }
}

/// Turns the order into a row that no decision would leave.
pub(crate) fn distort(bytes: &mut Bytes<'_>, order: &mut Order) {
    order.status = *bytes.pick(OrderStatus::ALL);
    order.reason = bytes.flag().then(|| *bytes.pick(Reason::ALL));
    order.version = bytes.whole().clamp(0, i64::MAX - 1);
    order.money.amount = amount(bytes, 1_999);
    order.created_at = moment(bytes);
    order.expires_at = moment(bytes);
    order.paid_at = bytes.flag().then(|| moment(bytes));
    order.deadline_passed_at = bytes.flag().then(|| moment(bytes));
    order.ask_first = bytes.flag();
    order.extra_submits = count(bytes);
    order.check_count = count(bytes);
    order.next_check_at = bytes.flag().then(|| moment(bytes));
    order.ask_due = bytes.flag();
    order.not_found_since = bytes.flag().then(|| stamp(bytes));
    order.close_requested_at = bytes.rarely(3).then(|| moment(bytes));
    order.close_by = bytes.rarely(3).then(|| *bytes.pick(CloseBy::ALL));
    order.expiry_count = count(bytes);
    order.proof_in_conflict = bytes.rarely(4);
    order.withheld = bytes.rarely(4);
    order.amount_refunded = amount(bytes, order.money.amount);
    order.callback_count = count(bytes);
    order.event_seq = count(bytes);
    order.account = bytes.flag().then(|| "u1".to_owned());
    order.submits = (0..bytes.below(4)).map(|_| submit(bytes)).collect();
    order.payments = payments(bytes, order.money);
    order.refunds = refunds(bytes, order.money);
    let kinds = ["credits", "seats"].into_iter();
    order.entitlements = kinds
        .take(bytes.below(3))
        .map(|kind| entitlement(bytes, kind))
        .collect();
    order.proposal = bytes.rarely(3).then(|| Proposal {
        decision: *bytes.pick(ReviewDecision::ALL),
        trade_no: bytes.flag().then(|| "T1".to_owned()),
        by: "ann".to_owned(),
        at: moment(bytes),
        version: order.version,
    });
}

/// The two clocks, anywhere.
pub(crate) fn now(bytes: &mut Bytes<'_>) -> Now {
    Now {
        wall: moment(bytes),
        mono_ms: bytes.whole(),
        epoch: 1,
    }
}

fn moment(bytes: &mut Bytes<'_>) -> UnixMillis {
    match bytes.below(4) {
        0 => START,
        1 => START.plus(i64::from(bytes.byte()) * 60_000 - 7_200_000),
        2 => START.plus(i64::from(bytes.byte()) * 3_600_000),
        _ => UnixMillis(bytes.whole()),
    }
}

fn stamp(bytes: &mut Bytes<'_>) -> Stamp {
    Stamp {
        at: moment(bytes),
        mono_ms: bytes.whole(),
        epoch: i64::from(bytes.flag()),
    }
}

fn count(bytes: &mut Bytes<'_>) -> u32 {
    match bytes.byte() {
        255 => u32::MAX,
        254 => u32::MAX - 1,
        small => u32::from(small % 8),
    }
}

fn submit(bytes: &mut Bytes<'_>) -> Submit {
    Submit {
        n: count(bytes),
        started: stamp(bytes),
        ended: bytes.flag().then(|| stamp(bytes)),
        resolved: bytes.flag(),
    }
}

fn payments(bytes: &mut Bytes<'_>, own: Money) -> Vec<Payment> {
    let trades = ["T1", "T2", "T3"].into_iter();
    let kept = trades.take(bytes.below(4));
    kept.map(|trade_no| Payment {
        trade_no: trade_no.to_owned(),
        money: Money::new(amount(bytes, own.amount), own.currency),
        own: bytes.flag(),
        at: moment(bytes),
    })
    .collect()
}

fn refunds(bytes: &mut Bytes<'_>, paid: Money) -> Vec<Refund> {
    let numbers = ["r1", "r2", "late-T1", "R1"].into_iter();
    let made = numbers.take(bytes.below(5));
    made.map(|refund_no| Refund {
        refund_id: format!("ref_{refund_no}"),
        refund_no: refund_no.to_owned(),
        trade_no: (*bytes.pick(&["T1", "T2", "T9"])).to_owned(),
        money: Money::new(amount(bytes, paid.amount), paid.currency),
        status: *bytes.pick(RefundStatus::ALL),
        source: *bytes.pick(RefundSource::ALL),
        by: "api:shop".to_owned(),
        reason: None,
        channel_refund_no: None,
        version: 1 + i64::from(bytes.byte()),
        send_count: count(bytes),
        first_sent_at: bytes.flag().then(|| moment(bytes)),
        last_sent: bytes.flag().then(|| stamp(bytes)),
        last_ended: bytes.flag().then(|| stamp(bytes)),
        accepted: bytes.flag(),
        check_count: count(bytes),
        next_check_at: bytes.flag().then(|| moment(bytes)),
        not_found_since: bytes.flag().then(|| stamp(bytes)),
        proposal: None,
        last_error: None,
        created_at: START,
        updated_at: START,
    })
    .collect()
}

fn entitlement(bytes: &mut Bytes<'_>, kind: &str) -> Entitlement {
    Entitlement {
        kind: kind.to_owned(),
        quantity: bytes.whole(),
        status: *bytes.pick(EntitlementStatus::ALL),
        granted: bytes.flag(),
        revoked: bytes.whole(),
        held: bytes.whole(),
        frozen_by: bytes.flag().then(|| "D1".to_owned()).into_iter().collect(),
        outside: bytes.flag(),
    }
}

/// An order is paid under this account, and calls would be made under it or another one.
pub(crate) fn own_account(bytes: &mut Bytes<'_>, rules: &mut Rules) {
    if bytes.rarely(4) {
        rules.fingerprint = bytes.flag().then(|| {
            let mut other = account();
            other.merchant = "M2".to_owned();
            other
        });
    }
}
