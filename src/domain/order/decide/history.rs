//! The line of the history that an input is, before the decision is known.

use super::super::decision::{Event, EventDetail};
use super::super::input::{Input, Source};
use super::super::status::EventKind;
use super::super::{Answer, Order};

/// The event that an input is, before the decision is known.
pub(super) fn event_of(order: &Order, input: &Input) -> Event {
    let channel = || format!("channel:{}", order.fingerprint.channel);
    let (kind, by, summary) = match input {
        Input::Answer { source, answer } => {
            (kind_of(source), channel(), answer.summary().to_owned())
        }
        Input::TradeTaken { source, proof } => (
            kind_of(source),
            channel(),
            format!("trade {} is another order's", proof.trade_no),
        ),
        Input::SubmitTimedOut { .. } => (
            EventKind::SubmitTimeout,
            "timer".into(),
            "no reply in time; the call goes on".into(),
        ),
        Input::Due => (EventKind::Query, "timer".into(), "a check is due".into()),
        Input::UiDeadlinePassed => (
            EventKind::SubmitTimeout,
            "timer".into(),
            "its user was answered".into(),
        ),
        Input::Recovered => (
            EventKind::Recovered,
            "startup".into(),
            "found after a restart".into(),
        ),
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
        Input::ExternalRefund { summary, .. } => (EventKind::Refund, channel(), summary.clone()),
        Input::Dispute { phase, .. } => (EventKind::Dispute, channel(), format!("dispute {phase}")),
        Input::BillLine { summary } => (EventKind::Reconcile, "reconcile".into(), summary.clone()),
    };
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

/// What the input tells beside its kind, and the digest of the message that brought it.
fn detail_of(input: &Input, summary: String) -> (EventDetail, Option<String>) {
    let mut detail = EventDetail {
        summary,
        ..EventDetail::default()
    };
    let mut digest = None;
    if let Input::Answer { source, .. }
    | Input::TradeTaken { source, .. }
    | Input::ExternalRefund { source, .. } = input
    {
        match source {
            Source::Reply { submit } => detail.submit = Some(*submit),
            Source::Callback { digest: bytes, .. } => digest = Some(bytes.clone()),
            Source::Query | Source::Close => {}
        }
    }
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

const fn kind_of(source: &Source) -> EventKind {
    match source {
        Source::Reply { .. } => EventKind::SubmitReply,
        Source::Query => EventKind::QueryReply,
        Source::Close => EventKind::Close,
        Source::Callback { .. } => EventKind::Callback,
    }
}
