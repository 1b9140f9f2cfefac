//! What happens to refunds, grants and disputes, in words.

use crate::scene::Scene;
use oncepay::domain::order::refund::{RefundCallKind, RefundRequest};
use oncepay::domain::order::statement::UnknownAnswer;
use oncepay::domain::order::{
    DisputePhase, Input, Reason, RefundAnswer, RefundDecision, RefundNews, RefundReview,
    RefundSource, RefundStatement, Source,
};

/// Reads what happens; `None` if it is about something else.
pub(crate) fn refund_input(scene: &Scene, words: &[&str]) -> Option<Input> {
    Some(match words {
        ["merchant", "refunds", rest @ ..] => requested(RefundSource::Merchant, "shop", rest),
        ["operator", name, "refunds", rest @ ..] => requested(RefundSource::Operator, name, rest),
        ["refund", "reply", refund_no, said @ ..] => replied(RefundCallKind::Send, refund_no, said),
        ["refund", "query", refund_no, said @ ..] => {
            replied(RefundCallKind::Query, refund_no, said)
        }
        ["refund", "told", refund_no, said @ ..] => told(false, refund_no, said),
        ["refund", "repeat", refund_no, said @ ..] => told(true, refund_no, said),
        [
            "refund",
            "review",
            refund_no,
            decision,
            "by",
            name,
            rest @ ..,
        ] => Input::RefundReview(review(scene, (refund_no, decision, name), rest)),
        ["grant", kind] => Input::Fulfil {
            kind: (*kind).to_owned(),
            outside: None,
        },
        ["grant", kind, "outside", stands] => Input::Fulfil {
            kind: (*kind).to_owned(),
            outside: Some(stands.parse().unwrap()),
        },
        ["dispute", reference, phase] => Input::Dispute {
            source: notice(false),
            reference: (*reference).to_owned(),
            phase: DisputePhase::parse(phase).unwrap(),
            summary: format!("dispute {phase}"),
        },
        _ => return None,
    })
}

/// `r1 500`, `r1 500 of T2`.
fn requested(source: RefundSource, key_name: &str, words: &[&str]) -> Input {
    Input::RefundRequested(RefundRequest {
        refund_no: words[0].to_owned(),
        amount: words[1].parse().unwrap(),
        reason: None,
        trade_no: of(words),
        source,
        key_name: key_name.to_owned(),
    })
}

fn replied(call: RefundCallKind, refund_no: &str, said: &[&str]) -> Input {
    Input::RefundReply {
        call,
        refund_no: refund_no.to_owned(),
        answer: answer(refund_no, said),
    }
}

/// `R1 succeeded 500 of T1`, with `in all` at the end where the amount is the sum of the trade's refunds.
fn told(repeat: bool, refund_no: &str, said: &[&str]) -> Input {
    let cumulative = said.ends_with(&["in", "all"]);
    Input::RefundTold {
        source: notice(repeat),
        news: RefundNews {
            refund_no: refund_no.to_owned(),
            trade_no: of(said),
            cumulative,
            ours_by_our_number: said.ends_with(&["by", "number"]),
            answer: answer(refund_no, said),
        },
    }
}

fn of(words: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| *word == "of")?;
    Some(words[at + 1].to_owned())
}

/// What the channel says of a refund: `succeeded`, `pending`, `failed`, each with an amount if it tells one;
/// `balance`, `conflict`, `not found`, `throttled`, `not sent`, `unknown`.
fn answer(refund_no: &str, said: &[&str]) -> RefundAnswer {
    let summary = said.join(" ");
    let statement = RefundStatement {
        refund_no: refund_no.to_owned(),
        amount: said.get(1).and_then(|word| word.parse().ok()),
        trade_no: of(said),
        channel_refund_no: None,
        summary: summary.clone(),
    };
    match said[0] {
        "succeeded" => RefundAnswer::Succeeded(statement),
        "pending" => RefundAnswer::Pending(statement),
        "failed" => RefundAnswer::Failed(statement),
        "balance" => RefundAnswer::Repeatable { summary },
        "conflict" => RefundAnswer::Conflict { summary },
        "not" if said[1] == "found" => RefundAnswer::NotFound,
        "not" => RefundAnswer::NotSent { summary },
        "throttled" => RefundAnswer::Throttled { summary },
        "unknown" => RefundAnswer::Unknown(UnknownAnswer {
            reason: Reason::UnreadableReply,
            summary,
        }),
        other => panic!("nothing is said of a refund by `{other}`"),
    }
}

pub(crate) fn notice(repeat: bool) -> Source {
    Source::Callback {
        repeat,
        digest: "sha256:00".into(),
    }
}

fn review(
    scene: &Scene,
    (refund_no, decision, operator): (&str, &str, &str),
    rest: &[&str],
) -> RefundReview {
    let version = scene
        .order
        .refund(refund_no)
        .map_or(1, |refund| refund.version);
    let silent = rest.contains(&"silent");
    RefundReview {
        refund_no: refund_no.to_owned(),
        decision: RefundDecision::parse(decision).unwrap(),
        basis: if silent { " " } else { "bank statement" }.to_owned(),
        expected_version: version - i64::from(rest.contains(&"stale")),
        operator: operator.to_owned(),
    }
}
