//! `oncepay simulate`: the simulator, and what it has found.

use super::args::{Cli, Simulate};
use super::out;
use crate::simulator::{Failure, Real, Report, Rule, Story, play, shortest};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::{Duration, Instant};

pub(super) fn run(cli: &Cli, args: &Simulate) -> ExitCode {
    let story = Story::new(args.seed, args.orders, args.hours);
    if !cli.json {
        out::line(format_args!(
            "Seed {}: {} orders in {} hours.",
            args.seed, args.orders, args.hours
        ));
    }
    let started = Instant::now();
    let outcome = play(&story, &Real);
    let took = started.elapsed();
    let failure = outcome
        .violation
        .as_ref()
        .map(|violation| shortest(&story, &Real, violation));
    if cli.json {
        out::json(&as_json(args, &outcome.report, failure.as_ref(), took));
    } else {
        show(&outcome.report, took);
        match &failure {
            None => out::line(format_args!(
                "\nNo rule was broken: {} rules, each held after every one of {} decisions.",
                Rule::ALL.len(),
                outcome.report.decisions
            )),
            Some(failure) => show_failure(args, failure),
        }
    }
    if failure.is_some() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn show(report: &Report, took: Duration) {
    let count = |what: &str, count: u64| vec![what.to_owned(), count.to_string()];
    let days = report.lasted_ms / 86_400_000;
    out::line(format_args!(
        "It took {:?} and lasted {days} days of its own time.\n",
        Duration::from_millis(u64::try_from(took.as_millis()).unwrap_or_default())
    ));
    out::table(
        &["what happened", "count"],
        &[
            count("orders, with those placed anew", report.orders),
            count(
                "of these given up while the process was down",
                report.unborn,
            ),
            count("events of the world", report.events),
            count("decisions", report.decisions),
            count("commits", report.commits),
            count("commits refused and decided again", report.conflicts),
            count("crashes", report.crashes),
            count("alerts", report.alerts),
            count("mails taken", report.mails),
            count("webhooks taken", report.delivered),
            count("debits and holds", report.movements),
        ],
    );
    out::line("");
    let mishaps = report.mishaps.iter();
    let mishaps: Vec<_> = mishaps
        .map(|(mishap, times)| count(mishap.words(), *times))
        .collect();
    out::table(&["what went wrong", "count"], &mishaps);
    out::line("");
    let ended = report.ended.iter();
    let ended: Vec<_> = ended
        .map(|(status, orders)| count(status.as_str(), *orders))
        .collect();
    out::table(&["in the end", "orders"], &ended);
}

fn show_failure(args: &Simulate, failure: &Failure) {
    out::line(format_args!("\nSeed {} breaks a rule.", args.seed));
    out::line(&failure.violation);
    out::line("The shortest history that still does, as a test:\n");
    out::line(failure.as_test());
}

fn as_json(args: &Simulate, report: &Report, failure: Option<&Failure>, took: Duration) -> Value {
    let mishaps = report.mishaps.iter();
    let mishaps: serde_json::Map<String, Value> = mishaps
        .map(|(mishap, times)| (mishap.words().to_owned(), json!(times)))
        .collect();
    let ended = report.ended.iter();
    let ended: serde_json::Map<String, Value> = ended
        .map(|(status, orders)| (status.as_str().to_owned(), json!(orders)))
        .collect();
    json!({
        "seed": args.seed,
        "orders": report.orders,
        "orders_given_up": report.unborn,
        "hours": args.hours,
        "took_ms": u64::try_from(took.as_millis()).unwrap_or_default(),
        "lasted_ms": report.lasted_ms,
        "events": report.events,
        "decisions": report.decisions,
        "commits": report.commits,
        "commits_refused": report.conflicts,
        "crashes": report.crashes,
        "alerts": report.alerts,
        "mails": report.mails,
        "webhooks": report.delivered,
        "debits_and_holds": report.movements,
        "rules": Rule::ALL.len(),
        "mishaps": mishaps,
        "ended": ended,
        "violation": failure.map(|failure| json!({
            "rule": failure.violation.rule.words(),
            "order": failure.violation.order,
            "at_ms": failure.violation.at,
            "what": failure.violation.what,
            "history": failure.history,
            "test": failure.as_test(),
        })),
    })
}
