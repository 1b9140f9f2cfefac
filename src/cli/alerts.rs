//! `oncepay alerts`.

use super::args::{AlertStatus, Alerts, Cli};
use super::problem::Problem;
use super::{out, place, view};
use crate::clock::{SystemClock, new_id};
use crate::config::Settings;
use crate::mail::{Item, Transport, render};
use crate::moment::rfc3339;
use crate::store::alerts;
use serde_json::{Value, json};
use std::process::ExitCode;

pub(super) async fn run(cli: &Cli, action: &Alerts) -> Result<ExitCode, Problem> {
    let settings = place::settings(cli)?;
    match action {
        Alerts::List { status, limit } => list(cli, &settings, *status, *limit).await?,
        Alerts::Test => test(&settings).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(
    cli: &Cli,
    settings: &Settings,
    status: Option<AlertStatus>,
    limit: u64,
) -> Result<(), Problem> {
    let status = status.map(|status| match status {
        AlertStatus::Open => "open",
        AlertStatus::Acknowledged => "acknowledged",
        AlertStatus::Resolved => "resolved",
    });
    let database = place::open(settings).await?;
    let found = alerts::list(&database.read, status, None, limit).await?;
    if cli.json {
        let data: Vec<Value> = found.iter().map(view::alert).collect();
        out::json(&json!({"data": data}));
        return Ok(());
    }
    let rows: Vec<_> = found
        .iter()
        .map(|alert| {
            vec![
                rfc3339(alert.created_at),
                alert.status.clone(),
                alert.kind.clone(),
                alert
                    .order_no
                    .clone()
                    .or_else(|| alert.channel.clone())
                    .unwrap_or_default(),
                alert.message.clone(),
            ]
        })
        .collect();
    out::table(&["SINCE", "STATUS", "KIND", "ABOUT", "WHAT"], &rows);
    Ok(())
}

/// Tries the way that alerts go, with a mail that nobody can take for one.
async fn test(settings: &Settings) -> Result<(), Problem> {
    let failed = |error: crate::mail::MailError| Problem::plain(error.to_string());
    let transport = Transport::open(&settings.alerts, &settings.data_dir).map_err(failed)?;
    let now = SystemClock::start().wall();
    let item = Item {
        alert_id: new_id("alr"),
        kind: "test".to_owned(),
        severity: "info".to_owned(),
        resolved: false,
        order_id: None,
        order_no: None,
        idempotency_key: None,
        channel: None,
        channel_trade_no: None,
        count: 1,
        message: "This is a test: alerts of oncepay arrive here.".to_owned(),
        created_at: now,
    };
    let message_id = transport.new_message_id();
    let mail = render(&[item], &settings.server.public_url, &message_id, now);
    transport.send(&mail).await.map_err(failed)?;
    out::line(format_args!(
        "A test mail left {} ({message_id}).",
        transport.describe()
    ));
    Ok(())
}
