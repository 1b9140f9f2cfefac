//! Calls to channels: started after the commit, never awaited by an actor. What they bring is a message.

mod refunds;

use super::circuit::Sign;
use super::gateway::GatewayError;
use super::guard;
use super::messages::{OrderMessage, Settled};
use super::shared::Shared;
use super::supervisor::{Deliver, Supervisor};
use crate::channels::{CallKind, Channel, ChargeCall};
use crate::clock;
use crate::domain::order::input::Source;
use crate::domain::order::refund::RefundCallKind;
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
    let call = match effect {
        Effect::Submit { n } => ChargeKind::Submit(n),
        Effect::Query => ChargeKind::Query,
        Effect::Close => ChargeKind::Close,
        Effect::Refund { refund_no } => {
            return refunds::start(shared, supervisor, order, RefundCallKind::Send, &refund_no);
        }
        Effect::QueryRefund { refund_no } => {
            return refunds::start(shared, supervisor, order, RefundCallKind::Query, &refund_no);
        }
    };
    charge(shared, supervisor, order, channel, call);
}

/// Which call about a charge.
#[derive(Debug, Clone, Copy)]
enum ChargeKind {
    Submit(u32),
    Query,
    Close,
}

impl ChargeKind {
    const fn kind(self) -> CallKind {
        match self {
            Self::Submit(_) => CallKind::Submit,
            Self::Query => CallKind::Query,
            Self::Close => CallKind::Close,
        }
    }

    /// As the metrics have it.
    const fn label(self) -> &'static str {
        match self {
            Self::Submit(_) => "submit",
            Self::Query => "query",
            Self::Close => "close",
        }
    }
}

fn charge(
    shared: &Arc<Shared>,
    supervisor: &Addr<Supervisor>,
    order: &Order,
    channel: Arc<dyn Channel>,
    kind: ChargeKind,
) {
    let rules = shared.rules(&order.fingerprint.channel);
    let timeout_ms = match kind {
        ChargeKind::Submit(_) => rules.read_timeout_ms,
        ChargeKind::Query | ChargeKind::Close => rules.query_timeout_ms,
    };
    let timeout = clock::millis(timeout_ms);
    let call = ChargeCall::about(order, timeout);
    let order_no = order.order_no.0.clone();
    // Registered before anything else can look: an order in PROCESSING without an open call is "interrupted".
    let open = match kind {
        ChargeKind::Submit(n) => Some(shared.calls.open(&order_no, n)),
        ChargeKind::Query | ChargeKind::Close => None,
    };
    let (shared, supervisor) = (Arc::clone(shared), supervisor.clone());
    actix::spawn(async move {
        let answer = make(&shared, channel.as_ref(), kind, call).await;
        let source = match kind {
            ChargeKind::Submit(n) => Source::Reply { submit: n },
            ChargeKind::Query => Source::Query,
            ChargeKind::Close => Source::Close,
        };
        deliver(&supervisor, &order_no, Input::Answer { source, answer }).await;
        drop(open);
    });
}

/// The way to the channel: past its circuit, if the call may charge, and in its turn. Else the answer to a call that
/// was not made.
async fn way(
    shared: &Shared,
    channel: &str,
    kind: ChargeKind,
    mut call: ChargeCall,
) -> Result<ChargeCall, Answer> {
    match kind {
        ChargeKind::Submit(_) => {
            let left = guard::send(shared, channel, &call.order_no, call.timeout).await;
            let left = left.map_err(|summary| Answer::NotSent {
                summary: summary.to_owned(),
            })?;
            call.timeout = left;
        }
        ChargeKind::Query | ChargeKind::Close => {
            guard::ask(shared, channel)
                .await
                .map_err(|summary| Answer::Throttled {
                    summary: summary.to_owned(),
                })?;
        }
    }
    Ok(call)
}

async fn make(
    shared: &Arc<Shared>,
    channel: &dyn Channel,
    kind: ChargeKind,
    call: ChargeCall,
) -> Answer {
    let name = channel.name().to_owned();
    let admitted = match kind {
        ChargeKind::Submit(_) => Some(call.order_no.clone()),
        ChargeKind::Query | ChargeKind::Close => None,
    };
    let call = match way(shared, &name, kind, call).await {
        Ok(call) => call,
        Err(held_back) => return held_back,
    };
    let started = Instant::now();
    // Made where it is polled: an adapter may panic before its future is there.
    let future = Box::pin(async {
        let answer = match kind {
            ChargeKind::Submit(_) => channel.submit(&call).await,
            ChargeKind::Query => channel.query(&call).await,
            ChargeKind::Close => channel.close(&call).await,
        };
        let sign = if channel.answers_here(kind.kind(), &call) {
            Sign::Neither
        } else {
            sign(&answer)
        };
        (answer, sign)
    });
    let ended = bounded(call.timeout, future).await;
    let (answer, sign) = ended.unwrap_or_else(|unknown| (Answer::Unknown(unknown), Sign::Silent));
    shared.heard(&name, admitted.as_deref(), sign, answer.summary());
    let labels = CallLabels {
        channel: name,
        call: kind.label().to_owned(),
    };
    shared
        .parts
        .metrics
        .channel_call(labels, outcome(&answer), started.elapsed());
    answer
}

/// What a call brings. The channel keeps its own time; this bound holds also for one that does not, or panics.
async fn bounded<T>(
    timeout: Duration,
    future: crate::channels::Call<'_, T>,
) -> Result<T, UnknownAnswer> {
    let limit = timeout.saturating_add(Duration::from_secs(5));
    let (reason, summary) = match tokio::time::timeout(limit, caught(future)).await {
        Ok(Some(answer)) => return Ok(answer),
        Ok(None) => (Reason::UnreadableReply, "the channel's adapter failed"),
        Err(_elapsed) => (
            Reason::SubmitTimeout,
            "the channel's adapter did not return",
        ),
    };
    Err(UnknownAnswer {
        reason,
        summary: summary.to_owned(),
    })
}

/// Runs a channel's future; a panic in it is an outside fault like any other.
async fn caught<T>(mut future: crate::channels::Call<'_, T>) -> Option<T> {
    std::future::poll_fn(move |context| {
        let polled = std::panic::catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)));
        match polled {
            Ok(poll) => poll.map(Some),
            Err(_panic) => std::task::Poll::Ready(None),
        }
    })
    .await
}

/// Any answer of the channel's says that it is up, whatever it says of the order.
const fn sign(answer: &Answer) -> Sign {
    match answer {
        Answer::Charge(_)
        | Answer::NotFound
        | Answer::AlreadyPaid
        | Answer::Hint(_)
        | Answer::KeyConflict
        | Answer::CannotClose => Sign::Answered,
        Answer::Throttled { .. } => Sign::Neither,
        Answer::NotSent { .. } | Answer::Unknown(_) => Sign::Silent,
    }
}

const fn outcome(answer: &Answer) -> &'static str {
    match answer {
        Answer::Charge(_) => "charge",
        Answer::NotFound => "not_found",
        Answer::AlreadyPaid | Answer::Hint(_) => "already_paid",
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
