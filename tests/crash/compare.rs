//! Three ledgers held against each other: the processor's, ours, the merchant's. And what is ours alone: the chain of the
//! audit log, the sums of the accounts, one mail for one alert.

use crate::books::{Books, Ours};
use crate::merchant::{Heard, Merchant};
use crate::people::count;
use crate::support::{Charge, RefundThere, Running};
use crate::world::World;
use oncepay::mail::render::LISTED_MAX;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How every order number of the lab begins, and its length.
const NUMBERS: &str = "lab-";
const NUMBER_LEN: usize = 10;

type Wrong = Vec<String>;

const PAID: [&str; 4] = ["PAID", "REFUNDING", "PARTIALLY_REFUNDED", "REFUNDED"];

/// See the module. What they add up to, for people.
pub(crate) async fn hold_against(world: &World, merchant: &Merchant, wrong: &mut Wrong) -> String {
    let connection = world.shop.database.connect().await;
    let ours = Books::read(&connection).await;
    let (charges, returned, _) = world.processor.books().await;
    let there: BTreeMap<&str, &Charge> = charges.iter().map(|it| (&*it.order_no, it)).collect();
    for order_no in there.keys().filter(|it| !ours.orders.contains_key(**it)) {
        wrong.push(format!(
            "{order_no} is known at the processor and not to us"
        ));
    }
    for (order_no, order_id) in &merchant.ids {
        let kept = ours.orders.get(order_no).map(|it| &it.order.order_id);
        if kept != Some(order_id) {
            wrong.push(format!(
                "{order_no} was answered as {order_id} and is {kept:?}"
            ));
        }
    }
    let silence = Heard::default();
    for (order_no, order) in &ours.orders {
        let heard = merchant.heard.get(order_no).unwrap_or(&silence);
        charged(order, there.get(&**order_no).copied(), wrong);
        given_back(order, &returned, heard, wrong);
        told(order, heard, wrong);
    }
    refunds_asked_for(merchant, &ours, wrong);
    accounts(merchant, &ours, wrong);
    mails(world, &ours, wrong);
    wrong.extend(
        ours.undelivered
            .iter()
            .map(|it| format!("{it} was never delivered")),
    );
    commands(world, wrong);
    let reviews = count(&connection, "SELECT COUNT(*) FROM audit_log").await;
    connection.close().await.expect("it closes");
    format!(
        "{} orders, {} charges, {} refunds, {} webhooks and {} repeats, {} entries, {} alerts, {reviews} audited",
        ours.orders.len(),
        charges.iter().filter(|it| it.charged_times > 0).count(),
        returned.len(),
        merchant.messages,
        merchant.repeats,
        ours.entries.len(),
        ours.alerts.len(),
    )
}

/// Charged once or not at all, and both sides know the same of it.
fn charged(ours: &Ours, there: Option<&Charge>, wrong: &mut Wrong) {
    let order = &ours.order;
    let (no, status) = (&order.order_no, &order.status);
    let times = there.map_or(0, |it| it.charged_times);
    let is_paid = PAID.contains(&&**status);
    if times > 1 {
        wrong.push(format!("{no} was charged {times} times"));
    }
    if is_paid != (times == 1) {
        wrong.push(format!("{no} is {status}, and was charged {times} times"));
    }
    let sent = there.map_or(0, |it| it.submits);
    let committed: Vec<serde_json::Value> =
        serde_json::from_str(&order.submits).unwrap_or_default();
    if sent > u64::try_from(committed.len()).expect("few") {
        let committed = committed.len();
        wrong.push(format!(
            "{no}: {sent} submits on the wire, {committed} on record"
        ));
    }
    if ours.became_paid != usize::from(is_paid) {
        wrong.push(format!("{no} became PAID {} times", ours.became_paid));
    }
    let kept: Vec<_> = ours
        .payments
        .iter()
        .map(|it| (&it.trade_no, it.amount))
        .collect();
    let made: Vec<_> = there
        .filter(|it| it.charged_times > 0)
        .map(|it| (&it.trade_no, it.amount))
        .into_iter()
        .collect();
    if kept != made || made.iter().any(|(_, amount)| *amount != order.amount) {
        let asked = order.amount;
        wrong.push(format!(
            "{no}: payments {kept:?} of {asked}, there {made:?}"
        ));
    }
}

/// Each refund went back once, under its number, and the merchant has heard of it.
fn given_back(ours: &Ours, returned: &[RefundThere], heard: &Heard, wrong: &mut Wrong) {
    let no = &ours.order.order_no;
    let there = returned.iter().filter(|it| it.order_no == **no);
    let there: Vec<_> = there
        .filter(|it| it.status == "SUCCEEDED")
        .map(|it| (it.refund_no.clone(), it.amount))
        .collect();
    let succeeded = ours.refunds.iter().filter(|it| it.status == "SUCCEEDED");
    let kept: BTreeMap<_, _> = succeeded
        .map(|it| (it.refund_no.clone(), it.amount))
        .collect();
    let made: BTreeMap<_, _> = there.iter().cloned().collect();
    if made != kept || made.len() != there.len() {
        wrong.push(format!("{no}: refunds {kept:?}, there {there:?}"));
    }
    if heard.refunded != kept {
        let heard = &heard.refunded;
        wrong.push(format!(
            "{no}: refunds {kept:?}, the merchant heard of {heard:?}"
        ));
    }
    let sum: i64 = kept.values().sum();
    if sum != ours.order.amount_refunded {
        let noted = ours.order.amount_refunded;
        wrong.push(format!("{no}: {noted} refunded, and {sum} by its refunds"));
    }
}

