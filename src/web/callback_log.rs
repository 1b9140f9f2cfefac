//! One line and one count for each callback; rejected ones are sampled.

use super::state::Shared;
use crate::actors::Received;
use crate::domain::order::Order;

/// What every line about a callback says.
pub(crate) struct Line<'a> {
    pub(crate) request_id: &'a str,
    pub(crate) channel: &'a str,
    pub(crate) elapsed_ms: i64,
}

/// Counts the callback and logs what became of it.
pub(crate) fn log(shared: &Shared, line: &Line<'_>, received: &Received) {
    let result = result(received);
    shared.metrics.callback(line.channel, result);
    match received {
        Received::Kept { order, .. } => kept(line, order, result),
        Received::Unrelated | Received::NotYet(_) => other(line, "", result),
        Received::Orphan { order_no } => other(line, order_no, result),
        Received::Rejected(rejection) => sampled(shared, line, result, &rejection.explanation),
        Received::NoSuchChannel => sampled(shared, line, result, "no such channel"),
    }
}

/// Counts and logs a callback whose body was not read: too large, too slow, or broken off.
pub(crate) fn log_unread(shared: &Shared, line: &Line<'_>) {
    let result = "body_unread";
    shared.metrics.callback(line.channel, result);
    sampled(shared, line, result, "the body was not read");
}

/// One of few words, for logs and metrics.
const fn result(received: &Received) -> &'static str {
    match received {
        Received::Kept {
            duplicate: true, ..
        } => "duplicate",
        Received::Kept {
            duplicate: false, ..
        } => "kept",
        Received::Unrelated => "unrelated",
        Received::Orphan { .. } => "orphan",
        Received::Rejected(rejection) => rejection.rule.as_str(),
        Received::NoSuchChannel => "no_such_channel",
        Received::NotYet(_) => "not_yet",
    }
}

fn kept(line: &Line<'_>, order: &Order, verification: &str) {
    tracing::info!(
        request_id = line.request_id,
        channel = line.channel,
        order_no = order.order_no.as_str(),
        channel_trade_no = order.channel_trade_no().unwrap_or_default(),
        verification,
        amount = order.money.amount,
        currency = order.money.currency.as_str(),
        status = order.status.as_str(),
        elapsed_ms = line.elapsed_ms,
        "callback"
    );
}

fn other(line: &Line<'_>, order_no: &str, verification: &str) {
    tracing::info!(
        request_id = line.request_id,
        channel = line.channel,
        order_no,
        channel_trade_no = "",
        verification,
        elapsed_ms = line.elapsed_ms,
        "callback"
    );
}

/// What nobody has vouched for may come in floods. Nothing that it says is repeated.
fn sampled(shared: &Shared, line: &Line<'_>, verification: &'static str, explanation: &str) {
    let now_ms = shared.clock.mono_ms();
    let Some(suppressed) = shared.sampler.admit(verification, now_ms) else {
        return;
    };
    tracing::info!(
        request_id = line.request_id,
        channel = line.channel,
        verification,
        explanation,
        suppressed,
        elapsed_ms = line.elapsed_ms,
        "callback rejected"
    );
}
