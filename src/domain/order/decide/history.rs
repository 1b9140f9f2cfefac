//! The line of the history that an input is, before the decision is known.

use super::super::decision::{Event, EventDetail};
use super::super::input::{Input, Source};
use super::super::refund::{RefundRequest, RefundSource};
use super::super::status::EventKind;
use super::super::{Answer, Order};

/// The event that an input is, before the decision is known.
pub(super) fn event_of(order: &Order, input: &Input) -> Event {
    let channel = || format!("channel:{}", order.fingerprint.channel);
    let (kind, by, summary) = named(input, channel);
    let (detail, digest) = detail_of(input, summary);
    Event {
        kind,
        by,
        from: Some(order.status),
        to: order.status,
        detail,
        digest,
    }
}

/// Its kind, who caused it, and what it says in words.
fn named(input: &Input, channel: impl Fn() -> String) -> (EventKind, String, String) {
    match input {
        Input::Answer { source, answer } => {
            (kind_of(source), channel(), answer.summary().to_owned())
        }
        Input::TradeTaken { source, proof } => (
            kind_of(source),
            channel(),
            format!("trade {} is another order's", proof.trade_no),
        ),
        Input::SubmitTimedOut { .. } | Input::Due | Input::UiDeadlinePassed | Input::Recovered => {
            named_by_time(input)
        }
        Input::ActorFailed { summary } => (EventKind::Recovered, "startup".into(), summary.clone()),
        Input::CloseRequested { by } => {
            (EventKind::Close, by.clone(), "a close was asked for".into())
        }
        Input::QueryRequested { by } => {
            (EventKind::Query, by.clone(), "a query was asked for".into())
        }
        Input::Review(review) => (
            EventKind::Review,
            format!("operator:{}", review.operator),
            review.decision.as_str().to_owned(),
        ),
        Input::RefundRequested(request) => (
            EventKind::Refund,
            asked_by(request),
            format!("refund {} was asked for", request.refund_no),
        ),
        Input::RefundReply { answer, .. } => (
            EventKind::RefundReply,
            channel(),
            answer.summary().to_owned(),
        ),
        Input::RefundTold { news, .. } => (
            EventKind::Callback,
            channel(),
            news.answer.summary().to_owned(),
        ),
        Input::RefundReview(review) => (
            EventKind::RefundReview,
            format!("operator:{}", review.operator),
            review.decision.as_str().to_owned(),
        ),
        Input::Fulfil { kind, .. } => (EventKind::Fulfilment, "timer".into(), kind.clone()),
        Input::Dispute { summary, .. } => (EventKind::Dispute, channel(), summary.clone()),
        Input::BillLine { summary } => (EventKind::Reconcile, "reconcile".into(), summary.clone()),
    }
}

/// What time and start-up bring.
fn named_by_time(input: &Input) -> (EventKind, String, String) {
    let (kind, by, summary) = match input {
        Input::SubmitTimedOut { .. } => (
            EventKind::SubmitTimeout,
            "timer",
            "no reply in time; the call goes on",
        ),
        Input::UiDeadlinePassed => (EventKind::SubmitTimeout, "timer", "its user was answered"),
        Input::Recovered => (EventKind::Recovered, "startup", "found after a restart"),
        Input::Due
        | Input::Answer { .. }
        | Input::TradeTaken { .. }
        | Input::ActorFailed { .. }
        | Input::CloseRequested { .. }
        | Input::QueryRequested { .. }
        | Input::Review(_)
        | Input::RefundRequested(_)
        | Input::RefundReply { .. }
        | Input::RefundTold { .. }
        | Input::RefundReview(_)
        | Input::Fulfil { .. }
        | Input::Dispute { .. }
        | Input::BillLine { .. } => (EventKind::Query, "timer", "a check is due"),
    };
    (kind, by.to_owned(), summary.to_owned())
}

fn asked_by(request: &RefundRequest) -> String {
    match request.source {
        RefundSource::Operator => format!("operator:{}", request.key_name),
        RefundSource::Merchant
        | RefundSource::Review
        | RefundSource::Policy
        | RefundSource::Channel => format!("api:{}", request.key_name),
    }
}

/// What the input tells beside its kind, and the digest of the message that brought it.
fn detail_of(input: &Input, summary: String) -> (EventDetail, Option<String>) {
    let mut detail = EventDetail {
        summary,
        ..EventDetail::default()
    };
    let mut digest = None;
    if let Input::Answer { source, .. }
    | Input::TradeTaken { source, .. }
    | Input::RefundTold { source, .. }
    | Input::Dispute { source, .. } = input
    {
        match source {
            Source::Reply { submit } => detail.submit = Some(*submit),
            Source::Callback { digest: bytes, .. } => digest = Some(bytes.clone()),
            Source::Query | Source::Close => {}
        }
    }
    name_refund(input, &mut detail);
    if let Input::TradeTaken { proof, .. } = input {
        detail.channel_trade_no = Some(proof.trade_no.clone());
        detail.amount = Some(proof.money.amount);
        detail.currency = Some(proof.money.currency.to_string());
    }
    if let Input::Answer { answer, .. } = input {
        detail.channel_trade_no = answer.trade_no().map(str::to_owned);
        if let Answer::Charge(statement) = answer {
            detail.amount = statement.money.map(|money| money.amount);
            detail.currency = statement.money.map(|money| money.currency.to_string());
        }
    }
    (detail, digest)
}

/// Which refund the input is about.
fn name_refund(input: &Input, detail: &mut EventDetail) {
    match input {
        Input::RefundRequested(request) => {
            detail.refund_no = Some(request.refund_no.clone());
            detail.amount = Some(request.amount);
            detail.channel_trade_no.clone_from(&request.trade_no);
        }
        Input::RefundReply { refund_no, .. } => detail.refund_no = Some(refund_no.clone()),
        Input::RefundTold { news, .. } => {
            detail.refund_no = Some(news.refund_no.clone());
            detail.channel_trade_no.clone_from(&news.trade_no);
            detail.amount = news.answer.statement().and_then(|said| said.amount);
        }
        Input::RefundReview(review) => {
            detail.refund_no = Some(review.refund_no.clone());
            detail.decision = Some(review.decision.to_string());
            detail.basis = Some(review.basis.clone());
        }
        Input::Fulfil { kind, .. } => detail.kind = Some(kind.clone()),
        Input::Answer { .. }
        | Input::TradeTaken { .. }
        | Input::SubmitTimedOut { .. }
        | Input::Due
        | Input::UiDeadlinePassed
        | Input::Recovered
        | Input::ActorFailed { .. }
        | Input::CloseRequested { .. }
        | Input::QueryRequested { .. }
        | Input::Review(_)
        | Input::Dispute { .. }
        | Input::BillLine { .. } => {}
    }
}

const fn kind_of(source: &Source) -> EventKind {
    match source {
        Source::Reply { .. } => EventKind::SubmitReply,
        Source::Query => EventKind::QueryReply,
        Source::Close => EventKind::Close,
        Source::Callback { .. } => EventKind::Callback,
    }
}
