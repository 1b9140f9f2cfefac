//! Reports that programs pay for by the piece: each payment delivers one, whatever breaks in between.

use super::agents::{CONFIRM, Gateway, Instead, VERIFY, proof};
use super::reports::{Ahead, Desk, Got, Reports};
use reqwest::StatusCode;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tempfile::TempDir;

struct Stage {
    folder: TempDir,
    gateway: Gateway,
    desk: Arc<Desk>,
    clock: Arc<Ahead>,
}

impl Stage {
    fn set() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            gateway: Gateway::open(),
            desk: Arc::default(),
            clock: Ahead::start(),
        }
    }

    async fn open(&self) -> Reports {
        let channels = self.gateway.section();
        Reports::open(
            self.folder.path(),
            &channels,
            &self.desk,
            self.clock.clone(),
        )
        .await
    }

    fn written(&self) -> usize {
        self.desk.written.load(Ordering::SeqCst)
    }

    async fn is_confirmed(&self, trade_no: &str, times: usize) {
        eventually("it is confirmed", || {
            let calls = self.gateway.calls(CONFIRM, trade_no);
            (calls >= times)
                .then_some(())
                .ok_or_else(|| calls.to_string())
        })
        .await;
    }
}

async fn eventually(what: &str, mut look: impl FnMut() -> Result<(), String>) {
    let until = Instant::now() + Duration::from_secs(30);
    while let Err(instead) = look() {
        assert!(
            Instant::now() < until,
            "never came: {what}; last: {instead}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// What it says and which offer it makes, if it makes one.
fn is(got: &Got, status: u16, code: &str) {
    assert_eq!(got.status.as_u16(), status, "{got:?}");
    assert!(
        got.body.contains(&format!("\"code\":\"{code}\"")),
        "{got:?}"
    );
    assert_eq!(got.needed.is_some(), status == 402, "{got:?}");
}

#[actix_web::test]
async fn a_report_is_offered_paid_delivered_and_confirmed() {
    let stage = Stage::set();
    let reports = stage.open().await;
    let offer = reports.offer("/v1/report/42?pages=2").await;
    assert_eq!(stage.written(), 0);
    let (trade_no, proof) = stage.gateway.pay(&offer);

    let got = reports.ask("/v1/report/42?pages=2", &[&proof]).await;

    assert_eq!(
        (got.status, got.body.as_str()),
        (StatusCode::OK, "# Report 42, written as number 1")
    );
    assert!(got.validation.is_some() && got.needed.is_none());
    stage.is_confirmed(&trade_no, 1).await;
    // Its connection may have broken: the same answer, and no other report.
    let again = reports.ask("/v1/report/42?pages=2", &[&proof]).await;
    assert_eq!((again.status, &again.body), (StatusCode::OK, &got.body));
    assert_eq!(stage.written(), 1);
    assert_eq!(stage.gateway.calls(VERIFY, &trade_no), 1);
    reports.close().await;
    assert_eq!(stage.gateway.calls(CONFIRM, &trade_no), 1);
}

#[actix_web::test]
async fn one_payment_shown_many_times_at_once_writes_one_report() {
    let stage = Stage::set();
    let reports = stage.open().await;
    let (_, proof) = stage.gateway.pay(&reports.offer("/v1/report/1").await);
    stage.desk.slowly.store(200, Ordering::SeqCst);
    let proofs = [proof.as_str()];
    let all =
        futures_util::future::join_all((0..20).map(|_| reports.ask("/v1/report/1", &proofs))).await;
    assert_eq!(stage.written(), 1);
    let delivered: Vec<_> = all
        .iter()
        .filter(|got| got.status == StatusCode::OK)
        .collect();
    assert!(!delivered.is_empty());
    for got in &all {
        if got.status != StatusCode::OK {
            is(got, 409, "payment-in-use");
        }
    }
    reports.close().await;
}

#[actix_web::test]
async fn what_was_not_paid_for_this_is_not_delivered() {
    let stage = Stage::set();
    let reports = stage.open().await;
    let offer = reports.offer("/v1/report/1").await;
    let (trade_no, other) = stage.gateway.pay(&offer);
    // A payment for another report, one that nobody made, and one of an amount that was never offered.
    is(
        &reports.ask("/v1/report/2", &[&other]).await,
        402,
        "payment-required",
    );
    is(
        &reports.ask("/v1/report/1", &[&proof("20269999")]).await,
        402,
        "payment-required",
    );
    let cheap = json!({"code": "10000", "active": true, "trade_no": trade_no, "amount": "0.00", "out_trade_no": "x",
        "resource_id": "/v1/report/1"});
    stage.gateway.instead(VERIFY, Instead::Says(cheap));
    is(
        &reports.ask("/v1/report/1", &[&other]).await,
        402,
        "payment-required",
    );
    // Nothing can be said: no second offer to somebody who has paid.
    let unclear = [
        Instead::Trouble,
        Instead::Unsigned,
        Instead::Says(json!({"code": "20000", "sub_code": "isp.unknow-error"})),
        Instead::Says(json!({"code": "40004", "sub_code": "ACQ.NOBODY_HAS_HEARD_OF"})),
        Instead::Says(json!({"code": "10000", "trade_no": trade_no})),
    ];
    for instead in unclear {
        stage.gateway.instead(VERIFY, instead);
        is(
            &reports.ask("/v1/report/1", &[&other]).await,
            503,
            "payment-unclear",
        );
    }
    is(
        &reports.ask("/v1/report/1", &["nonsense"]).await,
        400,
        "payment-proof-unreadable",
    );
    is(
        &reports.ask("/v1/report/1", &[&other, &other]).await,
        400,
        "payment-proof-unreadable",
    );
    assert_eq!(stage.written(), 0);
    // And at last it is for this.
    assert_eq!(
        reports.ask("/v1/report/1", &[&other]).await.status,
        StatusCode::OK
    );
    reports.close().await;
}

#[actix_web::test]
async fn a_report_that_failed_uses_nothing_up() {
    let stage = Stage::set();
    let reports = stage.open().await;
    let (trade_no, proof) = stage.gateway.pay(&reports.offer("/v1/report/1").await);
    *stage.desk.failing.lock().unwrap() = vec![404, 500];
    for status in [500, 404] {
        let got = reports.ask("/v1/report/1", &[&proof]).await;
        assert_eq!(
            (got.status.as_u16(), got.body.as_str()),
            (status, "no paper")
        );
    }
    assert_eq!(stage.gateway.calls(CONFIRM, &trade_no), 0);
    assert_eq!(
        reports.ask("/v1/report/1", &[&proof]).await.status,
        StatusCode::OK
    );
    stage.is_confirmed(&trade_no, 1).await;
    assert_eq!(
        stage.gateway.calls(VERIFY, &trade_no),
        1,
        "it was known to be paid"
    );
    reports.close().await;
}

#[actix_web::test]
async fn a_crash_after_the_delivery_loses_no_confirmation_and_delivers_no_other() {
    let stage = Stage::set();
    let reports = stage.open().await;
    let offer = reports.offer("/v1/report/1").await;
    let (trade_no, proof) = stage.gateway.pay(&offer);
    stage.gateway.instead(CONFIRM, Instead::Trouble);
    let got = reports.ask("/v1/report/1", &[&proof]).await;
    assert_eq!(got.status, StatusCode::OK);
    stage.is_confirmed(&trade_no, 1).await;
    reports.crash().await;

    let reports = stage.open().await;
    let again = reports.ask("/v1/report/1", &[&proof]).await;
    assert_eq!((again.status, &again.body), (StatusCode::OK, &got.body));
    assert_eq!(stage.written(), 1);
    stage.clock.by_ms.store(60_000, Ordering::SeqCst);
    stage.is_confirmed(&trade_no, 2).await;
    column_becomes(&stage, "SELECT status FROM metered_trades", "CONFIRMED").await;
    // Its offer is used up, also for a trade of another number.
    is(
        &reports
            .ask("/v1/report/1", &[&stage.gateway.pay(&offer).1])
            .await,
        402,
        "payment-required",
    );
    assert_eq!(stage.written(), 1);
    reports.close().await;
}

#[actix_web::test]
async fn a_crash_before_the_delivery_leaves_the_report_to_be_had() {
    let stage = Stage::set();
    let reports = stage.open().await;
    let (trade_no, proof) = stage.gateway.pay(&reports.offer("/v1/report/1").await);
    stage.desk.slowly.store(20_000, Ordering::SeqCst);
    let patience = Duration::from_millis(700);
    assert_eq!(
        reports
            .ask_within("/v1/report/1", &[&proof], patience)
            .await,
        None
    );
    assert_eq!(stage.written(), 1);
    reports.crash().await;

    stage.desk.slowly.store(0, Ordering::SeqCst);
    let reports = stage.open().await;
    let got = reports.ask("/v1/report/1", &[&proof]).await;
    assert_eq!(
        got.body, "# Report 1, written as number 2",
        "nothing of the first has gone out"
    );
    stage.is_confirmed(&trade_no, 1).await;
    reports.close().await;
}

#[actix_web::test]
async fn a_payer_who_hangs_up_finds_the_report_when_they_come_again() {
    let stage = Stage::set();
    let reports = stage.open().await;
    let (_, proof) = stage.gateway.pay(&reports.offer("/v1/report/1").await);
    stage.desk.slowly.store(1_500, Ordering::SeqCst);
    let patience = Duration::from_millis(500);
    assert_eq!(
        reports
            .ask_within("/v1/report/1", &[&proof], patience)
            .await,
        None
    );
    is(
        &reports.ask("/v1/report/1", &[&proof]).await,
        409,
        "payment-in-use",
    );
    let until = Instant::now() + Duration::from_secs(20);
    let got = loop {
        let got = reports.ask("/v1/report/1", &[&proof]).await;
        if got.status == StatusCode::OK || Instant::now() > until {
            break got;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(got.body, "# Report 1, written as number 1");
    reports.close().await;
}

#[actix_web::test]
async fn a_payment_is_over_after_a_while_and_a_long_report_goes_out_once() {
    let stage = Stage::set();
    let reports = stage.open().await;
    let (_, long) = stage.gateway.pay(&reports.offer("/v1/report/long").await);
    assert_eq!(
        reports.ask("/v1/report/long", &[&long]).await.body.len(),
        300 * 1024
    );
    is(
        &reports.ask("/v1/report/long", &[&long]).await,
        402,
        "payment-required",
    );

    let (_, proof) = stage.gateway.pay(&reports.offer("/v1/report/1").await);
    let (unused, _) = stage.gateway.pay(&reports.offer("/v1/report/2").await);
    let failed = proof_of(&stage, &reports).await;
    assert_eq!(
        reports.ask("/v1/report/1", &[&proof]).await.status,
        StatusCode::OK
    );
    stage.clock.by_ms.store(16 * 60_000, Ordering::SeqCst);
    is(
        &reports.ask("/v1/report/1", &[&proof]).await,
        402,
        "payment-required",
    );
    assert_eq!(stage.written(), 3);
    // A person is told of the one who paid, asked, and got nothing; and no more once they have it.
    alerts_become(&stage, "open").await;
    assert_eq!(
        reports.ask("/v1/report/3", &[&failed]).await.status,
        StatusCode::OK
    );
    alerts_become(&stage, "resolved").await;
    assert_eq!(stage.gateway.calls(VERIFY, &unused), 0);
    reports.close().await;
}

/// A payment whose report could not be written.
async fn proof_of(stage: &Stage, reports: &Reports) -> String {
    let (_, proof) = stage.gateway.pay(&reports.offer("/v1/report/3").await);
    *stage.desk.failing.lock().unwrap() = vec![500];
    assert_eq!(
        reports.ask("/v1/report/3", &[&proof]).await.status.as_u16(),
        500
    );
    proof
}

/// The one alert about a payment has this status.
async fn alerts_become(stage: &Stage, status: &str) {
    let sql = "SELECT status FROM alerts WHERE kind = 'pay_per_use'";
    column_becomes(stage, sql, status).await;
}

/// The one row that is found has this text.
async fn column_becomes(stage: &Stage, sql: &str, text: &str) {
    let file = stage.folder.path().join("reports.db");
    eventually(&format!("{sql} finds {text}"), || {
        let connection = rusqlite::Connection::open(&file).unwrap();
        let mut query = connection.prepare(sql).unwrap();
        let rows = query.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let found: Vec<String> = rows.map(Result::unwrap).collect();
        (found == [text])
            .then_some(())
            .ok_or_else(|| format!("{found:?}"))
    })
    .await;
}

#[actix_web::test]
async fn an_offer_that_was_made_before_a_restart_is_paid_after_it() {
    let stage = Stage::set();
    let reports = stage.open().await;
    let offer = reports.offer("/v1/report/1").await;
    reports.close().await;
    let reports = stage.open().await;
    let (_, proof) = stage.gateway.pay(&offer);
    assert_eq!(
        reports.ask("/v1/report/1", &[&proof]).await.status,
        StatusCode::OK
    );
    let terms = oncepay::PayPerUseTerms::new(
        oncepay::Money::new(1, oncepay::Currency::parse("CNY").unwrap()),
        "a",
        "b",
        "c",
    );
    let refused = reports.runtime.pay_per_use("wechat", terms).unwrap_err();
    assert_eq!(refused.to_string(), "there is no channel `wechat`");
    reports.close().await;
}