/// The merchant was told once how it ended, and has granted what our ledger has.
fn told(ours: &Ours, heard: &Heard, wrong: &mut Wrong) {
    let (no, status) = (&ours.order.order_no, &*ours.order.status);
    let is_paid = PAID.contains(&status);
    if heard.paid != u32::from(is_paid) {
        let paid = heard.paid;
        wrong.push(format!(
            "{no} is {status}; the merchant heard {paid} times that it is paid"
        ));
    }
    if ["FAILED", "CLOSED"].contains(&status) && heard.ended == 0 {
        wrong.push(format!(
            "{no} is {status}, and the merchant has not heard of it"
        ));
    }
    if (&heard.granted, heard.revoked) != (&ours.granted, ours.revoked) {
        wrong.push(format!("{no}: {ours:?}; the merchant heard {heard:?}"));
    }
    let entitled = ours.order.entitlements != "[]";
    // All of it may have been refunded before it was granted.
    let due = is_paid && entitled && status != "REFUNDED";
    if ours.granted.len() > 1
        || (due && ours.granted.is_empty())
        || (!is_paid && !ours.granted.is_empty())
    {
        wrong.push(format!("{no} is {status}, granted {:?}", ours.granted));
    }
    if status == "REFUNDED" && ours.granted.iter().sum::<i64>() != ours.revoked {
        wrong.push(format!(
            "{no} is refunded; of {:?} {} came back",
            ours.granted, ours.revoked
        ));
    }
}

fn refunds_asked_for(merchant: &Merchant, ours: &Books, wrong: &mut Wrong) {
    for (refund_no, (order_no, amount)) in &merchant.refunds {
        let order = ours.orders.get(order_no);
        let kept = order.and_then(|it| it.refunds.iter().find(|it| it.refund_no == *refund_no));
        if kept.map(|it| it.amount) != Some(*amount) {
            wrong.push(format!(
                "refund {refund_no} of {amount} was taken and is {kept:?}"
            ));
        }
    }
}

fn accounts(merchant: &Merchant, ours: &Books, wrong: &mut Wrong) {
    let names: BTreeSet<_> = merchant
        .balances
        .keys()
        .chain(ours.balances.keys())
        .collect();
    for account in names {
        let has = ours.balances.get(account).map_or(0, |it| it.balance);
        let held = ours.balances.get(account).map_or(0, |it| it.held);
        let should = merchant.balances.get(account).copied().unwrap_or_default();
        if (has, held) != (should, 0) {
            wrong.push(format!(
                "{account} has {has}, {held} held; by the merchant's account {should}"
            ));
        }
        let entries = ours.entries.iter().filter(|it| it.account == *account);
        let sum: i64 = entries.map(|it| it.quantity).sum();
        if sum != has {
            wrong.push(format!("{account} has {has}, and its entries are {sum}"));
        }
    }
}

/// One mail for one alert, however often it had to be handed over.
fn mails(world: &World, ours: &Books, wrong: &mut Wrong) {
    let lines = world.mail_server.lines();
    let mut texts: BTreeMap<&str, &str> = BTreeMap::new();
    for line in &lines {
        let text = |field: &str| line[field].as_str().unwrap_or_default();
        texts.insert(text("message_id"), text("text"));
    }
    let mut told_in: BTreeMap<&str, usize> = BTreeMap::new();
    let mut expected: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for alert in &ours.alerts {
        let Some(id) = alert.message_id.as_deref() else {
            wrong.push(format!("nobody was mailed of {alert:?}"));
            continue;
        };
        *told_in.entry(id).or_default() += 1;
        if !texts.contains_key(id) {
            wrong.push(format!("the mail {id} of {} never came", alert.key));
        }
        if let Some(order_no) = &alert.order_no {
            expected.entry(order_no).or_default().insert(id);
        }
    }
    for id in texts.keys().filter(|id| !told_in.contains_key(**id)) {
        wrong.push(format!("the mail {id} is of no alert"));
    }
    let mut named_in: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (id, text) in &texts {
        for (begin, _) in text.match_indices(NUMBERS) {
            let number = text.get(begin..begin + NUMBER_LEN).unwrap_or_default();
            named_in.entry(number).or_default().insert(id);
        }
    }
    for (order_no, ids) in expected {
        let naming = named_in.remove(order_no).unwrap_or_default();
        // A mail of a storm names the first hundred.
        let short = |id: &&&str| told_in.get(**id).is_some_and(|count| *count <= LISTED_MAX);
        let missed = ids.difference(&naming).find(short);
        if naming.is_subset(&ids) && missed.is_none() {
            continue;
        }
        wrong.push(format!(
            "{order_no}: mails {naming:?}, by its alerts {ids:?}"
        ));
    }
}

/// What anybody can run beside the server.
fn commands(world: &World, wrong: &mut Wrong) {
    for arguments in [["ledger", "check"], ["audit", "verify"]] {
        let folder = world.shop.folder();
        let log = folder.join(format!("log-{}", uuid::Uuid::new_v4()));
        let mut command = Running::start(folder, &arguments, &[], &log);
        let ended = command.ended(Duration::from_secs(60));
        if !ended.success() {
            wrong.push(format!("{arguments:?}: {}", command.log()));
        }
    }
}
