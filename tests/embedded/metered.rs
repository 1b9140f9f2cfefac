//! Reports that programs pay for by the piece: each payment delivers one, whatever breaks in between.

use super::agents::{CONFIRM, Instead, VERIFY, proof};
use super::market::{Market, is};
use super::reports::Reports;
use reqwest::StatusCode;
use serde_json::json;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[actix_web::test]
async fn a_report_is_offered_paid_delivered_and_confirmed() {
    let market = Market::set().await;
    let reports = market.open().await;
    let offer = reports.offer("/v1/report/42?pages=2").await;
    assert_eq!(market.written(), 0);
    let (trade_no, proof) = market.gateway.pay(&offer);

    let got = reports.ask("/v1/report/42?pages=2", &[&proof]).await;

    assert_eq!(
        (got.status, got.body.as_str()),
        (StatusCode::OK, "# Report 42, written as number 1")
    );
    assert!(got.validation.is_some() && got.needed.is_none());
    market.is_confirmed(&trade_no, 1).await;
    // Its connection may have broken: the same answer, and no other report.
    let again = reports.ask("/v1/report/42?pages=2", &[&proof]).await;
    assert_eq!((again.status, &again.body), (StatusCode::OK, &got.body));
    assert_eq!(market.written(), 1);
    assert_eq!(market.gateway.calls(VERIFY, &trade_no), 1);
    reports.close().await;
    assert_eq!(market.gateway.calls(CONFIRM, &trade_no), 1);
}

