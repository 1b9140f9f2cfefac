//! A story from its first step to its settled end.

use crate::act::Actor;
use crate::audit::hold_against;
use crate::stage::{PRICE, Stage, number};
use crate::step::{Beat, Does, Policies, Step};
use oncepay::domain::order::{EntitlementStatus, Order, RefundStatus};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// More than any ladder has rungs.
const ROUNDS_MAX: u32 = 40;
const ROUND_MS: i64 = 600_000;
/// Looks at grants that a worker makes, each after this time.
const GRANT_LOOKS_MAX: u32 = 1_500;
const GRANT_LOOK: Duration = Duration::from_millis(10);
/// A question is answered within 2 seconds; what a longer time passes over is not under way any more.
const CALLS_LAST_MS: i64 = 10_000;

/// Plays it and holds the books against each other. What does not add up is told in words.
pub(crate) async fn play(policies: Policies, story: &[Beat]) -> Result<(), String> {
    let mut stage = Stage::open(policies).await;
    let faults = Arc::new(Mutex::new(Vec::new()));
    let booked = Arc::default();
    let mut under_way = Vec::new();
    for (step, waits) in story {
        let actor = actor(&stage, &booked, &faults);
        if let Step::Pass(millis) = step {
            pass(&stage, *millis).await;
        } else if let Step::Crash = step {
            stage.crash().await;
        } else if let Step::Person(order) = step {
            person(&stage, &actor, *order).await;
        } else if *waits {
            actor.act(*step).await;
            stage.quiet().await;
        } else {
            under_way.push(actix::spawn(actor.act(*step)));
        }
    }
    for step in under_way {
        drop(step.await);
    }
    settle(&stage, &actor(&stage, &booked, &faults)).await?;
    let before = hold_against(&stage, policies).await?;
    let orders = stage.orders().await;
    ask_again(&orders, &actor(&stage, &booked, &faults), story).await;
    settle(&stage, &actor(&stage, &booked, &faults)).await?;
    let after = hold_against(&stage, policies).await?;
    if before != after {
        return Err(format!(
            "asking again moved something:\n{before:#?}\n{after:#?}"
        ));
    }
    let mut faults = faults.lock().expect("unpoisoned").clone();
    faults.extend(stage.vault.faults());
    stage.close().await;
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("\n"))
    }
}

fn actor(
    stage: &Stage,
    booked: &Arc<Mutex<std::collections::BTreeMap<(u8, u8), String>>>,
    faults: &Arc<Mutex<Vec<String>>>,
) -> Actor {
    Actor {
        gateway: stage.gateway().clone(),
        vault: Arc::clone(&stage.vault),
        booked: Arc::clone(booked),
        faults: Arc::clone(faults),
    }
}

/// Time passes; no call outlives what its contract allows.
async fn pass(stage: &Stage, millis: i64) {
    if millis > CALLS_LAST_MS {
        stage.vault.let_go();
    } else {
        stage.vault.let_questions_go();
    }
    stage.quiet().await;
    stage.hours.pass(millis);
    timers(stage).await;
    stage.quiet().await;
}

/// The timers of all orders come, due or not.
async fn timers(stage: &Stage) {
    for order in stage.orders().await {
        drop(stage.gateway().remind(&order.order_no).await);
    }
}

async fn person(stage: &Stage, actor: &Actor, order: u8) {
    stage.vault.let_go();
    stage.quiet().await;
    let all = stage.orders().await;
    if let Some(order) = all.iter().find(|known| known.order_no == number(order)) {
        actor.person(order).await;
        stage.quiet().await;
    }
}

fn moves(order: &Order) -> bool {
    let refunds = order.refunds.iter();
    order.status.is_in_flight()
        || refunds
            .map(|refund| refund.status)
            .any(|status| matches!(status, RefundStatus::Processing | RefundStatus::Unknown))
}

fn waits_for_a_grant(order: &Order) -> bool {
    order.status.is_paid()
        && !order.withheld
        && order
            .entitlements
            .iter()
            .any(|granted| granted.status == EntitlementStatus::Pending)
}

/// Everything is answered, told and decided, until nothing is open any more.
async fn settle(stage: &Stage, actor: &Actor) -> Result<(), String> {
    for _ in 0..ROUNDS_MAX {
        stage.vault.forget_moods();
        stage.vault.let_go();
        stage.quiet().await;
        for order in 0..3 {
            stage.vault.settle_refunds(&number(order).0, false);
        }
        tell(stage, actor).await;
        for order in stage.orders().await {
            actor.person(&order).await;
        }
        stage.quiet().await;
        let told = stage.vault.notes().iter().all(|note| note.delivered);
        if told && !stage.orders().await.iter().any(moves) {
            return granted(stage).await;
        }
        pass(stage, ROUND_MS).await;
    }
    let open = stage.orders().await;
    Err(format!(
        "it never settles: {:#?}\n{open:#?}",
        stage.vault.charges()
    ))
}

/// What was not heard yet arrives, the newest first.
async fn tell(stage: &Stage, actor: &Actor) {
    let notes = stage.vault.notes();
    for n in (0..notes.len()).rev() {
        if !notes[n].delivered {
            actor.notice(n).await;
            stage.quiet().await;
        }
    }
}

async fn granted(stage: &Stage) -> Result<(), String> {
    for _ in 0..GRANT_LOOKS_MAX {
        if !stage.orders().await.iter().any(waits_for_a_grant) {
            return Ok(());
        }
        tokio::time::sleep(GRANT_LOOK).await;
    }
    let open = stage.orders().await;
    Err(format!("a grant is never made: {open:#?}"))
}

/// All that was ever asked and told, once more.
async fn ask_again(orders: &[Order], actor: &Actor, story: &[Beat]) {
    for (step, _) in story {
        if let Step::Create { order, other, .. } = step {
            if actor.vault.charge(&number(*order).0).is_some() {
                let price = if *other { PRICE - 1 } else { PRICE };
                actor.create(*order, price).await;
            }
        } else if let Step::Account { account, no, does } = step {
            let booked = || actor.booked.lock().expect("unpoisoned");
            if matches!(does, Does::Debit(_)) && booked().contains_key(&(*account, *no)) {
                actor.account(*account, *no, *does).await;
            }
        } else if let Step::Refund {
            order,
            no,
            amount,
            second,
            ..
        } = step
        {
            let refund_no = format!("r{no}");
            let mut all = orders.iter();
            if all.any(|it| it.order_no == number(*order) && it.refund(&refund_no).is_some()) {
                actor.refund(*order, *no, *amount, *second).await;
            }
        }
    }
    for n in 0..actor.vault.notes().len() {
        actor.notice(n).await;
    }
}
