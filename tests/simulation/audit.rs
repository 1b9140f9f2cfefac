//! The books of oncepay held against the vault's, and against themselves.

use crate::act::GRANTS;
use crate::books::{Charge, RefundState};
use crate::stage::{PRICE, Stage};
use crate::step::Policies;
use entities::{alerts, balances, holds, ledger_entries};
use oncepay::config::kept;
use oncepay::domain::order::{Order, OrderStatus, RefundSource, RefundStatus};
use oncepay::domain::schedule::OnRefund;
use oncepay::store::audit_check::{Verified, verify};
use oncepay::store::ledger;
use sea_orm::EntityTrait;
use std::collections::BTreeMap;

/// Number and status of each refund.
type Refunds = Vec<(String, String)>;

/// All that may not move when everything is asked again.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sums {
    balances: BTreeMap<(String, String), (i64, i64)>,
    entries: Vec<(String, String, String, i64)>,
    /// Number, status, what is refunded, and where each refund stands.
    orders: Vec<(String, String, i64, Refunds)>,
    vault: BTreeMap<String, Charge>,
}

/// All rows that are looked at.
struct Rows {
    entries: Vec<ledger_entries::Model>,
    holds: Vec<holds::Model>,
    balances: Vec<balances::Model>,
    alerts: Vec<alerts::Model>,
    orders: Vec<Order>,
    vault: BTreeMap<String, Charge>,
}

type Wrong = Vec<String>;

pub(crate) async fn hold_against(stage: &Stage, policies: Policies) -> Result<Sums, String> {
    let read = &stage.runtime().database().read;
    let mut wrong = Wrong::new();
    let checked = ledger::check(read).await.expect("the ledger is read");
    if !checked.differences.is_empty() {
        wrong.push(format!("balances are no sums: {:?}", checked.differences));
    }
    let key = kept::read_audit_key(&stage.data_dir()).expect("the key is read");
    let chain = verify(read, &key.expect("there is a key"), None).await;
    if !matches!(chain, Ok(Verified::Whole(_))) {
        wrong.push(format!("the audit log: {chain:?}"));
    }
    let rows = Rows {
        entries: ledger_entries::Entity::find()
            .all(read)
            .await
            .expect("read"),
        holds: holds::Entity::find().all(read).await.expect("read"),
        balances: balances::Entity::find().all(read).await.expect("read"),
        alerts: alerts::Entity::find().all(read).await.expect("read"),
        orders: stage.orders().await,
        vault: stage.vault.charges(),
    };
    for order in &rows.orders {
        let at_the_vault = rows.vault.get(order.order_no.as_str());
        money(order, at_the_vault, &rows, &mut wrong);
        statuses(order, &mut wrong);
        grants(order, policies, &rows, &mut wrong);
        told(order, &rows, &mut wrong);
    }
    for order_no in rows.vault.keys() {
        if !rows
            .orders
            .iter()
            .any(|order| order.order_no.0 == *order_no)
        {
            wrong.push(format!("{order_no} was charged and is not on record"));
        }
    }
    spent(&rows, &mut wrong);
    if wrong.is_empty() {
        return Ok(sums(&rows));
    }
    Err(format!(
        "{}\nthe vault: {:#?}\nthe orders: {:#?}\nthe entries: {:#?}\nthe alerts: {:#?}",
        wrong.join("\n"),
        rows.vault,
        rows.orders,
        rows.entries,
        rows.alerts
            .iter()
            .map(|alert| (&alert.key, &alert.status, &alert.message))
            .collect::<Vec<_>>(),
    ))
}

/// An alert of this kind about this order stands or stood, with this word in its key.
fn raised(rows: &Rows, kind: &str, order: &Order, word: &str) -> bool {
    rows.alerts.iter().any(|alert| {
        alert.kind == kind
            && alert.key.contains(order.order_id.as_str())
            && alert.key.contains(word)
    })
}

