//! A start-up with a million orders in flight: how soon it is ready, and how much memory that takes.
//!
//! `cargo bench --bench rehydrate`; `-- --short` takes 100,000. The server is a process of its own; it is ready when
//! it answers, which it does only after every in-flight row has its timer.

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "a benchmark prints what it measured, and stops at whatever is not as it should be"
)]

mod ready;
mod roles;

use oncepay::store::{Database, DatabaseSettings};
use ready::{peak_memory_mib, wait_until_ready};
use roles::{free_port, start_sandbox, start_server};
use sea_orm::ConnectionTrait;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    match std::env::var(roles::ROLE).as_deref() {
        Ok("server") => roles::server(),
        Ok("sandbox") => roles::sandbox(),
        _ => measure(),
    }
}

fn measure() {
    let rows = if std::env::args().any(|argument| argument == "--short") {
        100_000
    } else {
        1_000_000
    };
    let folder = tempfile::tempdir_in("target").expect("a folder on the disk");
    let url = format!("sqlite://{}", folder.path().join("oncepay.db").display());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(fill(&url, rows));
    let (sandbox_port, port) = (free_port(), free_port());
    let _sandbox = start_sandbox(folder.path(), sandbox_port);
    let started = Instant::now();
    let server = start_server(folder.path(), &url, sandbox_port, port, "grouped");
    wait_until_ready(port);
    let took = started.elapsed();
    let memory = peak_memory_mib(server.pid());
    println!(
        "{rows} orders in flight: ready in {:.2} s, peak memory {memory} MiB",
        took.as_secs_f64()
    );
}

/// Orders in `UNKNOWN` whose next check is an hour away, as a long outage of a channel leaves them.
async fn fill(url: &str, rows: u64) {
    let database = Database::open(&DatabaseSettings {
        url: url.to_owned(),
        readers: 1,
    })
    .await
    .expect("it opens");
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_millis();
    let sql = format!(
        r#"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
        INSERT INTO orders (order_id, order_no, idempotency_key, channel, merchant, live, method, amount, currency,
            subject, entitlements, metadata, status, reason, version, created_at, updated_at, expires_at, ask_first,
            notify_url, submits, extra_submits, check_count, next_check_at, ask_due, expiry_count, proof_in_conflict,
            amount_refunded, withheld, callback_count, event_seq, last_decision, wake_at)
        SELECT printf('ord_%032x', i), printf('2026%012d', i), printf('pay:order:2026%012d', i), 'sandbox', 'sandbox',
            0, 'direct', 1999, 'CNY', 'bench', '[]', '{{}}', 'UNKNOWN', 'submit_timeout', 2, {now}, {now},
            {now} + 7200000, 0, 'http://127.0.0.1/', '[]', 0, 0, {now} + 3600000 + i, 0, 0, 0, 0, 0, 0, 3, printf('evt_%032x', i),
            {now} + 3600000 + i FROM n"#
    );
    database
        .write
        .execute_unprepared(&sql)
        .await
        .expect("the rows are written");
    database.close().await;
}
