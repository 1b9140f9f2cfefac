//! Stories as text: one line, one thing that happens, and after `->` all that comes of it.
//!
//! ```text
//! submit                  -> PROCESSING + submit
//! tick 3 s                -> UNKNOWN submit_timeout
//! callback paid T1        -> PAID + order.paid
//! ```
//! What follows the status and its reason is compared as a whole: calls, alerts, announcements; `resolves` (the alert
//! of before), `dup` (a notice that is only counted), `mark` (no event), `nothing` (no write), `refused <code>`.

use crate::answers::answer;
use crate::scene::Scene;
use oncepay::domain::order::input::Review;
use oncepay::domain::order::statement::Proof;
use oncepay::domain::order::{
    Decision, Effect, Input, Order, OrderStatus, Refusal, ReviewDecision, Source,
};
use oncepay::domain::schedule::LateSuccess;

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
    for _ in 0..1_000 {
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

fn millis(n: &str, unit: &str) -> i64 {
    let each = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        other => panic!("`{other}` is no unit"),
    };
    n.parse::<i64>().unwrap() * each
}

/// Everything that came of a decision, in one line.
pub(crate) fn told(before: &Order, decision: &Decision) -> String {
    let next = &decision.next;
    let mut parts = vec![standing(next)];
    parts.extend(decision.effects.iter().map(|effect| match effect {
        Effect::Submit { .. } => "submit".to_owned(),
        Effect::Query => "query".to_owned(),
        Effect::Close => "close".to_owned(),
    }));
    parts.extend(
        decision
            .alerts
            .iter()
            .map(|alert| format!("alert {}", alert.kind)),
    );
    parts.extend(decision.announcements.iter().map(ToString::to_string));
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

fn given(scene: &mut Scene, words: &[&str]) {
    let able = &mut scene.rules.capabilities;
    match words {
        ["ask", "first"] => scene.order.ask_first = true,
        ["no", "close"] => able.closes = false,
        ["no", "resubmit"] => able.resubmits = false,
        ["two", "charges", "per", "key"] => able.one_charge_per_key = false,
        ["own", "expiry"] => able.own_expiry = true,
        ["asynchronous"] => able.asynchronous = true,
        ["settles", "within", n, unit] => able.settles_within_ms = millis(n, unit),
        ["key", "life", n, unit] => able.key_life_ms = Some(millis(n, unit)),
        ["fulfil"] => scene.rules.late_success = LateSuccess::Fulfil,
        ["another", "account"] => scene.rules.fingerprint = None,
        ["successor", status] => scene.successor = OrderStatus::parse(status),
        ["second", "person"] => {
            let limit = (scene.order.money.currency, 1_000);
            scene.rules.second_person_above.extend([limit]);
        }
        other => panic!("nobody can be given {other:?}"),
    }
}

/// Reads what happens.
pub(crate) fn input(scene: &Scene, words: &[&str]) -> Input {
    let from = |source, words: &[&str]| Input::Answer {
        source,
        answer: answer(words),
    };
    match words {
        ["reply", n, said @ ..] => from(reply(n), said),
        ["query", said @ ..] => from(Source::Query, said),
        ["close", said @ ..] => from(Source::Close, said),
        ["callback", said @ ..] => from(notice(false), said),
        ["repeat", said @ ..] => from(notice(true), said),
        ["taken", trade_no] => Input::TradeTaken {
            source: Source::Query,
            proof: Proof {
                trade_no: (*trade_no).to_owned(),
                money: scene.order.money,
            },
        },
        ["timer"] => Input::Due,
        ["timed", "out", n] => Input::SubmitTimedOut {
            submit: n.parse().unwrap(),
        },
        ["deadline"] => Input::UiDeadlinePassed,
        ["recovered"] => Input::Recovered,
        ["actor", "failed"] => Input::ActorFailed {
            summary: "died".into(),
        },
        ["merchant", "closes"] => Input::CloseRequested {
            by: "api:shop".into(),
        },
        ["merchant", "asks"] => Input::QueryRequested {
            by: "api:shop".into(),
        },
        ["review", decision, rest @ ..] => Input::Review(review(scene, decision, rest)),
        ["refund", reference] => Input::ExternalRefund {
            reference: (*reference).to_owned(),
            summary: "refunded at the channel".into(),
        },
        ["dispute", reference, phase] => Input::Dispute {
            reference: (*reference).to_owned(),
            phase: (*phase).to_owned(),
        },
        ["bill"] => Input::BillLine {
            summary: "a line of the bill".into(),
        },
        other => panic!("nothing happens by {other:?}"),
    }
}

fn reply(n: &str) -> Source {
    Source::Reply {
        submit: n.parse().unwrap(),
    }
}

fn notice(repeat: bool) -> Source {
    Source::Callback {
        repeat,
        digest: "sha256:00".into(),
    }
}

/// `review PAID T1 by ann`, `review NOT_PAID by ann`, with `stale` or `silent` at the end.
fn review(scene: &Scene, decision: &str, rest: &[&str]) -> Review {
    let by = rest.iter().position(|word| *word == "by").unwrap();
    let stale = i64::from(rest.contains(&"stale"));
    Review {
        decision: ReviewDecision::parse(decision).unwrap(),
        basis: if rest.contains(&"silent") {
            " "
        } else {
            "bank statement"
        }
        .to_owned(),
        channel_trade_no: rest[..by].first().map(|trade_no| (*trade_no).to_owned()),
        expected_version: scene.order.version - stale,
        operator: rest[by + 1].to_owned(),
    }
}
