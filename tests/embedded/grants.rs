//! Grants that are made outside: once, whatever the fulfiller does, and no other grant waits for it.

use super::licences::{Licences, Mood};
use super::till::Till;
use oncepay::domain::order::{Entitlement, EntitlementStatus, Order, RefundRequest, RefundSource};
use oncepay::store::orders;
use oncepay::{Currency, Money, OrderNo, Runtime, Settings, Wait};
use sea_orm::{ConnectionTrait, Statement};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn settings(folder: &Path) -> Settings {
    let folder = folder.display();
    let text = format!(
        r#"
        [server]
        data_dir = "{folder}"
        [database]
        url = "sqlite://{folder}/payments.db"
        [fulfilment]
        schedule = ["50ms", "50ms"]
        "#
    );
    Settings::from_text(&text).expect("good settings")
}

async fn open(folder: &Path, licences: &Licences) -> Runtime {
    Runtime::builder(settings(folder))
        .channel(Arc::new(Till))
        .fulfiller(Arc::new(licences.clone()))
        .start()
        .await
        .expect("it starts")
}

/// Buys so many of each kind for 10.00 EUR.
async fn buy(runtime: &Runtime, order_no: &str, kinds: &[(&str, i64)]) -> Order {
    let euro = Currency::parse("EUR").expect("a currency");
    let gateway = runtime.gateway();
    let order = gateway.new_order(order_no, Till::NAME, Money::new(1_000, euro), "Seats");
    let mut order = order.expect("a good order");
    order.account = Some("user-42".to_owned());
    let entitlements = kinds.iter();
    order.entitlements = entitlements
        .map(|(kind, quantity)| Entitlement::new((*kind).to_owned(), *quantity))
        .collect();
    let wait = Wait::UpTo(Duration::from_secs(20));
    gateway.create(order, wait).await.expect("it is paid").order
}

async fn refund(runtime: &Runtime, order_no: &str, refund_no: &str, amount: i64) {
    let request = RefundRequest {
        refund_no: refund_no.to_owned(),
        amount,
        reason: None,
        trade_no: None,
        source: RefundSource::Merchant,
        key_name: "shop".to_owned(),
    };
    let new = oncepay::actors::gateway::NewRefund {
        request,
        idempotency_key: None,
    };
    let wait = Wait::UpTo(Duration::from_secs(20));
    let refunded = runtime
        .gateway()
        .refund(&OrderNo(order_no.to_owned()), new, wait)
        .await;
    refunded.expect("it is refunded");
}

/// The order's row. An actor's copy may be behind it where two runtimes work on one database.
pub(super) async fn look(runtime: &Runtime, order_no: &str) -> Order {
    let order_no = OrderNo(order_no.to_owned());
    let found = orders::by_no(&runtime.database().read, &order_no).await;
    found.expect("it can be read").expect("it is there")
}

