//! What ops are mailed: what it says, how many, and what becomes of it when the mail server is away.

use crate::support::{Mailbox, Processor, Shop, Stage, eventually, order};
use futures_util::future::join_all;
use sea_orm::ConnectionTrait;
use serde_json::json;
use std::time::Duration;

const FROZEN: &str = "VIP #status=FROZEN";
/// Two attempts at a mail are half a minute apart.
const TWO_ATTEMPTS: Duration = Duration::from_secs(50);

async fn has_mails(mailbox: &Mailbox, count: usize) {
    let until = std::time::Instant::now() + TWO_ATTEMPTS;
    while mailbox.distinct() < count {
        let late = std::time::Instant::now() > until;
        assert!(!late, "no mail came: {:?}", mailbox.mails());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(mailbox.distinct(), count);
}

/// The mail was given to the server and not taken.
async fn has_failed_to_mail(shop: &Shop) {
    eventually("a mail was not taken", || async {
        let log = shop.running.log();
        let failed = log.contains("alerts not mailed");
        failed.then_some(()).ok_or(log)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_names_the_order_and_what_to_do_and_no_secret_of_the_payer() {
    let (processor, mailbox) = (Processor::start().await, Mailbox::open().await);
    let shop = Shop::open_with_mail(&processor, Stage::default(), Some(&mailbox)).await;
    // An order number that looks like a card number is still an order number.
    let order_no = "20260726000017";
    let mut body = order(
        order_no,
        "4111 1111 1111 1111 opk_merchant_leak #wrong-amount=1",
    );
    body["metadata"] = json!({"card": "5500005555555559", "phone": "13812345678",
        "mail": "zhang.san@example.net", "key": "whsec_bGVhaw=="});

    let created = shop.create_async(&body).await;
    let order_id = created.text("order_id");
    shop.becomes(order_id, "MANUAL").await;
    has_mails(&mailbox, 1).await;

    let mails = mailbox.mails();
    let text = &mails[0].text;
    let trade_no = processor.charged_once(order_no).await.trade_no;
    let key = format!("pay:order:{order_no}");
    let link = shop.url(&format!("/v1/orders/{order_id}"));
    for named in [order_id, order_no, &key, &trade_no, &link, "What to do"] {
        let times = text.matches(named).count();
        assert!(
            times >= 2,
            "{named} is in the text and the HTML part:\n{text}"
        );
    }
    for part in ["text/plain", "text/html", "multipart/alternative"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert!(mails[0].subject.contains(order_no), "{}", mails[0].subject);
    for leak in [
        "4111",
        "5500005555555559",
        "13812345678",
        "zhang.san",
        "opk_",
        "whsec_",
        &processor.secret,
    ] {
        assert!(!text.contains(leak), "{leak} is in the mail:\n{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_is_one_mail_with_a_count() {
    let (processor, mailbox) = (Processor::start().await, Mailbox::open().await);
    let stage = Stage {
        digest_window: "8s",
        ..Stage::default()
    };
    let mut shop = Shop::open_with_mail(&processor, stage, Some(&mailbox)).await;
    join_all((0..150).map(|n| {
        let (shop, body) = (&shop, order(&format!("storm-{n}"), FROZEN));
        async move { shop.create_async(&body).await }
    }))
    .await;
    let manual = "SELECT COUNT(*) FROM orders WHERE status = 'MANUAL'";
    eventually("all are MANUAL", || async {
        let count = shop.database.number(manual).await;
        (count == 150)
            .then_some(())
            .ok_or_else(|| count.to_string())
    })
    .await;
    // A restart in the middle of the storm makes no second mail of it.
    shop.crash_and_start_again().await;

    has_mails(&mailbox, 1).await;
    let mail = &mailbox.mails()[0];
    assert!(mail.subject.contains("150 alerts"), "{}", mail.subject);
    assert!(mail.text.contains("150 order_manual"), "{}", mail.subject);
    let unmailed = "SELECT COUNT(*) FROM alerts WHERE mailed_at IS NULL";
    eventually("all are marked", || async {
        let left = shop.database.number(unmailed).await;
        (left == 0).then_some(()).ok_or_else(|| left.to_string())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_was_refused_goes_out_later_under_the_same_id() {
    let (processor, mailbox) = (Processor::start().await, Mailbox::open().await);
    let shop = Shop::open_with_mail(&processor, Stage::default(), Some(&mailbox)).await;
    mailbox.refuse_next(1);

    shop.create_async(&order("refused", FROZEN)).await;
    has_failed_to_mail(&shop).await;
    assert_eq!(mailbox.distinct(), 0);
    // What comes meanwhile waits, and goes in one mail after it.
    shop.create_async(&order("meanwhile-1", FROZEN)).await;
    shop.create_async(&order("meanwhile-2", FROZEN)).await;

    has_mails(&mailbox, 2).await;
    let subjects: Vec<_> = mailbox
        .mails()
        .into_iter()
        .map(|mail| mail.subject)
        .collect();
    assert!(subjects[0].contains("refused"), "{subjects:?}");
    assert!(subjects[1].contains("2 alerts"), "{subjects:?}");
    assert_eq!(mailbox.refused(), [mailbox.mails()[0].message_id.clone()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_server_that_is_down_stops_no_payment_and_is_caught_up_with() {
    let (processor, mut mailbox) = (Processor::start().await, Mailbox::open().await);
    let mut shop = Shop::open_with_mail(&processor, Stage::default(), Some(&mailbox)).await;
    mailbox.close().await;

    let created = shop.create_async(&order("down-1", FROZEN)).await;
    shop.becomes(created.text("order_id"), "MANUAL").await;
    has_failed_to_mail(&shop).await;
    let paid = shop.create(&order("down-2", "VIP")).await;
    assert_eq!(paid.text("status"), "PAID");
    shop.crash_and_start_again().await;
    mailbox.open_again().await;

    has_mails(&mailbox, 1).await;
    assert!(mailbox.mails()[0].subject.contains("down-1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_server_that_closes_idle_connections_still_gets_every_mail() {
    let (processor, mailbox) = (Processor::start().await, Mailbox::open().await);
    let shop = Shop::open_with_mail(&processor, Stage::default(), Some(&mailbox)).await;
    shop.create_async(&order("idle-1", FROZEN)).await;
    has_mails(&mailbox, 1).await;

    mailbox.hang_up();
    tokio::time::sleep(Duration::from_millis(200)).await;
    shop.create_async(&order("idle-2", FROZEN)).await;

    has_mails(&mailbox, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn housekeeping_does_not_make_an_old_condition_new() {
    let (processor, mailbox) = (Processor::start().await, Mailbox::open().await);
    let shop = Shop::open_with_mail(&processor, Stage::default(), Some(&mailbox)).await;
    let created = shop.create(&order("purged", "VIP #no-callback")).await;
    let key = created.text("idempotency_key");
    let order_id = created.text("order_id");
    // Another trade for a paid order: told once for each trade.
    let charge = processor.charged_once("purged").await;
    let second = json!({"trade_no": "T-second", "order_no": "purged", "idempotency_key": key,
        "amount": 1999, "currency": "CNY", "status": "PAID"});
    assert_ne!(charge.trade_no, "T-second");
    let told = shop.notify_signed(&processor, "n-1", &second).await;
    assert_eq!(told.status, 200, "{:?}", told.body);
    has_mails(&mailbox, 1).await;

    let connection = shop.database.connect().await;
    let purged = connection.execute_unprepared("DELETE FROM alerts").await;
    purged.expect("the table can be emptied");
    connection.close().await.expect("it closes");
    let again = shop.notify_signed(&processor, "n-2", &second).await;
    assert_eq!(again.status, 200, "{:?}", again.body);
    let fresh = shop.create_async(&order("fresh", FROZEN)).await;
    shop.becomes(fresh.text("order_id"), "MANUAL").await;

    has_mails(&mailbox, 2).await;
    assert!(mailbox.mails()[1].subject.contains("fresh"));
    assert_eq!(shop.get(order_id).await["status"], "PAID");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_right_after_the_acknowledgement_the_alert_is_still_mailed() {
    let (processor, mailbox) = (Processor::start().await, Mailbox::open().await);
    let stage = Stage {
        digest_window: "3s",
        ..Stage::default()
    };
    let mut shop = Shop::open_with_mail(&processor, stage, Some(&mailbox)).await;
    let created = shop.create(&order("acked", "VIP #pending")).await;
    let wrong = json!({"trade_no": "T-1", "order_no": "acked", "idempotency_key": "pay:order:acked",
        "amount": 5, "currency": "CNY", "status": "PAID"});

    let told = shop.notify_signed(&processor, "n-1", &wrong).await;
    shop.crash();
    assert_eq!(told.status, 200, "{:?}", told.body);
    assert_eq!(mailbox.distinct(), 0, "its window is still open");
    shop.start_again().await;

    let order = shop.get(created.text("order_id")).await;
    assert_eq!(order["status"], "MANUAL");
    assert_eq!(order["reason"], "amount_mismatch");
    has_mails(&mailbox, 1).await;
}
