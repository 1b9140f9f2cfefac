//! One order from its creation to its end, an event a line.

use super::scenes::Scene;
use crate::cli::out;
use crate::cli::problem::Problem;
use crate::cli::rehearsal::Rehearsal;
use crate::moment;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Every scene has come to its end by then.
const LONGEST: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub(super) async fn play(server: &Rehearsal, scene: &Scene, order_no: &str) -> Result<(), Problem> {
    out::line(format_args!(
        "\n{order_no}: {}\n  subject: {}",
        scene.title, scene.subject
    ));
    let started = Instant::now();
    let (created, watched) = tokio::join!(
        create(server, scene, order_no, started),
        watch(server, order_no, started)
    );
    created?;
    watched
}

/// What the user gets.
async fn create(
    server: &Rehearsal,
    scene: &Scene,
    order_no: &str,
    started: Instant,
) -> Result<(), Problem> {
    let body = json!({
        "order_no": order_no, "channel": "sandbox", "amount": 1999, "currency": "CNY",
        "subject": scene.subject,
    });
    let (status, answer) = server
        .merchant
        .exchange(Method::POST, "/v1/orders", Some(&body))
        .await?;
    let message = text(&answer, "/message").or_else(|| text(&answer, "/detail"));
    out::line(format_args!(
        "  {}  the user is answered {}: {}",
        since(started),
        status.as_u16(),
        message.unwrap_or_default()
    ));
    Ok(())
}

/// Prints events as they come, until the order needs nobody or a person.
async fn watch(server: &Rehearsal, order_no: &str, started: Instant) -> Result<(), Problem> {
    let mut seen = 0;
    let mut quiet_since = None;
    let mut born = None;
    while started.elapsed() < LONGEST {
        tokio::time::sleep(LOOK_EVERY).await;
        let Some((order_id, status)) = find(server, order_no).await? else {
            continue;
        };
        let path = format!("/v1/orders/{order_id}/events");
        let answer = server.merchant.ask(Method::GET, &path, None).await?;
        let events = answer.get("data").and_then(Value::as_array);
        let new: Vec<&Value> = events.into_iter().flatten().skip(seen).collect();
        for event in &new {
            print(event, *born.get_or_insert_with(|| at(event)));
        }
        seen = seen.saturating_add(new.len());
        let ended = !matches!(
            status.as_str(),
            "UNPAID" | "PROCESSING" | "PENDING" | "UNKNOWN"
        );
        // Callbacks and late replies still come: wait until nothing has happened for a second.
        if !ended || !new.is_empty() {
            quiet_since = None;
        }
        let quiet = *quiet_since.get_or_insert_with(Instant::now);
        if ended && quiet.elapsed() > Duration::from_secs(1) {
            out::line(format_args!("  {}  it ends {status}", since(started)));
            return Ok(());
        }
    }
    Err(Problem::Plain(format!(
        "{order_no} has come to no end within {} s",
        LONGEST.as_secs()
    )))
}

async fn find(server: &Rehearsal, order_no: &str) -> Result<Option<(String, String)>, Problem> {
    let path = format!("/v1/orders?order_no={order_no}");
    let answer = server.merchant.ask(Method::GET, &path, None).await?;
    let id = text(&answer, "/data/0/order_id");
    let status = text(&answer, "/data/0/status");
    Ok(id
        .zip(status)
        .map(|(id, status)| (id.to_owned(), status.to_owned())))
}

/// When it happened, milliseconds since 1970.
fn at(event: &Value) -> i64 {
    text(event, "/at")
        .and_then(moment::parse)
        .map_or(0, |at| at.0)
}

/// An event with its own moment, from the order's creation on.
fn print(event: &Value, born_ms: i64) {
    let word = |name: &str| text(event, name).unwrap_or_default();
    out::line(format_args!(
        "  {}  {:10}  {:14}  by {:16}  {}",
        seconds(at(event).saturating_sub(born_ms).max(0)),
        word("/to"),
        word("/kind"),
        word("/by"),
        word("/detail/summary")
    ));
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

/// Seconds since the order was sent, with hundredths.
fn since(started: Instant) -> String {
    seconds(i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX))
}

fn seconds(millis: i64) -> String {
    format!("{:>3}.{:02} s", millis / 1_000, millis % 1_000 / 10)
}