/// Every payment and every refund of one side is one of the other.
fn money(order: &Order, charge: Option<&Charge>, rows: &Rows, wrong: &mut Wrong) {
    let no = &order.order_no;
    let empty = Charge::open(PRICE);
    let charge = charge.unwrap_or(&empty);
    let ours: BTreeMap<_, _> = order
        .payments
        .iter()
        .map(|kept| (kept.trade_no.clone(), kept.money.amount))
        .collect();
    if ours != charge.trades {
        wrong.push(format!(
            "{no}: payments {ours:?}, charged {:?}",
            charge.trades
        ));
    }
    let own = order.own_payment().map(|own| &own.trade_no);
    if order.status.is_paid() != own.is_some() {
        wrong.push(format!(
            "{no} is {} and its own payment {own:?}",
            order.status
        ));
    }
    for (trade_no, paid) in &ours {
        let of_trade = || order.refunds.iter().filter(|it| it.trade_no == *trade_no);
        let spoken_for: i64 = of_trade()
            .filter(|it| it.status != RefundStatus::Failed)
            .map(|it| it.money.amount)
            .sum();
        let gone: i64 = of_trade()
            .filter(|it| it.status == RefundStatus::Succeeded)
            .map(|it| it.money.amount)
            .sum();
        if spoken_for > *paid {
            wrong.push(format!("{no}: {spoken_for} refunded of {paid}"));
        }
        // A difference is only where people are told of one.
        let unclear = raised(rows, "refund_conflict", order, "")
            || order.status == OrderStatus::Manual
            || of_trade().any(|it| it.status == RefundStatus::Manual);
        let told_of = charge.refunds.iter().filter(|(number, refund)| {
            refund.trade_no == *trade_no
                && refund.state == RefundState::Done
                && order.refund(number).is_none()
                && raised(rows, "external_refund", order, number)
        });
        let told_of: i64 = told_of.map(|(_, refund)| refund.amount).sum();
        let missing = charge.gone(trade_no) - gone;
        if !unclear && !(0..=told_of).contains(&missing) {
            wrong.push(format!(
                "{no}: {gone} went back of {trade_no}, there {missing} more"
            ));
        }
    }
    for refund in &order.refunds {
        let there = charge.refunds.get(&refund.refund_no).map(|it| it.state);
        let fits = match refund.status {
            // What a statement about the charge told of has no number there.
            RefundStatus::Succeeded if refund.source == RefundSource::Channel => {
                there.is_none_or(|there| there == RefundState::Done)
            }
            RefundStatus::Succeeded => there == Some(RefundState::Done),
            RefundStatus::Failed => there != Some(RefundState::Done),
            RefundStatus::Processing | RefundStatus::Unknown => false,
            RefundStatus::Manual => true,
        };
        if !fits && !raised(rows, "refund_conflict", order, &refund.refund_no) {
            wrong.push(format!("{no}: refund {refund:?} is {there:?} there"));
        }
    }
}

/// The status follows the money.
fn statuses(order: &Order, wrong: &mut Wrong) {
    let no = &order.order_no;
    let ended_with_money = order.status.is_ended() && order.has_proof();
    if ended_with_money {
        wrong.push(format!("{no} is {} and was paid", order.status));
    }
    let Some(own) = order.own_payment().filter(|_| order.status.is_paid()) else {
        return;
    };
    let of_own = || {
        order
            .refunds
            .iter()
            .filter(|it| it.trade_no == own.trade_no)
    };
    let gone: i64 = of_own()
        .filter(|it| it.status == RefundStatus::Succeeded)
        .map(|it| it.money.amount)
        .sum();
    let expected = if of_own().any(|it| it.status.is_open()) {
        OrderStatus::Refunding
    } else if gone == 0 {
        OrderStatus::Paid
    } else if gone < own.money.amount {
        OrderStatus::PartiallyRefunded
    } else {
        OrderStatus::Refunded
    };
    if (order.status, order.amount_refunded) != (expected, gone) {
        let (status, refunded) = (order.status, order.amount_refunded);
        wrong.push(format!(
            "{no} is {status} with {refunded}, and should be {expected} with {gone}"
        ));
    }
}