pub(super) async fn eventually(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !is_so().await {
        assert!(Instant::now() < until, "never came: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(super) async fn is_granted(runtime: &Runtime, order_no: &str, kind: &str) {
    eventually(&format!("{kind} of {order_no} is granted"), async || {
        let order = look(runtime, order_no).await;
        let mut all = order.entitlements.iter();
        all.any(|it| it.kind == kind && it.status == EntitlementStatus::Granted)
    })
    .await;
}

async fn number(runtime: &Runtime, sql: &str) -> i64 {
    let read = &runtime.database().read;
    let statement = Statement::from_string(read.get_database_backend(), sql);
    let row = read.query_one_raw(statement).await.expect("it runs");
    row.expect("a row").try_get_by_index(0).expect("a number")
}

#[actix_web::test]
async fn a_licence_is_issued_once_and_refunds_take_its_seats() {
    let folder = tempfile::tempdir().expect("a folder");
    let licences = Licences::open();
    let runtime = open(folder.path(), &licences).await;

    buy(&runtime, "lic-1", &[("licence", 10)]).await;
    is_granted(&runtime, "lic-1", "licence").await;
    let licence = licences.of("lic-1").expect("issued");
    assert_eq!(licence.id, "ful:lic-1:licence");
    assert_eq!((licence.seats, licence.asked), (10, 1));
    assert_eq!(licence.account.as_deref(), Some("user-42"));

    refund(&runtime, "lic-1", "r-1", 300).await;
    eventually("three seats are taken", async || {
        licences
            .of("lic-1")
            .is_some_and(|licence| licence.seats == 7)
    })
    .await;
    refund(&runtime, "lic-1", "r-2", 700).await;
    eventually("all seats are taken", async || {
        licences
            .of("lic-1")
            .is_some_and(|licence| licence.seats == 0)
    })
    .await;
    assert_eq!(licences.of("lic-1").expect("issued").asked, 1);
    let sum = "SELECT CAST(SUM(quantity) AS BIGINT) FROM ledger_entries";
    assert_eq!(number(&runtime, sum).await, 0, "the books say the same");
    runtime.stop().await;
}

#[actix_web::test]
async fn a_refund_in_the_middle_of_a_grant_is_taken_outside_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let licences = Licences::open();
    let runtime = open(folder.path(), &licences).await;
    licences.is(Mood::Hangs);

    buy(&runtime, "mid-1", &[("licence", 10)]).await;
    buy(&runtime, "mid-2", &[("licence", 10)]).await;
    eventually("both are told outside", async || {
        licences.of("mid-1").is_some() && licences.of("mid-2").is_some()
    })
    .await;
    refund(&runtime, "mid-1", "r-1", 500).await;
    refund(&runtime, "mid-2", "r-1", 1_000).await;
    assert_eq!(licences.of("mid-1").expect("issued").seats, 10);
    licences.is(Mood::Works);

    for (order_no, seats) in [("mid-1", 5), ("mid-2", 0)] {
        eventually(
            &format!("{order_no} has {seats} seats outside"),
            async || {
                licences
                    .of(order_no)
                    .is_some_and(|licence| licence.seats == seats)
            },
        )
        .await;
        let entitlement = look(&runtime, order_no).await.entitlements[0].clone();
        assert_eq!(
            entitlement.quantity - entitlement.revoked,
            seats,
            "{order_no}"
        );
    }
    eventually("nothing is left to do", async || {
        number(
            &runtime,
            "SELECT COUNT(*) FROM fulfilments WHERE status <> 'DONE'",
        )
        .await
            == 0
    })
    .await;
    let sum = "SELECT CAST(SUM(quantity) AS BIGINT) FROM ledger_entries";
    assert_eq!(number(&runtime, sum).await, 5);
    runtime.stop().await;
}

#[actix_web::test]
async fn a_kind_that_cannot_be_granted_delays_no_other_and_is_granted_in_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let licences = Licences::open();
    let runtime = open(folder.path(), &licences).await;
    for (order_no, mood) in [("fails", Mood::Fails), ("panics", Mood::Panics)] {
        licences.is(mood);
        buy(&runtime, order_no, &[("licence", 1), ("credits", 5)]).await;
        is_granted(&runtime, order_no, "credits").await;
        eventually("its schedule is used up", async || {
            let failed = format!("SELECT COUNT(*) FROM fulfilments WHERE status = 'FAILED' AND order_no = '{order_no}'");
            number(&runtime, &failed).await == 1
        })
        .await;
        assert_eq!(licences.of(order_no), None);
    }
    buy(&runtime, "beside", &[("credits", 5)]).await;
    is_granted(&runtime, "beside", "credits").await;
    let told = "SELECT COUNT(*) FROM alerts WHERE kind = 'paid_not_fulfilled' AND status = ";
    assert_eq!(number(&runtime, &format!("{told}'open'")).await, 2);
    let why = "SELECT COUNT(*) FROM fulfilments WHERE last_error LIKE '%being moved' OR last_error LIKE '%panicked'";
    assert_eq!(number(&runtime, why).await, 2);

    licences.is(Mood::Works);
    // An hour later.
    let write = &runtime.database().write;
    let hour =
        write.execute_unprepared("UPDATE fulfilments SET due_at = 0 WHERE status = 'FAILED'");
    hour.await.expect("it is written");
    buy(&runtime, "rings-the-bell", &[("licence", 1)]).await;
    for order_no in ["fails", "panics"] {
        is_granted(&runtime, order_no, "licence").await;
        assert_eq!(licences.of(order_no).expect("issued").asked, 1);
    }
    eventually("ops need not look any more", async || {
        number(&runtime, &format!("{told}'resolved'")).await == 2
    })
    .await;
    runtime.stop().await;
}

#[actix_web::test]
async fn two_workers_of_one_outbox_grant_each_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let licences = Licences::open();
    let one = open(folder.path(), &licences).await;
    let other = Runtime::builder(settings(folder.path()))
        .channel(Arc::new(Till))
        .fulfiller(Arc::new(licences.clone()))
        .without_lock()
        .start()
        .await
        .expect("it starts");
    for n in 0..30 {
        let runtime = if n % 2 == 0 { &one } else { &other };
        buy(
            runtime,
            &format!("twin-{n}"),
            &[("licence", 1), ("credits", 5)],
        )
        .await;
    }
    // Claims that ran out: both take them up once more.
    let write = &one.database().write;
    let again = write.execute_unprepared("UPDATE fulfilments SET status = 'PENDING', due_at = 0");
    again.await.expect("it is written");
    buy(&one, "rings-one", &[("licence", 1)]).await;
    buy(&other, "rings-other", &[("licence", 1)]).await;

    eventually("all are done", async || {
        number(
            &one,
            "SELECT COUNT(*) FROM fulfilments WHERE status <> 'DONE'",
        )
        .await
            == 0
    })
    .await;
    for n in 0..30 {
        let order_no = format!("twin-{n}");
        assert_eq!(licences.of(&order_no).expect("issued").seats, 1);
        let order = look(&one, &order_no).await;
        let granted = |it: &Entitlement| it.status == EntitlementStatus::Granted;
        assert!(order.entitlements.iter().all(granted), "{order:?}");
    }
    assert_eq!(
        number(&one, "SELECT COUNT(*) FROM ledger_entries").await,
        62
    );
    let events = "SELECT COUNT(*) FROM order_events WHERE kind = 'fulfilment'";
    assert_eq!(number(&one, events).await, 62);
    other.stop().await;
    one.stop().await;
}
