//! Anybody can write a proof, and each costs the seller a call: they wait their turn, and only so many at once.

use super::agents::{VERIFY, proof};
use super::market::{Market, is};
use super::support::eventually;
use futures_util::future::join_all;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More than are looked at once.
const FLOOD: usize = 50;
/// So many are.
const AT_ONCE: usize = 32;

#[actix_web::test]
async fn proofs_that_nobody_gave_out_stay_within_the_rate_of_the_channel() {
    let market = Market::set_with("rate = \"1/h\"\n").await;
    let reports = market.open().await;
    let forged: Vec<String> = (0..FLOOD).map(|n| proof(&format!("2026{n:04}"))).collect();
    let asked = forged.iter().map(|proof| async {
        let proof = [proof.as_str()];
        reports.ask("/v1/report/1", &proof).await
    });
    let mut refused = 0;
    for got in join_all(asked).await {
        match got.status.as_u16() {
            402 => refused += 1,
            _ => is(&got, 503, "payment-unclear"),
        }
    }
    assert_eq!((refused, market.gateway.all_calls(VERIFY)), (1, 1));
    reports.close().await;
}

#[actix_web::test]
async fn so_many_proofs_are_looked_at_at_once_and_the_others_come_again() {
    let market = Market::set_with("[checks]\nquery_timeout = \"50s\"\n").await;
    let reports = market.open().await;
    market.gateway.holds(Some(VERIFY));
    let forged: Vec<String> = (0..FLOOD).map(|n| proof(&format!("2026{n:04}"))).collect();
    let (unclear, needed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let asked = forged.iter().map(|proof| async {
        let proof = [proof.as_str()];
        let got = reports.ask("/v1/report/1", &proof).await;
        let counted = if got.status.as_u16() == 402 {
            &needed
        } else {
            is(&got, 503, "payment-unclear");
            &unclear
        };
        counted.fetch_add(1, Ordering::SeqCst);
    });
    let let_go = async {
        eventually("those beyond the bound are answered", || async {
            let answered = unclear.load(Ordering::SeqCst);
            let calls = market.gateway.all_calls(VERIFY);
            ((answered, calls) == (FLOOD - AT_ONCE, AT_ONCE))
                .then_some(())
                .ok_or_else(|| format!("{answered} answered, {calls} calls"))
        })
        .await;
        market.gateway.holds(None);
    };
    futures_util::future::join(join_all(asked), let_go).await;
    assert_eq!(needed.load(Ordering::SeqCst), AT_ONCE);
    // There is room again.
    let (_, proof) = market.gateway.pay(&reports.offer("/v1/report/1").await);
    let got = reports.ask("/v1/report/1", &[&proof]).await;
    assert!(got.status.is_success(), "{got:?}");
    reports.close().await;
}
