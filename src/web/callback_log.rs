//! One line and one count for each callback; rejected ones are sampled.

use super::state::Shared;
use crate::actors::Received;
use crate::channels::Rejection;
use crate::domain::order::Order;

/// What every line about a callback says.
pub(crate) struct Line<'a> {
    pub(crate) request_id: &'a str,
    pub(crate) channel: &'a str,
    pub(crate) elapsed_ms: i64,
}

/// Counts the callback and logs what became of it.
pub(crate) fn log(shared: &Shared, line: &Line<'_>, received: &Received) {
    shared.metrics.callback(line.channel, result(received));
    let rejection = match received {
        Received::Kept { order, .. } => return kept(line, order, result(received)),
        Received::Rejected(rejection) => rejection,
        Received::Unrelated | Received::NoSuchChannel | Received::NotYet(_) => {
            return other(line, "", result(received));
        }
        Received::Orphan { order_no } => return other(line, order_no, result(received)),
    };
    let now_ms = shared.clock.mono_ms();
    if let Some(suppressed) = shared.sampler.admit(rejection.rule.as_str(), now_ms) {
        rejected(line, rejection, suppressed);
    }
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
        verification,
        elapsed_ms = line.elapsed_ms,
        "callback"
    );
}

fn rejected(line: &Line<'_>, rejection: &Rejection, suppressed: u64) {
    tracing::info!(
        request_id = line.request_id,
        channel = line.channel,
        verification = rejection.rule.as_str(),
        explanation = rejection.explanation,
        suppressed,
        elapsed_ms = line.elapsed_ms,
        "callback rejected"
    );
}
