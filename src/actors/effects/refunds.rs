//! Calls about refunds.

use super::{bounded, deliver};
use crate::actors::circuit::Sign;
use crate::actors::guard;
use crate::actors::shared::Shared;
use crate::actors::supervisor::Supervisor;
use crate::channels::{Channel, RefundCall};
use crate::clock;
use crate::domain::order::refund::RefundCallKind;
use crate::domain::order::{Input, Order, RefundAnswer};
use crate::telemetry::labels::CallLabels;
use actix::Addr;
use std::sync::Arc;
use std::time::Instant;

/// Starts the call about the refund with this number and lets it run.
pub(super) fn start(
    shared: &Arc<Shared>,
    supervisor: &Addr<Supervisor>,
    order: &Order,
    kind: RefundCallKind,
    refund_no: &str,
) {
    let name = &order.fingerprint.channel;
    let (Some(channel), Some(refund)) = (shared.channel(name).cloned(), order.refund(refund_no))
    else {
        tracing::error!(
            channel = name,
            refund_no,
            "a call was decided for a refund or a channel that is not there"
        );
        return;
    };
    let rules = shared.rules(name);
    let timeout_ms = match kind {
        RefundCallKind::Send => rules.read_timeout_ms,
        RefundCallKind::Query => rules.query_timeout_ms,
    };
    let timeout = clock::millis(timeout_ms);
    let call = RefundCall::about(order, refund, timeout);
    let (order_no, refund_no) = (order.order_no.0.clone(), refund_no.to_owned());
    let open = match kind {
        RefundCallKind::Send => Some(shared.calls.open_refund(&order_no, &refund_no)),
        RefundCallKind::Query => None,
    };
    let (shared, supervisor) = (Arc::clone(shared), supervisor.clone());
    actix::spawn(async move {
        let answer = make(&shared, channel.as_ref(), kind, call).await;
        let input = Input::RefundReply {
            call: kind,
            refund_no,
            answer,
        };
        deliver(&supervisor, &order_no, input).await;
        drop(open);
    });
}

/// The way to the channel: past its circuit, if the call moves money, and in its turn. Else the answer to a call that
/// was not made.
async fn way(
    shared: &Shared,
    channel: &str,
    sent_as: Option<&str>,
    mut call: RefundCall,
) -> Result<RefundCall, RefundAnswer> {
    if let Some(name) = sent_as {
        let left = guard::send(shared, channel, name, call.timeout).await;
        call.timeout = left.map_err(|summary| RefundAnswer::NotSent {
            summary: summary.to_owned(),
        })?;
    } else {
        let asked = guard::ask(shared, channel).await;
        asked.map_err(|summary| RefundAnswer::Throttled {
            summary: summary.to_owned(),
        })?;
    }
    Ok(call)
}

async fn make(
    shared: &Arc<Shared>,
    channel: &dyn Channel,
    kind: RefundCallKind,
    call: RefundCall,
) -> RefundAnswer {
    let name = channel.name().to_owned();
    let admitted = match kind {
        RefundCallKind::Send => Some(format!("{}/{}", call.order_no, call.refund_no)),
        RefundCallKind::Query => None,
    };
    let call = match way(shared, &name, admitted.as_deref(), call).await {
        Ok(call) => call,
        Err(held_back) => return held_back,
    };
    let started = Instant::now();
    let future = Box::pin(async {
        match kind {
            RefundCallKind::Send if shared.was_restored() => {
                ask_then_send(shared, channel, &call).await
            }
            RefundCallKind::Send => channel.refund(&call).await,
            RefundCallKind::Query => channel.query_refund(&call).await,
        }
    });
    let answer = bounded(call.timeout, future).await;
    let answer = answer.unwrap_or_else(RefundAnswer::Unknown);
    let sign = sign(&answer);
    shared.heard(&name, admitted.as_deref(), sign, answer.summary());
    let labels = CallLabels {
        channel: name,
        call: match kind {
            RefundCallKind::Send => "refund",
            RefundCallKind::Query => "refund_query",
        }
        .to_owned(),
    };
    shared
        .parts
        .metrics
        .channel_call(labels, outcome(&answer), started.elapsed());
    answer
}

/// After a restore the channel may know a refund of this number that we have forgotten, and not remember its key: it is
/// sent only if the channel does not know it.
async fn ask_then_send(shared: &Shared, channel: &dyn Channel, call: &RefundCall) -> RefundAnswer {
    let question = RefundCall {
        timeout: clock::millis(shared.rules(channel.name()).query_timeout_ms),
        ..call.clone()
    };
    let known = channel.query_refund(&question).await;
    if matches!(known, RefundAnswer::NotFound) {
        return channel.refund(call).await;
    }
    known
}

const fn sign(answer: &RefundAnswer) -> Sign {
    match answer {
        RefundAnswer::Succeeded(_)
        | RefundAnswer::Pending(_)
        | RefundAnswer::Failed(_)
        | RefundAnswer::Repeatable { .. }
        | RefundAnswer::Conflict { .. }
        | RefundAnswer::NotFound => Sign::Answered,
        RefundAnswer::Throttled { .. } => Sign::Neither,
        RefundAnswer::NotSent { .. } | RefundAnswer::Unknown(_) => Sign::Silent,
    }
}

const fn outcome(answer: &RefundAnswer) -> &'static str {
    match answer {
        RefundAnswer::Succeeded(_) => "succeeded",
        RefundAnswer::Pending(_) => "pending",
        RefundAnswer::Failed(_) => "failed",
        RefundAnswer::Repeatable { .. } => "repeatable",
        RefundAnswer::Conflict { .. } => "conflict",
        RefundAnswer::NotFound => "not_found",
        RefundAnswer::Throttled { .. } => "throttled",
        RefundAnswer::NotSent { .. } => "not_sent",
        RefundAnswer::Unknown(_) => "unknown",
    }
}
