//! Stories as text: one line, one thing that happens, and after `->` all that comes of it.
//!
//! ```text
//! submit                  -> PROCESSING + submit
//! tick 3 s                -> UNKNOWN submit_timeout
//! callback paid T1        -> PAID + order.paid
//! ```
//! What follows the status and its reason is compared as a whole: calls, alerts, announcements, where a
//! refund stands now (`r1 SUCCEEDED`), what the account `gets`, `loses` and `holds`, the queue of grants; `resolves` (the alert
//! of before), `dup` (a notice that is only counted), `mark` (no event), `nothing` (no write), `refused <code>`.

use crate::inputs::{given, input, millis};
use crate::scene::Scene;
use oncepay::domain::order::{Decision, Effect, FulfilmentChange, Input, Order, Refusal};

/// Plays the story and holds every line against what follows `->`.
#[track_caller]
pub(crate) fn check(story: &str) -> Scene {
    let mut scene = Scene::new();
    for line in story.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let line = line.split("//").next().unwrap().trim();
        let (happens, expected) = line.split_once("->").unwrap_or((line, ""));
        let came = play(&mut scene, happens.trim());
        if !expected.is_empty() {
            assert_eq!(came, sorted(expected), "\nin the line `{line}` of\n{story}");
        }
    }
    scene
}

/// Plays one line and tells what came of it.
pub(crate) fn play(scene: &mut Scene, line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let before = scene.order.clone();
    match words[..] {
        ["given", ..] => {
            given(scene, &words[1..]);
            String::new()
        }
        ["submit"] => {
            let decision = scene.create();
            told(&before, &decision)
        }
        ["tick", n, unit] => tick(scene, millis(n, unit)),
        ["wall", n, unit] => {
            scene.now.wall = scene.now.wall.plus(millis(n, unit));
            String::new()
        }
        ["down", n, unit] => {
            scene.pass(millis(n, unit));
            scene.restart();
            outcome(scene, &Input::Recovered)
        }
        _ => {
            let input = input(scene, &words);
            outcome(scene, &input)
        }
    }
}

fn outcome(scene: &mut Scene, input: &Input) -> String {
    let before = scene.order.clone();
    match scene.apply(input) {
        Ok(decision) => told(&before, &decision),
        Err(refusal) => refused(refusal),
    }
}

fn refused(refusal: Refusal) -> String {
    format!("refused {}", refusal.code())
}

/// Time passes; whatever timer of the order comes within it is fired at its moment.
fn tick(scene: &mut Scene, millis: i64) -> String {
    let end = scene.now.wall.plus(millis);
    let mut parts = Vec::new();
    for _ in 0..400 {
        let Some(due) = scene.wake_at().filter(|due| *due <= end) else {
            break;
        };
        scene.pass(due.since(scene.now.wall).max(0));
        let came = outcome(scene, &Input::Due);
        parts.extend(came.split(" + ").skip(1).map(str::to_owned));
        let again = scene.wake_at().is_some_and(|next| next <= scene.now.wall);
        assert!(!again, "a timer refires: {:?}", scene.order);
    }
    scene.pass(end.since(scene.now.wall));
    let mut all = vec![standing(&scene.order)];
    all.append(&mut parts);
    sorted(&all.join(" + "))
}

/// Everything that came of a decision, in one line.
pub(crate) fn told(before: &Order, decision: &Decision) -> String {
    let next = &decision.next;
    let mut parts = vec![standing(next)];
    parts.extend(decision.effects.iter().map(|effect| match effect {
        Effect::Submit { .. } => "submit".to_owned(),
        Effect::Query => "query".to_owned(),
        Effect::Close => "close".to_owned(),
        Effect::Refund { refund_no } => format!("refund {refund_no}"),
        Effect::QueryRefund { refund_no } => format!("query refund {refund_no}"),
    }));
    parts.extend(
        decision
            .alerts
            .iter()
            .map(|alert| format!("alert {}", alert.kind)),
    );
    parts.extend(
        decision
            .announcements
            .iter()
            .map(|told| told.kind().to_owned()),
    );
    parts.extend(moved_money(before, decision));
    if decision.resolves_alerts {
        parts.push("resolves".to_owned());
    }
    if decision.events.is_empty() {
        let quiet = if next.callback_count > before.callback_count {
            "dup"
        } else if decision.writes(before) {
            "mark"
        } else {
            "nothing"
        };
        parts.push(quiet.to_owned());
    }
    sorted(&parts.join(" + "))
}

/// What became of refunds, of the ledger and of the queue of grants.
fn moved_money(before: &Order, decision: &Decision) -> Vec<String> {
    let mut parts = Vec::new();
    for refund in &decision.refunds {
        let was = before.refund(&refund.refund_no).map(|was| was.status);
        if was != Some(refund.status) {
            parts.push(format!("{} {}", refund.refund_no, refund.status));
        }
    }
    for posting in &decision.postings {
        if posting.quantity != 0 {
            let way = if posting.quantity > 0 {
                "gets"
            } else {
                "loses"
            };
            let quantity = posting.quantity.abs();
            parts.push(format!("{way} {quantity} {}", posting.kind));
        }
        if let Some(held) = posting.held {
            parts.push(format!("holds {} {}", held.after, posting.kind));
        }
    }
    parts.extend(decision.fulfilments.iter().map(|change| match change {
        FulfilmentChange::Queue { kind } => format!("queue {kind}"),
        FulfilmentChange::Done { kind } => format!("done {kind}"),
    }));
    let ended = decision.resolved_alerts.iter();
    parts.extend(ended.map(|key| format!("resolves {}", key.split('|').next().unwrap())));
    parts
}

fn standing(order: &Order) -> String {
    match order.reason {
        Some(reason) => format!("{} {reason}", order.status),
        None => order.status.to_string(),
    }
}

/// The status first, the rest in the order of the alphabet.
pub(crate) fn sorted(outcome: &str) -> String {
    let mut parts = outcome
        .split('+')
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let status = parts.next().unwrap_or_default();
    let mut rest: Vec<String> = parts.collect();
    rest.sort();
    rest.insert(0, status);
    rest.join(" + ")
}
