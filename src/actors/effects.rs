//! Calls to channels: started after the commit, never awaited by an actor. What they bring is a message.

use super::gateway::GatewayError;
use super::messages::{OrderMessage, Settled};
use super::shared::Shared;
use super::supervisor::{Deliver, Supervisor};
use crate::channels::{Channel, ChargeCall};
use crate::domain::order::input::Source;
use crate::domain::order::statement::UnknownAnswer;
use crate::domain::order::{Answer, Effect, Input, Order, Reason};
use crate::telemetry::labels::CallLabels;
use actix::Addr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How often a reply is offered to an order whose actor dies of it; by then the order is with a person.
const DEATHS_MAX: u32 = 12;

/// Starts the call and lets it run.
pub(super) fn start(
    shared: &Arc<Shared>,
    supervisor: &Addr<Supervisor>,
    order: &Order,
    effect: Effect,
) {
    let name = order.fingerprint.channel.clone();
    let Some(channel) = shared.channel(&name).cloned() else {
        tracing::error!(
            channel = name,
            "a call was decided for a channel that is not there"
        );
        return;
    };
    let rules = shared.rules(&name);
    let timeout_ms = match effect {
        Effect::Submit { .. } => rules.read_timeout_ms,
        Effect::Query | Effect::Close => rules.query_timeout_ms,
    };
    let timeout = Duration::from_millis(u64::try_from(timeout_ms).unwrap_or_default());
    let call = ChargeCall::about(order, timeout);
    let order_no = order.order_no.0.clone();
    // Registered before anything else can look: an order in PROCESSING without an open call is "interrupted".
    let open = match effect {
        Effect::Submit { n } => Some(shared.calls.open(&order_no, n)),
        Effect::Query | Effect::Close => None,
    };
    let (shared, supervisor) = (Arc::clone(shared), supervisor.clone());
    actix::spawn(async move {
        let answer = make(&shared, channel.as_ref(), effect, call).await;
        let source = match effect {
            Effect::Submit { n } => Source::Reply { submit: n },
            Effect::Query => Source::Query,
            Effect::Close => Source::Close,
        };
        deliver(&supervisor, &order_no, Input::Answer { source, answer }).await;
        drop(open);
    });
}

async fn make(shared: &Shared, channel: &dyn Channel, effect: Effect, call: ChargeCall) -> Answer {
    let started = Instant::now();
    let limit = call.timeout.saturating_add(Duration::from_secs(5));
    // Made where it is polled: an adapter may panic before its future is there.
    let future = Box::pin(async {
        match effect {
            Effect::Submit { .. } => channel.submit(&call).await,
            Effect::Query => channel.query(&call).await,
            Effect::Close => channel.close(&call).await,
        }
    });
    // The channel keeps its own time; this bound holds also for one that does not, or panics.
    let answer = match tokio::time::timeout(limit, caught(future)).await {
        Ok(Some(answer)) => answer,
        Ok(None) => unknown(Reason::UnreadableReply, "the channel's adapter failed"),
        Err(_elapsed) => unknown(
            Reason::SubmitTimeout,
            "the channel's adapter did not return",
        ),
    };
    let kind = match effect {
        Effect::Submit { .. } => "submit",
        Effect::Query => "query",
        Effect::Close => "close",
    };
    let labels = CallLabels {
        channel: channel.name().to_owned(),
        call: kind.to_owned(),
    };
    shared
        .parts
        .metrics
        .channel_call(labels, outcome(&answer), started.elapsed());
    answer
}

/// Runs a channel's future; a panic in it is an outside fault like any other.
async fn caught(mut future: crate::channels::Call<'_, Answer>) -> Option<Answer> {
    std::future::poll_fn(move |context| {
        let polled = std::panic::catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)));
        match polled {
            Ok(poll) => poll.map(Some),
            Err(_panic) => std::task::Poll::Ready(None),
        }
    })
    .await
}

fn unknown(reason: Reason, summary: &str) -> Answer {
    Answer::Unknown(UnknownAnswer {
        reason,
        summary: summary.to_owned(),
    })
}

const fn outcome(answer: &Answer) -> &'static str {
    match answer {
        Answer::Charge(_) => "charge",
        Answer::NotFound => "not_found",
        Answer::AlreadyPaid => "already_paid",
        Answer::KeyConflict => "key_conflict",
        Answer::CannotClose => "cannot_close",
        Answer::Throttled { .. } => "throttled",
        Answer::NotSent { .. } => "not_sent",
        Answer::Unknown(_) => "unknown",
    }
}

/// Hands the answer to the order by its number, and keeps it until it is committed or the process ends.
async fn deliver(supervisor: &Addr<Supervisor>, order_no: &str, input: Input) {
    let mut pause = Duration::from_millis(50);
    let mut deaths = 0_u32;
    while deaths < DEATHS_MAX {
        let (reply, answer) = oneshot::channel::<Result<Settled, GatewayError>>();
        let message = OrderMessage::Happened {
            input: Box::new(input.clone()),
            notice: None,
            reply: Some(reply),
            waiter: None,
        };
        supervisor.do_send(Deliver {
            order_no: order_no.into(),
            message,
        });
        match answer.await {
            Ok(Ok(_)) => return,
            Ok(Err(error @ (GatewayError::Refused(_) | GatewayError::NoSuchOrder))) => {
                tracing::error!(order_no, %error, "a channel's answer was refused");
                return;
            }
            Ok(Err(error)) => {
                tracing::warn!(order_no, %error, "a channel's answer waits to be committed");
            }
            Err(_actor_died) => {
                deaths = deaths.saturating_add(1);
                tracing::warn!(
                    order_no,
                    "the actor died with a channel's answer; offering it again"
                );
            }
        }
        tokio::time::sleep(pause).await;
        pause = pause.saturating_mul(2).min(Duration::from_secs(10));
    }
    tracing::error!(
        order_no,
        "no actor survives a channel's answer; a query will tell"
    );
}
