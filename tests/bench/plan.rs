//! What is measured, in which order, and what is printed.

use super::load::{Line, Pace, Seen, orders, quantile_ms};
use super::roles::{SECRET, free_port, start_sandbox, start_server};
use super::table::{median, median_seen};
use oncepay::channels::signing::SigningKey;
use sea_orm::ConnectionTrait;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long and how often.
pub struct Plan {
    rounds: usize,
    measured: Duration,
    warm_up: Duration,
    callers: Vec<usize>,
    postgres_alone: bool,
}

impl Plan {
    pub fn of_arguments() -> Self {
        let given = |option: &str| std::env::args().any(|argument| argument == option);
        let postgres_alone = given("--postgres");
        if given("--short") {
            let (measured, warm_up) = (Duration::from_secs(1), Duration::from_millis(500));
            Self {
                rounds: 1,
                measured,
                warm_up,
                callers: vec![16, 64],
                postgres_alone,
            }
        } else {
            let (measured, warm_up) = (Duration::from_secs(4), Duration::from_secs(1));
            Self {
                rounds: 3,
                measured,
                warm_up,
                callers: vec![16, 64, 256],
                postgres_alone,
            }
        }
    }
}

const ACCOUNTS: u64 = 1000;
const JOURNALS: [&str; 3] = ["grouped", "discard", "naive"];
/// A fresh database for each measurement is made on this server.
const POSTGRES: &str = "ONCEPAY_TEST_POSTGRES";

pub fn run(plan: &Plan) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let postgres = std::env::var(POSTGRES).ok();
    if !plan.postgres_alone {
        on_sqlite(plan, &runtime);
    }
    match postgres {
        Some(server) => runtime.block_on(on_postgres(plan, &server)),
        None if plan.postgres_alone => panic!("--postgres wants a server: {POSTGRES}"),
        None => {}
    }
}

