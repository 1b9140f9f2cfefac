//! Stripe's events out of order: early, late, again after years, and to a server that dies.

use crate::channel_stripe::{
    hear, id, now_s, of_stripe, open, open_with, open_with_schedule, paid,
};
use crate::retention::{has_run, is_kept_once_and_seen_twice, three_years_pass};
use crate::support::doubles::stripe::{SECRET, StripeDouble, Trick, sign, text};
use crate::support::{MERCHANT, alerts_of};
use serde_json::json;

const OLD_SECRET: &str = "whsec_testOnly_old_0000000000000000";

#[tokio::test(flavor = "multi_thread")]
async fn what_begins_at_stripe_before_its_payment_is_told_is_not_lost() {
    let double = StripeDouble::start();
    let (_processor, shop) = open(&double.base).await;
    for (order_no, kind) in [("given-back", "external_refund"), ("disputed", "dispute")] {
        let created = shop.create(&of_stripe(order_no)).await;
        let order_id = created.text("order_id");
        // The payer pays, and that event is still on its way.
        let intent = text(&double.pay(order_no), "id");
        let event = if kind == "dispute" {
            let dispute = json!({"id": "du_1", "object": "dispute", "status": "needs_response",
                "reason": "fraudulent", "payment_intent": intent});
            double.event("charge.dispute.created", &dispute)
        } else {
            double.event("refund.created", &double.refund_by_hand(&intent, 700))
        };
        assert_eq!(hear(&shop, &event).await.status, 200);
        // Stripe is asked because of it, and people are told.
        shop.becomes(order_id, "PAID").await;
        let alerts = alerts_of(&shop, order_id).await;
        assert_eq!(alerts, [format!("{kind} action open")], "{order_no}");
        let late = double.event("payment_intent.succeeded", &double.intent(order_no));
        assert_eq!(hear(&shop, &late).await.status, 200);
        assert_eq!(alerts_of(&shop, order_id).await.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_names_an_intent_that_is_not_on_record_is_asked_about() {
    let double = StripeDouble::start();
    let (_processor, shop) = open_with_schedule(&double.base, r#"["10m"]"#).await;
    // Its reply was lost, and nobody has asked yet: only the intent knows whose it is.
    double.next("POST /v1/payment_intents", Trick::DropAfter);
    let lost = shop.create(&of_stripe("lost")).await;
    let intent = text(&double.pay("lost"), "id");
    let dispute = |of: &str| {
        json!({"id": format!("du_{of}"), "object": "dispute", "status": "needs_response",
            "reason": "fraudulent", "payment_intent": of})
    };
    let event = double.event("charge.dispute.created", &dispute(&intent));

    // Stripe is silent: it is to tell it again.
    double.next("GET /v1/payment_intents/pi_", Trick::DropBefore);
    let answer = hear(&shop, &event).await;
    assert_eq!(answer.status, 503, "{:?}", answer.body);
    assert!(shop.alerts().await.is_empty());

    assert_eq!(hear(&shop, &event).await.status, 200);
    let order_id = lost.text("order_id");
    shop.becomes(order_id, "PAID").await;
    let alerts = alerts_of(&shop, order_id).await;
    assert!(
        alerts.contains(&"dispute action open".to_owned()),
        "{alerts:?}"
    );

    // Of an order that this database does not know.
    let forgotten = json!({"metadata": {"out_trade_no": "forgotten"}, "status": "succeeded"});
    let forgotten = text(&double.add_intent(&forgotten), "id");
    let event = double.event("charge.dispute.created", &dispute(&forgotten));
    assert_eq!(hear(&shop, &event).await.status, 404);
    let alerts = shop.alerts().await;
    let orphans = alerts.iter().filter(|it| it["kind"] == "orphan_callback");
    assert_eq!(orphans.count(), 1, "{alerts:?}");
    let told = alerts.len();

    // Of another program that uses the same account, and of none.
    let foreign = text(&double.add_intent(&json!({"status": "succeeded"})), "id");
    for intent in [&foreign, "pi_ofAnotherAccount"] {
        let event = double.event("charge.dispute.created", &dispute(intent));
        assert_eq!(hear(&shop, &event).await.status, 200, "{intent}");
    }
    assert_eq!(shop.alerts().await.len(), told);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_order_whose_payment_was_told_is_asked_about_by_its_intent() {
    let double = StripeDouble::start();
    let (_processor, shop) = open(&double.base).await;
    // The database came from a backup that is older than the order.
    double.shift_clock(-4 * 86_400_000);
    let intent = double.add_intent(
        &json!({"metadata": {"out_trade_no": "forgotten"}, "amount": 1999, "amount_received": 1999,
            "status": "succeeded"}),
    );
    double.shift_clock(0);
    let event = double.event("payment_intent.succeeded", &intent);
    assert_eq!(hear(&shop, &event).await.status, 404);

    let created = shop.create(&of_stripe("forgotten")).await;
    let order = shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(order["channel_trade_no"], intent["id"]);
    assert_eq!(double.posts().len(), 0, "no second intent");
    assert_eq!(double.gets("/v1/payment_intents"), 1, "by its name");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_secret_is_taken_beside_the_old_one() {
    let double = StripeDouble::start();
    let (_processor, mut shop) = open_with(&double.base, &[OLD_SECRET]).await;
    let first = shop.create(&of_stripe("new-secret")).await;
    let event = double.event("payment_intent.succeeded", &double.pay("new-secret"));
    assert_eq!(hear(&shop, &event).await.status, 401);
    let order = shop.get(first.text("order_id")).await;
    assert_eq!(
        (&order["status"], &order["callback_count"]),
        (&json!("PENDING"), &json!(0))
    );

    shop.reconfigure(|text| {
        text.replace(
            &format!("[\"{OLD_SECRET}\"]"),
            &format!("[\"{OLD_SECRET}\", \"{SECRET}\"]"),
        )
    });
    shop.crash_and_start_again().await;
    let second = shop.create(&of_stripe("old-secret")).await;
    let other = double.event("payment_intent.succeeded", &double.pay("old-secret"));
    for (secret, event, order) in [(SECRET, event, first), (OLD_SECRET, other, second)] {
        let event = sign(secret, now_s(), event.body);
        assert_eq!(hear(&shop, &event).await.status, 200);
        let order = shop.becomes(order.text("order_id"), "PAID").await;
        assert_eq!(order["callback_count"], 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_amount_of_a_paid_order_is_told_and_changes_nothing() {
    let double = StripeDouble::start();
    let (_processor, shop) = open(&double.base).await;
    let order = paid(&shop, &double, "settled").await;
    let five_cents = double.change_intent("settled", &json!({"amount_received": 5}));
    let event = double.event("payment_intent.succeeded", &five_cents);
    for _ in 0..2 {
        assert_eq!(hear(&shop, &event).await.status, 200);
    }
    assert_eq!(shop.get(id(&order)).await["status"], "PAID");
    let history = shop.history(id(&order)).await;
    let callbacks = history.iter().filter(|kind| *kind == "callback");
    assert_eq!(callbacks.count(), 2, "{history:?}");
    assert_eq!(
        alerts_of(&shop, id(&order)).await,
        ["payment_mismatch action open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_comes_again_after_three_years_is_still_the_same() {
    let double = StripeDouble::start();
    let (_processor, mut shop) = open(&double.base).await;
    let created = shop.create(&of_stripe("ancient")).await;
    let order_id = created.text("order_id");
    let event = double.event("payment_intent.succeeded", &double.pay("ancient"));
    assert_eq!(hear(&shop, &event).await.status, 200);
    let before = shop.becomes(order_id, "PAID").await;
    let history = shop.history(order_id).await;

    shop.crash();
    three_years_pass(&shop).await;
    shop.start_again().await;
    has_run(&shop).await;
    let again = sign(SECRET, now_s(), event.body);
    let heard = hear(&shop, &again).await;
    assert_eq!((heard.status, &heard.body), (200, &json!("received")));
    is_kept_once_and_seen_twice(&shop).await;
    let after = shop.get(order_id).await;
    assert_eq!(after["version"], before["version"]);
    assert_eq!(shop.history(order_id).await, history);
    assert!(shop.alerts().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_debit_that_is_begun_pays_when_it_has_succeeded_also_after_the_end() {
    let double = StripeDouble::start();
    let (_processor, shop) = open(&double.base).await;
    for (order_no, expires_in) in [("in-time", 7200), ("too-late", 1)] {
        let mut body = of_stripe(order_no);
        body["expires_in"] = json!(expires_in);
        let created = shop.create(&body).await;
        let order_id = created.text("order_id");
        let begun = double.change_intent(order_no, &json!({"status": "processing"}));
        let event = double.event("payment_intent.processing", &begun);
        assert_eq!(hear(&shop, &event).await.status, 200);
        if expires_in == 1 {
            shop.happens("expiry", order_id).await;
        }
        assert_eq!(shop.get(order_id).await["status"], "PENDING");
        let event = double.event("payment_intent.succeeded", &double.pay(order_no));
        assert_eq!(hear(&shop, &event).await.status, 200);
        shop.becomes(order_id, "PAID").await;
        assert!(alerts_of(&shop, order_id).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn money_for_an_order_that_was_closed_waits_for_a_person_who_is_told_once() {
    let double = StripeDouble::start();
    let (_processor, shop) = open(&double.base).await;
    let created = shop.create(&of_stripe("closed")).await;
    let order_id = created.text("order_id");
    let path = format!("/v1/orders/{order_id}/close");
    let closed = shop.ask("POST", &path, MERCHANT, None).await;
    assert_eq!((closed.status, closed.text("status")), (200, "CLOSED"));
    let intent = double.pay("closed");
    for _ in 0..3 {
        let event = double.event("payment_intent.succeeded", &intent);
        assert_eq!(hear(&shop, &event).await.status, 200);
    }
    let manual = shop.becomes(order_id, "MANUAL").await;
    assert_eq!(manual["reason"], "late_success");
    assert_eq!(manual["callback_count"], 3);
    assert_eq!(
        alerts_of(&shop, order_id).await,
        ["late_success action open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_was_acknowledged_outlives_the_server() {
    let double = StripeDouble::start();
    let (_processor, mut shop) = open(&double.base).await;
    let created = shop.create(&of_stripe("killed")).await;
    let event = double.event("payment_intent.succeeded", &double.pay("killed"));
    assert_eq!(hear(&shop, &event).await.status, 200);
    shop.crash_and_start_again().await;
    let order = shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(order["callback_count"], 1);
    let rows = shop.database.number("SELECT COUNT(*) FROM callbacks");
    assert_eq!(rows.await, 1);
}
