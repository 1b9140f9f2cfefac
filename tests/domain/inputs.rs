//! What happens, in words.

use crate::answers::answer;
use crate::refund_inputs::{notice, refund_input};
use crate::scene::Scene;
use oncepay::domain::order::input::Review;
use oncepay::domain::order::statement::Proof;
use oncepay::domain::order::{Entitlement, Input, OrderStatus, ReviewDecision, Source};
use oncepay::domain::schedule::{LateSuccess, OnRefund};

pub(crate) fn millis(n: &str, unit: &str) -> i64 {
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

pub(crate) fn given(scene: &mut Scene, words: &[&str]) {
    let able = &mut scene.rules.capabilities;
    match words {
        ["ask", "first"] => scene.order.ask_first = true,
        ["no", "refunds"] => able.refunds = false,
        ["late", "money", "goes", "back"] => scene.rules.late_success = LateSuccess::Refund,
        ["hold"] => scene.rules.on_refund = OnRefund::Hold,
        ["keep"] => scene.rules.on_refund = OnRefund::Keep,
        ["price", amount] => scene.order.money.amount = amount.parse().unwrap(),
        ["the", "account"] => scene.rules.fingerprint = Some(crate::scene::account()),
        ["no", "close"] => able.closes = false,
        ["no", "resubmit"] => able.resubmits = false,
        ["two", "charges", "per", "key"] => able.one_charge_per_key = false,
        ["own", "expiry"] => able.own_expiry = true,
        ["repeats", "show", "what", "to", "pay"] => able.repeats_action = true,
        ["asynchronous"] => able.asynchronous = true,
        ["settles", "within", n, unit] => able.settles_within_ms = millis(n, unit),
        ["key", "life", n, unit] => able.key_life_ms = Some(millis(n, unit)),
        ["grants", "at", "once", "except", kind] => scene.at_once_except = Some((*kind).into()),
        ["fulfil"] => scene.rules.late_success = LateSuccess::Fulfil,
        ["another", "account"] => scene.rules.fingerprint = None,
        ["successor", status] => scene.successor = OrderStatus::parse(status),
        ["second", "person"] => {
            let limit = (scene.order.money.currency, 1_000);
            scene.rules.second_person_above.extend([limit]);
        }
        [quantity, kind] => {
            let quantity = quantity.parse().unwrap();
            scene.order.account = Some("u1".to_owned());
            let entitlement = Entitlement::new((*kind).to_owned(), quantity);
            scene.order.entitlements.push(entitlement);
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
        ["bill"] => Input::BillLine {
            summary: "a line of the bill".into(),
        },
        other => {
            refund_input(scene, other).unwrap_or_else(|| panic!("nothing happens by {other:?}"))
        }
    }
}

fn reply(n: &str) -> Source {
    Source::Reply {
        submit: n.parse().unwrap(),
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
