//! A ledger that refuses a grant does not hinder the payment.

use crate::fulfilment::{ledger, open, with_credits};
use crate::support::{Receiver, eventually};

/// The books say that this order was granted, which nobody here has done: its payment stands all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_grant_that_the_ledger_refuses_does_not_hinder_the_payment() {
    let receiver = Receiver::open().await;
    let (processor, shop) = open(&receiver).await;
    shop.database.alter("INSERT INTO ledger_entries (account, source, kind, entry_id, at, quantity, balance_after, decision_id) \
         VALUES ('user-42', 'order:taken', 'credits', 'ent_other', 1, 7, 7, 'evt_other')",
    )
    .await;

    let paid = shop.create(&with_credits("taken", "VIP")).await;

    assert_eq!(paid.text("status"), "PAID");
    assert_eq!(paid.body["entitlements"][0]["status"], "PENDING");
    processor.charged_once("taken").await;
    receiver.gets(1, "order.paid", "taken").await;
    eventually("a person is told that it is not granted", || async {
        let alerts = shop.alerts().await;
        let mut kinds = alerts.iter().map(|alert| &alert["kind"]);
        let told = kinds.any(|kind| kind == "paid_not_fulfilled");
        told.then_some(()).ok_or_else(|| format!("{alerts:?}"))
    })
    .await;
    assert_eq!(ledger(&shop).await, (1, 7), "nothing is granted twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_ledger_refuses_for_a_while_is_paid_at_once_and_granted_later() {
    let receiver = Receiver::open().await;
    let (processor, shop) = open(&receiver).await;
    if !shop.database.is_sqlite() {
        return;
    }
    shop.database.alter("CREATE TRIGGER closed BEFORE INSERT ON ledger_entries BEGIN SELECT RAISE(ABORT, 'the books are closed'); END",
    )
    .await;

    let paid = shop.create(&with_credits("closed", "VIP")).await;

    assert_eq!(paid.text("status"), "PAID");
    assert_eq!(paid.body["entitlements"][0]["status"], "PENDING");
    processor.charged_once("closed").await;
    shop.database.alter("DROP TRIGGER closed").await;
    // It is tried again by its schedule; here at once.
    eventually("it is granted", || async {
        shop.database
            .alter("UPDATE fulfilments SET due_at = 0 WHERE status <> 'DONE' AND leased_by IS NULL")
            .await;
        let order = shop.get(paid.text("order_id")).await;
        let granted = order["entitlements"][0]["status"] == "GRANTED";
        granted.then_some(()).ok_or_else(|| order.to_string())
    })
    .await;
    assert_eq!(ledger(&shop).await, (1, 1000));
}