/// The account has what is not refunded, and no more.
fn grants(order: &Order, policies: Policies, rows: &Rows, wrong: &mut Wrong) {
    let no = &order.order_no;
    for (kind, quantity) in GRANTS {
        let granted = format!("order:{no}");
        let moved = format!("refund:{no}:");
        let of_order: Vec<_> = rows
            .entries
            .iter()
            .filter(|it| it.kind == kind && Some(&it.account) == order.account.as_ref())
            .filter(|it| it.source == granted || it.source.starts_with(&moved))
            .collect();
        let net: i64 = of_order.iter().map(|it| it.quantity).sum();
        let was_granted = of_order.iter().any(|it| it.source == granted);
        let left = quantity - quantity * order.amount_refunded / PRICE;
        let paid = order.status.is_paid() && !order.withheld;
        let fits = match policies.on_refund.0 {
            OnRefund::Keep => {
                (was_granted && (left..=quantity).contains(&net)) || (!was_granted && net == 0)
            }
            OnRefund::Debt | OnRefund::Hold if paid => net == left,
            OnRefund::Debt | OnRefund::Hold => net == 0,
        };
        if !fits {
            wrong.push(format!(
                "{no}: {net} {kind} granted, expected {left} of {quantity}"
            ));
        }
        if paid && !was_granted && left > 0 {
            wrong.push(format!("{no}: {kind} was never granted"));
        }
    }
}

/// Who must know of it knows, once.
fn told(order: &Order, rows: &Rows, wrong: &mut Wrong) {
    let no = &order.order_no;
    let stands = |kinds: &[&str], word: &str| {
        let standing = rows.alerts.iter().filter(|alert| {
            kinds.contains(&alert.kind.as_str())
                && alert.status != "resolved"
                && alert.order_id.as_deref() == Some(order.order_id.as_str())
                && alert.key.contains(word)
        });
        standing.count()
    };
    let manual = [
        "order_manual",
        "channel_changed",
        "payment_mismatch",
        "trade_no_conflict",
        "late_success",
    ];
    let standing = stands(&manual, "");
    if order.status == OrderStatus::Manual && standing == 0 {
        wrong.push(format!("{no} is with a person and nobody was told"));
    }
    let entries = stands(&["order_manual"], "");
    if entries > usize::from(order.status == OrderStatus::Manual) {
        wrong.push(format!("{no} is {} with {entries} alerts", order.status));
    }
    for refund in &order.refunds {
        let standing = stands(
            &["refund_manual"],
            &format!("/refund/{}|", refund.refund_no),
        );
        if standing != usize::from(refund.status == RefundStatus::Manual) {
            wrong.push(format!("{no}: {standing} alerts of {refund:?}"));
        }
    }
}

/// What was granted was spent or is there.
fn spent(rows: &Rows, wrong: &mut Wrong) {
    for balance in &rows.balances {
        let of_kind = || {
            let all = rows.entries.iter();
            all.filter(|it| it.account == balance.account && it.kind == balance.kind)
        };
        let is_of_orders =
            |source: &str| source.starts_with("order:") || source.starts_with("refund:");
        let granted: i64 = of_kind()
            .filter(|it| is_of_orders(&it.source))
            .map(|it| it.quantity)
            .sum();
        let debited: i64 = of_kind()
            .filter(|it| it.source.starts_with("debit:"))
            .map(|it| -it.quantity)
            .sum();
        let captured: i64 = rows
            .holds
            .iter()
            .filter(|it| it.account == balance.account && it.kind == balance.kind)
            .map(|it| it.captured)
            .sum();
        if granted != debited + captured + balance.balance {
            wrong.push(format!(
                "{}: {granted} granted, {debited} debited, {captured} captured, {} left",
                balance.account, balance.balance
            ));
        }
    }
}

fn sums(rows: &Rows) -> Sums {
    let entries = rows.entries.iter();
    let mut entries: Vec<_> = entries
        .map(|it| {
            (
                it.account.clone(),
                it.source.clone(),
                it.kind.clone(),
                it.quantity,
            )
        })
        .collect();
    entries.sort();
    Sums {
        balances: rows
            .balances
            .iter()
            .map(|it| ((it.account.clone(), it.kind.clone()), (it.balance, it.held)))
            .collect(),
        entries,
        orders: rows
            .orders
            .iter()
            .map(|order| {
                let refunds = order.refunds.iter();
                let refunds = refunds.map(|it| (it.refund_no.clone(), it.status.to_string()));
                let status = order.status.to_string();
                (
                    order.order_no.0.clone(),
                    status,
                    order.amount_refunded,
                    refunds.collect(),
                )
            })
            .collect(),
        vault: rows.vault.clone(),
    }
}
