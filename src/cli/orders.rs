//! `oncepay orders`.

use super::args::{Cli, Decision, OrderFilter, Orders, Review};
use super::client::Client;
use super::place::{self, Writer};
use super::problem::Problem;
use super::{out, shown, view};
use crate::config::Settings;
use crate::domain::order::{Order, OrderStatus};
use crate::domain::{OrderId, OrderNo};
use crate::moment::rfc3339;
use crate::runtime::order_document;
use crate::store::{Database, orders};
use reqwest::Method;
use serde_json::{Value, json};
use std::process::ExitCode;

pub(super) async fn run(cli: &Cli, action: &Orders) -> Result<ExitCode, Problem> {
    let settings = place::settings(cli)?;
    let database = place::open(&settings).await?;
    match action {
        Orders::List(filter) => list(cli, &settings, &database, filter).await?,
        Orders::Show { order } => show(cli, &settings, &database, order).await?,
        Orders::Query { order } => {
            let order = find(&database, order).await?;
            let path = format!("/v1/orders/{}/query", order.order_id);
            answer(
                cli,
                &server(&settings)
                    .await?
                    .ask(Method::POST, &path, None)
                    .await?,
            );
        }
        Orders::Review(review) => {
            let order = find(&database, &review.order).await?;
            let path = format!("/v1/orders/{}/reviews", order.order_id);
            let body = review_body(review, &order);
            let server = server(&settings).await?;
            answer(cli, &server.ask(Method::POST, &path, Some(&body)).await?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Only a running server has the actors that make a transition and the channels that are asked.
async fn server(settings: &Settings) -> Result<Client, Problem> {
    match place::writer(settings, "operator").await? {
        Writer::Server(client) => Ok(client),
        Writer::Own(_) => Err(Problem::plain(
            "no server is running here; start it with `oncepay serve`, it asks and decides",
        )),
    }
}

async fn find(database: &Database, order: &str) -> Result<Order, Problem> {
    let by_id = orders::by_id(&database.read, &OrderId::from(order)).await?;
    let found = match by_id {
        Some(found) => Some(found),
        None => orders::by_no(&database.read, &OrderNo::from(order)).await?,
    };
    found.ok_or_else(|| Problem::Plain(format!("there is no order {order}")))
}

/// A status as it is typed.
pub(super) fn status(word: &str) -> Result<OrderStatus, String> {
    OrderStatus::parse(&word.to_ascii_uppercase()).ok_or_else(|| {
        let words: Vec<_> = OrderStatus::ALL
            .iter()
            .map(|status| status.as_str())
            .collect();
        format!("allowed is {}", words.join(", "))
    })
}

async fn list(
    cli: &Cli,
    settings: &Settings,
    database: &Database,
    filter: &OrderFilter,
) -> Result<(), Problem> {
    let filter = orders::OrderFilter {
        status: filter.status,
        channel: filter.channel.clone(),
        limit: filter.limit,
        ..orders::OrderFilter::default()
    };
    let found = orders::list(&database.read, &filter).await?;
    if cli.json {
        let data: Vec<Value> = found
            .iter()
            .map(|order| order_document(order, &settings.server.public_url))
            .collect();
        out::json(&json!({"data": data}));
        return Ok(());
    }
    let rows: Vec<_> = found
        .iter()
        .map(|order| {
            vec![
                order.order_no.to_string(),
                order.status.to_string(),
                order
                    .reason
                    .map(|reason| reason.to_string())
                    .unwrap_or_default(),
                order.money.to_string(),
                order.fingerprint.channel.clone(),
                rfc3339(order.created_at),
            ]
        })
        .collect();
    out::table(
        &["ORDER", "STATUS", "REASON", "AMOUNT", "CHANNEL", "CREATED"],
        &rows,
    );
    Ok(())
}

async fn show(
    cli: &Cli,
    settings: &Settings,
    database: &Database,
    order: &str,
) -> Result<(), Problem> {
    let order = find(database, order).await?;
    let events = orders::events(&database.read, &order.order_id).await?;
    let shown = order_document(&order, &settings.server.public_url);
    if cli.json {
        let events: Vec<Value> = events.iter().map(view::event).collect();
        out::json(&json!({"order": shown, "events": events}));
        return Ok(());
    }
    shown::fields(&shown);
    shown::payments(&order);
    shown::refunds(&order);
    out::line("");
    shown::history(&order, &events);
    Ok(())
}

fn review_body(review: &Review, order: &Order) -> Value {
    let decision = match review.decision {
        Decision::Paid => "PAID",
        Decision::NotPaid => "NOT_PAID",
        Decision::Resubmit => "RESUBMIT",
        Decision::Close => "CLOSE",
        Decision::Refund => "REFUND",
    };
    let mut body = json!({
        "decision": decision,
        "basis": review.basis,
        "expected_version": review.expected_version.unwrap_or(order.version),
    });
    if let (Some(trade_no), Some(fields)) = (&review.channel_trade_no, body.as_object_mut()) {
        fields.insert("channel_trade_no".to_owned(), json!(trade_no));
    }
    body
}

fn answer(cli: &Cli, order: &Value) {
    if cli.json {
        out::json(order);
    } else {
        shown::fields(order);
    }
}
