//! `oncepay callback verify`: the channel's own verification, told step by step.

use super::args::{Callback, Cli, Verify};
use super::problem::Problem;
use super::{callback_words, out, place};
use crate::channels::{Channel, Notice, RawNotice, Rejection, RejectionRule};
use crate::clock::SystemClock;
use crate::config::Settings;
use crate::domain::UnixMillis;
use crate::domain::order::Answer;
use crate::moment;
use crate::runtime::open_channel;
use crate::scrub::scrub;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

pub(super) fn run(cli: &Cli, action: &Callback) -> Result<ExitCode, Problem> {
    let Callback::Verify(args) = action;
    let settings = place::settings(cli)?;
    let clock = SystemClock::start();
    let now = args.at.unwrap_or_else(|| clock.wall());
    let channel = channel(&settings, &args.channel)?;
    let headers = headers(args)?;
    let body = std::fs::read(&args.body).map_err(|error| Problem::file(&args.body, &error))?;
    let notice = RawNotice {
        headers: &headers,
        query: "",
        body: &body,
    };
    match channel.verify(&notice, now) {
        Ok(notice) => {
            accepted(cli, &notice);
            Ok(ExitCode::SUCCESS)
        }
        Err(rejection) => {
            rejected(cli, &callback_words::shown(&rejection, &headers, &body));
            Ok(ExitCode::FAILURE)
        }
    }
}

/// RFC 3339 or Unix seconds.
pub(super) fn when(text: &str) -> Result<UnixMillis, String> {
    if let Ok(seconds) = text.parse::<i64>() {
        return Ok(UnixMillis(seconds.saturating_mul(1_000)));
    }
    moment::parse(text).ok_or_else(|| "allowed is RFC 3339 or Unix seconds".to_owned())
}

fn channel(settings: &Settings, name: &str) -> Result<Arc<dyn Channel>, Problem> {
    let configured = settings.channels.get(name).ok_or_else(|| {
        Problem::Plain(format!("there is no channel `{name}` in the configuration"))
    })?;
    open_channel(name, configured, &SystemClock::start())
        .map_err(|error| Problem::plain(error.to_string()))
}

/// One `Name: value` a line; names in lower case, as a channel wants them.
fn headers(args: &Verify) -> Result<BTreeMap<String, String>, Problem> {
    let text = std::fs::read_to_string(&args.headers)
        .map_err(|error| Problem::file(&args.headers, &error))?;
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (name, value) = line.split_once(':').ok_or_else(|| {
                Problem::Plain(format!(
                    "{}: `{}` is not `Name: value`",
                    args.headers.display(),
                    scrub(line, &[])
                ))
            })?;
            Ok((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect()
}

fn accepted(cli: &Cli, notice: &Notice) {
    tell(cli, &told(notice));
}

fn told(notice: &Notice) -> Value {
    match notice {
        Notice::Charge {
            order_no,
            status,
            key,
            answer,
        } => json!({
            "accepted": true, "about": "charge", "order_no": order_no, "status": status, "notice": key,
            "channel_trade_no": answer.trade_no(), "money": money(answer),
            "note": "the sum is compared with the order where the notice is heard",
        }),
        Notice::Refund {
            order_no,
            status,
            key,
            news,
        } => json!({
            "accepted": true, "about": "refund", "order_no": order_no, "refund": news.refund_no,
            "status": status, "notice": key,
        }),
        Notice::Dispute {
            order_no,
            reference,
            key,
            phase,
            ..
        } => json!({
            "accepted": true, "about": "dispute", "order_no": order_no, "dispute": reference,
            "status": phase.as_str(), "notice": key,
        }),
        Notice::RefundBounced(bounce) => json!({
            "accepted": true, "about": "a refund that the bank has not taken", "order_no": bounce.order_no,
            "refund": bounce.refund_no, "channel_trade_no": bounce.trade_no,
        }),
        Notice::Unrelated { kind } => {
            json!({"accepted": true, "about": "nothing of ours", "type": scrub(kind, &[])})
        }
        // The order is looked up by the trade when the notice arrives at a server.
        Notice::OfTrade { trade_no, about } => {
            let mut told = told(about);
            if let Some(fields) = told.as_object_mut() {
                fields.remove("order_no");
                fields.insert("channel_trade_no".to_owned(), json!(trade_no));
            }
            told
        }
    }
}

fn rejected(cli: &Cli, rejection: &Rejection) {
    tell(
        cli,
        &json!({
            "accepted": false,
            "rule": rejection.rule.as_str(),
            "explanation": rejection.explanation,
            "signed_text": rejection.signed_text,
            "note": note(rejection),
        }),
    );
}

fn money(answer: &Answer) -> Option<String> {
    let Answer::Charge(said) = answer else {
        return None;
    };
    said.money.map(|money| money.to_string())
}

/// What whoever looks at a saved notice has to know.
fn note(rejection: &Rejection) -> Option<&'static str> {
    if rejection.rule == RejectionRule::Timestamp {
        return Some("of a notice that was saved, say with --at when it arrived");
    }
    let text = rejection.signed_text.as_ref()?;
    let masked = text.contains("[secret]") || text.contains('*');
    masked.then_some("what may be a key or a person is masked in signed_text")
}

fn tell(cli: &Cli, told: &Value) {
    if cli.json {
        out::json(told);
        return;
    }
    let verdict = match told.get("accepted") {
        Some(Value::Bool(true)) => "Accepted.",
        Some(_) | None => "Rejected.",
    };
    out::line(verdict);
    for (name, value) in told.as_object().into_iter().flatten() {
        if let Value::String(text) = value {
            out::line(format_args!("  {name}: {text}"));
        }
    }
}
