//! The inputs of a history, in words.

use crate::domain::order::{Answer, ChargeStatus, Input, RefundAnswer, Source};

/// What happened, for people.
pub(super) fn of(input: &Input) -> String {
    match input {
        Input::Answer { source, answer } => format!("{}: {}", by(source), said(answer)),
        Input::TradeTaken { proof, .. } => format!("trade {} is another order's", proof.trade_no),
        Input::SubmitTimedOut { submit } => format!("submit {submit} has timed out"),
        Input::Due => "its timer comes".to_owned(),
        Input::UiDeadlinePassed => "its user is answered without a result".to_owned(),
        Input::Recovered => "is found after a start".to_owned(),
        Input::ActorFailed { .. } => "its actor dies again and again".to_owned(),
        Input::CloseRequested { .. } => "the merchant wants it closed".to_owned(),
        Input::QueryRequested { .. } => "a person wants the channel asked".to_owned(),
        Input::Review(review) => format!("{} reviews it: {}", review.operator, review.decision),
        Input::RefundRequested(request) => {
            format!(
                "refund {} of {} is wanted",
                request.refund_no, request.amount
            )
        }
        Input::RefundReply {
            call,
            refund_no,
            answer,
        } => format!("{call:?} of refund {refund_no}: {}", said_of_refund(answer)),
        Input::RefundTold { news, .. } => format!(
            "notice of refund {}: {}",
            news.refund_no,
            said_of_refund(&news.answer)
        ),
        Input::RefundReview(review) => format!(
            "{} reviews refund {}: {}",
            review.operator, review.refund_no, review.decision
        ),
        Input::Fulfil { kind, .. } => format!("a worker grants its {kind}"),
        Input::Dispute { phase, .. } => format!("notice of a dispute: {phase}"),
        Input::BillLine { .. } => "a bill names it".to_owned(),
    }
}

fn by(source: &Source) -> String {
    match source {
        Source::Reply { submit } => format!("reply to submit {submit}"),
        Source::Query => "reply to a query".to_owned(),
        Source::Close => "reply to a close".to_owned(),
        Source::Callback { .. } => "notice".to_owned(),
    }
}

fn said(answer: &Answer) -> String {
    match answer {
        Answer::Charge(statement) => match &statement.status {
            ChargeStatus::Paid => match (&statement.trade_no, statement.money) {
                (Some(trade_no), Some(money)) => format!("paid, {money} as {trade_no}"),
                (_, _) => "paid".to_owned(),
            },
            ChargeStatus::PaidAndRefunded => "paid and given back".to_owned(),
            ChargeStatus::PaidAndSomeRefunded => "paid and given back in part".to_owned(),
            ChargeStatus::Pending { .. } => "pending".to_owned(),
            ChargeStatus::Processing => "processing".to_owned(),
            ChargeStatus::Declined => "declined".to_owned(),
            ChargeStatus::Closed => "closed".to_owned(),
            ChargeStatus::Unexplained(word) => format!("{word}, which nobody knows"),
        },
        Answer::NotFound
        | Answer::AlreadyPaid
        | Answer::Hint(_)
        | Answer::KeyConflict
        | Answer::CannotClose
        | Answer::Throttled { .. }
        | Answer::NotSent { .. }
        | Answer::Unknown(_) => answer.summary().to_owned(),
    }
}

fn said_of_refund(answer: &RefundAnswer) -> String {
    match answer {
        RefundAnswer::Succeeded(_) => "succeeded".to_owned(),
        RefundAnswer::Pending(_) => "pending".to_owned(),
        RefundAnswer::Failed(_) => "failed".to_owned(),
        RefundAnswer::Repeatable { .. }
        | RefundAnswer::Conflict { .. }
        | RefundAnswer::NotFound
        | RefundAnswer::Throttled { .. }
        | RefundAnswer::NotSent { .. }
        | RefundAnswer::Unknown(_) => answer.summary().to_owned(),
    }
}
