//! Who has paid is not asked to pay again: another proof, a second payment, one that was never offered, an answer again.

use super::agents::{CONFIRM, Instead, VERIFY, another_proof, forged_proof};
use super::market::{Market, is};
use reqwest::StatusCode;
use serde_json::json;

#[actix_web::test]
async fn a_payer_who_comes_back_with_another_proof_gets_what_was_paid() {
    let market = Market::set().await;
    let reports = market.open().await;
    let (trade_no, first) = market.gateway.pay(&reports.offer("/v1/report/1").await);
    *market.desk.failing.lock().unwrap() = vec![500];
    let got = reports.ask("/v1/report/1", &[&first]).await;
    assert_eq!(got.status.as_u16(), 500);
    reports.crash().await;

    let reports = market.open().await;
    let forged = forged_proof(&trade_no);
    let got = reports.ask("/v1/report/1", &[&forged]).await;
    is(&got, 402, "payment-required");
    market.gateway.instead(VERIFY, Instead::Trouble);
    let second = another_proof(&trade_no);
    let got = reports.ask("/v1/report/1", &[&second]).await;
    is(&got, 503, "payment-unclear");
    // What the channel says now must be what it said first.
    let other = json!({"code": "10000", "active": true, "trade_no": trade_no, "amount": "0.02"});
    market.gateway.instead(VERIFY, Instead::Says(other));
    let got = reports.ask("/v1/report/1", &[&second]).await;
    is(&got, 503, "payment-unclear");

    let got = reports.ask("/v1/report/1", &[&second]).await;
    assert_eq!(got.body, "# Report 1, written as number 2");
    market.is_confirmed(&trade_no, 1).await;
    // Whichever of the two is shown again, it is the one report.
    for proof in [&first, &second] {
        let again = reports.ask("/v1/report/1", &[proof]).await;
        assert_eq!((again.status, &again.body), (StatusCode::OK, &got.body));
    }
    let got = reports.ask("/v1/report/1", &[&forged]).await;
    is(&got, 402, "payment-required");
    assert_eq!(market.written(), 2);
    assert_eq!(market.gateway.calls(CONFIRM, &trade_no), 1);
    reports.close().await;
}

#[actix_web::test]
async fn a_second_payment_of_one_offer_is_kept_and_told_and_not_asked_for_again() {
    let market = Market::set().await;
    let reports = market.open().await;
    let offer = reports.offer("/v1/report/1").await;
    let (_, first) = market.gateway.pay(&offer);
    let got = reports.ask("/v1/report/1", &[&first]).await;
    assert_eq!(got.status, StatusCode::OK);
    let (second_no, second) = market.gateway.pay(&offer);

    let got = reports.ask("/v1/report/1", &[&second]).await;

    is(&got, 409, "payment-unmatched");
    market.trades_become(&["CONFIRMED", "UNMATCHED"]).await;
    market.alerts_become(&["open"]).await;
    let told = "SELECT message FROM alerts WHERE kind = 'pay_per_use'";
    let told = market.texts(told).await.concat();
    assert!(
        told.contains(&second_no) && told.contains("0.01 CNY") && told.contains("another trade"),
        "{told}"
    );
    // It stays so, with whatever proof, for whatever report, also after a restart; the channel is not asked any more.
    reports.crash().await;
    let reports = market.open().await;
    for (path, proof) in [
        ("/v1/report/1", &second),
        ("/v1/report/2", &second),
        ("/v1/report/1", &another_proof(&second_no)),
    ] {
        let got = reports.ask(path, &[proof]).await;
        is(&got, 409, "payment-unmatched");
    }
    assert_eq!(market.gateway.calls(VERIFY, &second_no), 1);
    assert_eq!(market.gateway.calls(CONFIRM, &second_no), 0);
    market.alerts_become(&["open"]).await;
    assert_eq!(market.written(), 1);
    reports.close().await;
}

#[actix_web::test]
async fn a_payment_that_was_never_offered_is_kept_and_told() {
    let market = Market::set().await;
    let reports = market.open().await;
    let offer = reports.offer("/v1/report/1").await;
    reports.close().await;
    // The key that offers are made with is lost, as with a database that was set up anew.
    market.database.alter("DELETE FROM metered_keys").await;
    let reports = market.open().await;
    let (lost, proof) = market.gateway.pay(&offer);
    let got = reports.ask("/v1/report/1", &[&proof]).await;
    is(&got, 409, "payment-unmatched");
    // Another amount than was offered, down to nothing.
    let (cheap, proof) = market.gateway.pay(&reports.offer("/v1/report/1").await);
    let nothing = json!({"code": "10000", "active": true, "trade_no": cheap, "amount": "0.00", "out_trade_no": "x",
        "resource_id": "/v1/report/1"});
    market.gateway.instead(VERIFY, Instead::Says(nothing));
    let got = reports.ask("/v1/report/1", &[&proof]).await;
    is(&got, 409, "payment-unmatched");

    market.trades_become(&["UNMATCHED", "UNMATCHED"]).await;
    market.alerts_become(&["open", "open"]).await;
    assert_eq!(market.gateway.calls(CONFIRM, &lost), 0);
    assert_eq!(market.written(), 0);
    // What is offered now is delivered.
    let (_, proof) = market.gateway.pay(&reports.offer("/v1/report/1").await);
    let got = reports.ask("/v1/report/1", &[&proof]).await;
    assert_eq!(got.status, StatusCode::OK);
    reports.close().await;
}

#[actix_web::test]
async fn what_is_delivered_again_is_the_same_with_its_headers() {
    let market = Market::set().await;
    let reports = market.open().await;
    let (trade_no, proof) = market
        .gateway
        .pay(&reports.offer("/v1/report/packed").await);
    let mut first = reports.ask("/v1/report/packed", &[&proof]).await;
    market.is_confirmed(&trade_no, 1).await;
    let mut again = reports.ask("/v1/report/packed", &[&proof]).await;
    for got in [&mut first, &mut again] {
        assert_eq!(got.status, StatusCode::OK);
        assert_eq!(got.headers["content-encoding"], "br");
        assert_eq!(got.headers.get_all("link").iter().count(), 2);
        assert!(got.headers.remove("date").is_some() && got.validation.is_some());
    }
    assert_eq!(first, again);
    assert_eq!(market.written(), 1);
    reports.close().await;
}