/// Every journal in turn, since the bound swings from run to run; then half of the top rate.
fn on_sqlite(plan: &Plan, runtime: &tokio::runtime::Runtime) {
    let mut seen: BTreeMap<(usize, &str), Vec<Seen>> = BTreeMap::new();
    for round in 0..plan.rounds {
        for callers in &plan.callers {
            for journal in JOURNALS {
                let one = runtime.block_on(one(plan, *callers, journal, None));
                eprintln!(
                    "round {round}: {callers:>3} callers, {journal:>7}: {:>6.0}/s",
                    one.per_second
                );
                seen.entry((*callers, journal)).or_default().push(one);
            }
        }
    }
    println!(
        "orders a second to PAID, SQLite synchronous=FULL, medians of {}",
        plan.rounds
    );
    println!(
        "| connections | grouped | p50 ms | p99 ms | keeps nothing | ratio | naive | grouped / naive |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut top = 0.0;
    for callers in &plan.callers {
        let of = |journal| median_seen(&seen[&(*callers, journal)]);
        let (grouped, bound, naive) = (of("grouped"), of("discard"), of("naive"));
        let rounds = |other: &str| -> f64 {
            let pairs = seen[&(*callers, "grouped")]
                .iter()
                .zip(&seen[&(*callers, other)]);
            median(
                pairs
                    .map(|(grouped, other)| grouped.per_second / other.per_second)
                    .collect(),
            )
        };
        println!(
            "| {callers} | {:.0} | {:.1} | {:.1} | {:.0} | {:.2} | {:.0} | {:.1} |",
            grouped.per_second,
            grouped.p50_ms,
            grouped.p99_ms,
            bound.per_second,
            rounds("discard"),
            naive.per_second,
            rounds("naive"),
        );
        assert_eq!(
            grouped.others + bound.others + naive.others,
            0,
            "every order is paid"
        );
        if *callers == 64 {
            top = grouped.per_second;
        }
    }
    let half = runtime.block_on(one(plan, 64, "grouped", Some(top / 2.0)));
    println!(
        "at half load, 64 connections: {:.0}/s, p50 {:.1} ms, p99 {:.1} ms",
        half.per_second, half.p50_ms, half.p99_ms
    );
    let (count, p50, p99) = runtime.block_on(callbacks(plan, top / 2.0));
    println!("callbacks acknowledged at half load: {count}, p50 {p50:.1} ms, p99 {p99:.1} ms");
}

/// The same on PostgreSQL, each in turn with a server that keeps nothing.
async fn on_postgres(plan: &Plan, server: &str) {
    println!("on PostgreSQL, medians of {}", plan.rounds);
    println!("| connections | grouped | p50 ms | p99 ms | keeps nothing | ratio |");
    println!("|---|---|---|---|---|---|");
    for callers in &plan.callers {
        let (mut grouped, mut bound, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..plan.rounds {
            let database = fresh_postgres(server).await;
            let kept = measured(plan, *callers, "grouped", None, Some(database)).await;
            let lost = one(plan, *callers, "discard", None).await;
            ratios.push(kept.per_second / lost.per_second);
            grouped.push(kept);
            bound.push(lost);
        }
        let (grouped, bound) = (median_seen(&grouped), median_seen(&bound));
        println!(
            "| {callers} | {:.0} | {:.1} | {:.1} | {:.0} | {:.2} |",
            grouped.per_second,
            grouped.p50_ms,
            grouped.p99_ms,
            bound.per_second,
            median(ratios),
        );
        assert_eq!(grouped.others, 0, "every order is paid");
    }
}

async fn fresh_postgres(server: &str) -> String {
    let name = oncepay::clock::new_id("bench");
    let admin = sea_orm::Database::connect(server)
        .await
        .expect("the server answers");
    admin
        .execute_unprepared(&format!("CREATE DATABASE {name}"))
        .await
        .expect("a database is made");
    admin.close().await.expect("it closes");
    let (before, _) = server.rsplit_once('/').expect("a URL with a database");
    format!("{before}/{name}")
}

async fn one(plan: &Plan, callers: usize, journal: &str, per_second: Option<f64>) -> Seen {
    measured(plan, callers, journal, per_second, None).await
}

/// One measurement on a database of its own; on SQLite if none is given.
async fn measured(
    plan: &Plan,
    callers: usize,
    journal: &str,
    per_second: Option<f64>,
    database: Option<String>,
) -> Seen {
    let folder = tempfile::tempdir_in("target").expect("a folder on the disk");
    let (sandbox_port, port) = (free_port(), free_port());
    let _sandbox = start_sandbox(folder.path(), sandbox_port);
    let file = folder.path().join("oncepay.db");
    let database = database.unwrap_or_else(|| format!("sqlite://{}", file.display()));
    let _server = start_server(folder.path(), &database, sandbox_port, port, journal);
    let pace = Pace {
        callers,
        warm_up: plan.warm_up,
        measured: plan.measured,
        per_second,
        accounts: ACCOUNTS,
    };
    orders(port, pace).await
}

/// Callbacks beside orders at half of the top rate: how soon each is acknowledged.
async fn callbacks(plan: &Plan, per_second: f64) -> (usize, f64, f64) {
    let folder = tempfile::tempdir_in("target").expect("a folder on the disk");
    let (sandbox_port, port) = (free_port(), free_port());
    let _sandbox = start_sandbox(folder.path(), sandbox_port);
    let database = format!("sqlite://{}", folder.path().join("oncepay.db").display());
    let _server = start_server(folder.path(), &database, sandbox_port, port, "grouped");
    let pace = Pace {
        callers: 64,
        warm_up: plan.warm_up,
        measured: plan.measured,
        per_second: Some(per_second),
        accounts: ACCOUNTS,
    };
    let load = tokio::spawn(orders(port, pace));
    let ends = Instant::now() + plan.warm_up + plan.measured;
    let key = SigningKey::parse(&SecretString::from(SECRET)).expect("a secret");
    let mut line = Line::connect(port).await;
    let mut took = Vec::new();
    let mut number = 0;
    while Instant::now() < ends {
        number += 1;
        let order_no = format!("c-{number}");
        let head = format!(
            "Authorization: Bearer {}\r\nPrefer: respond-async\r\n",
            super::roles::KEY
        );
        let body = format!(
            r#"{{"order_no":"{order_no}","channel":"sandbox","amount":1999,"currency":"CNY","subject":"bench #pending #no-callback"}}"#
        );
        line.post("/v1/orders", &head, body.as_bytes()).await;
        let notice = format!(
            r#"{{"type":"charge.updated","data":{{"trade_no":"T{number}","order_no":"{order_no}","idempotency_key":"pay:order:{order_no}","amount":1999,"currency":"CNY","status":"PAID"}}}}"#
        );
        let id = format!("msg_{number}");
        let at = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("after 1970")
            .as_secs()
            .to_string();
        let text: [&[u8]; 5] = [id.as_bytes(), b".", at.as_bytes(), b".", notice.as_bytes()];
        let head = format!(
            "webhook-id: {id}\r\nwebhook-timestamp: {at}\r\nwebhook-signature: {}\r\n",
            key.sign(&text)
        );
        let started = Instant::now();
        let answer = line
            .post("/v1/callbacks/sandbox", &head, notice.as_bytes())
            .await;
        assert!(
            answer.starts_with("HTTP/1.1 200"),
            "a callback is acknowledged: {answer}"
        );
        took.push(started.elapsed());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    load.await.expect("the load ends");
    took.sort_unstable();
    (
        took.len(),
        quantile_ms(&took, 0.5),
        quantile_ms(&took, 0.99),
    )
}