#[actix_web::test]
async fn one_payment_shown_many_times_at_once_writes_one_report() {
    let market = Market::set().await;
    let reports = market.open().await;
    let (_, proof) = market.gateway.pay(&reports.offer("/v1/report/1").await);
    market.desk.slowly.store(200, Ordering::SeqCst);
    let proofs = [proof.as_str()];
    let all =
        futures_util::future::join_all((0..20).map(|_| reports.ask("/v1/report/1", &proofs))).await;
    assert_eq!(market.written(), 1);
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
    let market = Market::set().await;
    let reports = market.open().await;
    let offer = reports.offer("/v1/report/1").await;
    let (trade_no, other) = market.gateway.pay(&offer);
    // A payment for another report, and one that nobody made.
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
    // Nothing can be said: no second offer to somebody who has paid.
    let unclear = [
        Instead::Trouble,
        Instead::Unsigned,
        Instead::Says(json!({"code": "20000", "sub_code": "isp.unknow-error"})),
        Instead::Says(json!({"code": "40004", "sub_code": "ACQ.NOBODY_HAS_HEARD_OF"})),
        Instead::Says(json!({"code": "10000", "trade_no": trade_no})),
        // About another trade: it says nothing of this one.
        Instead::Says(
            json!({"code": "10000", "active": true, "trade_no": "20269999", "amount": "0.01"}),
        ),
    ];
    for instead in unclear {
        market.gateway.instead(VERIFY, instead);
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
    assert_eq!(market.written(), 0);
    // And at last it is for this.
    assert_eq!(
        reports.ask("/v1/report/1", &[&other]).await.status,
        StatusCode::OK
    );
    reports.close().await;
}

#[actix_web::test]
async fn a_report_that_failed_uses_nothing_up() {
    let market = Market::set().await;
    let reports = market.open().await;
    let (trade_no, proof) = market.gateway.pay(&reports.offer("/v1/report/1").await);
    *market.desk.failing.lock().unwrap() = vec![404, 500];
    for status in [500, 404] {
        let got = reports.ask("/v1/report/1", &[&proof]).await;
        assert_eq!(
            (got.status.as_u16(), got.body.as_str()),
            (status, "no paper")
        );
    }
    assert_eq!(market.gateway.calls(CONFIRM, &trade_no), 0);
    assert_eq!(
        reports.ask("/v1/report/1", &[&proof]).await.status,
        StatusCode::OK
    );
    market.is_confirmed(&trade_no, 1).await;
    assert_eq!(
        market.gateway.calls(VERIFY, &trade_no),
        1,
        "it was known to be paid"
    );
    reports.close().await;
}

#[actix_web::test]
async fn a_crash_after_the_delivery_loses_no_confirmation_and_delivers_no_other() {
    let market = Market::set().await;
    let reports = market.open().await;
    let offer = reports.offer("/v1/report/1").await;
    let (trade_no, proof) = market.gateway.pay(&offer);
    market.gateway.instead(CONFIRM, Instead::Trouble);
    let got = reports.ask("/v1/report/1", &[&proof]).await;
    assert_eq!(got.status, StatusCode::OK);
    market.is_confirmed(&trade_no, 1).await;
    reports.crash().await;

    let reports = market.open().await;
    let again = reports.ask("/v1/report/1", &[&proof]).await;
    assert_eq!((again.status, &again.body), (StatusCode::OK, &got.body));
    assert_eq!(market.written(), 1);
    market.clock.by_ms.store(60_000, Ordering::SeqCst);
    market.is_confirmed(&trade_no, 2).await;
    market.trades_become(&["CONFIRMED"]).await;
    assert_eq!(market.written(), 1);
    reports.close().await;
}

#[actix_web::test]
async fn a_crash_before_the_delivery_leaves_the_report_to_be_had() {
    let market = Market::set().await;
    let reports = market.open().await;
    let (trade_no, proof) = market.gateway.pay(&reports.offer("/v1/report/1").await);
    market.desk.slowly.store(20_000, Ordering::SeqCst);
    let patience = Duration::from_millis(700);
    assert_eq!(
        reports
            .ask_within("/v1/report/1", &[&proof], patience)
            .await,
        None
    );
    assert_eq!(market.written(), 1);
    reports.crash().await;

    market.desk.slowly.store(0, Ordering::SeqCst);
    let reports = market.open().await;
    let got = reports.ask("/v1/report/1", &[&proof]).await;
    assert_eq!(
        got.body, "# Report 1, written as number 2",
        "nothing of the first has gone out"
    );
    market.is_confirmed(&trade_no, 1).await;
    reports.close().await;
}

#[actix_web::test]
async fn a_payer_who_hangs_up_finds_the_report_when_they_come_again() {
    let market = Market::set().await;
    let reports = market.open().await;
    let (_, proof) = market.gateway.pay(&reports.offer("/v1/report/1").await);
    market.desk.slowly.store(1_500, Ordering::SeqCst);
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
    let market = Market::set().await;
    let reports = market.open().await;
    let (_, long) = market.gateway.pay(&reports.offer("/v1/report/long").await);
    assert_eq!(
        reports.ask("/v1/report/long", &[&long]).await.body.len(),
        300 * 1024
    );
    is(
        &reports.ask("/v1/report/long", &[&long]).await,
        402,
        "payment-required",
    );

    let (_, proof) = market.gateway.pay(&reports.offer("/v1/report/1").await);
    let (unused, _) = market.gateway.pay(&reports.offer("/v1/report/2").await);
    let failed = proof_of(&market, &reports).await;
    assert_eq!(
        reports.ask("/v1/report/1", &[&proof]).await.status,
        StatusCode::OK
    );
    market.clock.by_ms.store(16 * 60_000, Ordering::SeqCst);
    is(
        &reports.ask("/v1/report/1", &[&proof]).await,
        402,
        "payment-required",
    );
    assert_eq!(market.written(), 3);
    // A person is told of the one who paid, asked, and got nothing; and no more once they have it.
    market.alerts_become(&["open"]).await;
    assert_eq!(
        reports.ask("/v1/report/3", &[&failed]).await.status,
        StatusCode::OK
    );
    market.alerts_become(&["resolved"]).await;
    assert_eq!(market.gateway.calls(VERIFY, &unused), 0);
    reports.close().await;
}

/// A payment whose report could not be written.
async fn proof_of(market: &Market, reports: &Reports) -> String {
    let (_, proof) = market.gateway.pay(&reports.offer("/v1/report/3").await);
    *market.desk.failing.lock().unwrap() = vec![500];
    assert_eq!(
        reports.ask("/v1/report/3", &[&proof]).await.status.as_u16(),
        500
    );
    proof
}

#[actix_web::test]
async fn an_offer_that_was_made_before_a_restart_is_paid_after_it() {
    let market = Market::set().await;
    let reports = market.open().await;
    let offer = reports.offer("/v1/report/1").await;
    reports.close().await;
    let reports = market.open().await;
    let (_, proof) = market.gateway.pay(&offer);
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
