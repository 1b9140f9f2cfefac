//! What every part of the drill does: create an order, wait for what becomes of it, and look.

use crate::cli::problem::Problem;
use crate::cli::rehearsal::Rehearsal;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::future::Future;
use std::time::{Duration, Instant};

/// Everything that a part waits for has come by then.
const LONGEST: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// What each order of the drill costs, in fen.
pub(super) const AMOUNT: i64 = 1999;

/// The part ends here if this does not hold.
pub(super) fn must(holds: bool, otherwise: impl std::fmt::Display) -> Result<(), Problem> {
    if holds {
        Ok(())
    } else {
        Err(Problem::Plain(otherwise.to_string()))
    }
}

pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

pub(super) fn number(value: &Value, pointer: &str) -> i64 {
    value
        .pointer(pointer)
        .and_then(Value::as_i64)
        .unwrap_or_default()
}

/// The body of a create. The subject scripts the sandbox.
pub(super) fn body(order_no: &str, subject: &str) -> Value {
    json!({"order_no": order_no, "channel": "sandbox", "amount": AMOUNT, "currency": "CNY", "subject": subject})
}

pub(super) async fn create(
    server: &Rehearsal,
    body: &Value,
) -> Result<(StatusCode, Value), Problem> {
    server
        .merchant
        .exchange(Method::POST, "/v1/orders", Some(body))
        .await
}

/// Looks until `look` finds it; what was seen last is said if it never does.
pub(super) async fn until<F>(what: &str, mut look: impl FnMut() -> F) -> Result<Value, Problem>
where
    F: Future<Output = Result<(bool, Value), Problem>>,
{
    let started = Instant::now();
    loop {
        let (found, seen) = look().await?;
        if found {
            return Ok(seen);
        }
        if started.elapsed() > LONGEST {
            return Err(Problem::Plain(format!("{what} did not come; last: {seen}")));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// The order with this number; null if there is none yet.
pub(super) async fn find(server: &Rehearsal, order_no: &str) -> Result<Value, Problem> {
    let path = format!("/v1/orders?order_no={order_no}");
    let answer = server.merchant.ask(Method::GET, &path, None).await?;
    Ok(answer.pointer("/data/0").cloned().unwrap_or_default())
}

/// Waits until the order has this status.
pub(super) async fn becomes(
    server: &Rehearsal,
    order_no: &str,
    status: &str,
) -> Result<Value, Problem> {
    until(&format!("{order_no} {status}"), || async {
        let order = find(server, order_no).await?;
        Ok((text(&order, "/status") == status, order))
    })
    .await
}

/// The order's history: kinds, and the status after each.
pub(super) async fn history(
    server: &Rehearsal,
    order: &Value,
) -> Result<Vec<(String, String)>, Problem> {
    let path = format!("/v1/orders/{}/events", text(order, "/order_id"));
    let answer = server.merchant.ask(Method::GET, &path, None).await?;
    let events = answer.get("data").and_then(Value::as_array);
    let line = |event: &Value| {
        (
            text(event, "/kind").to_owned(),
            text(event, "/to").to_owned(),
        )
    };
    Ok(events.into_iter().flatten().map(line).collect())
}

/// The sandbox has charged this order once.
pub(super) async fn charged_once(server: &Rehearsal, order_no: &str) -> Result<(), Problem> {
    let times = server.charges(order_no).await?;
    must(
        times == 1,
        format_args!("the sandbox has charged {order_no} {times} times"),
    )
}

/// The order was sent to the channel so often.
pub(super) fn submitted(order: &Value, times: i64) -> Result<(), Problem> {
    let seen = number(order, "/submit_count");
    must(
        seen == times,
        format_args!("it was submitted {seen} times, not {times}"),
    )
}
