//! The wall clock steps by an hour, ahead and back, under a running server. The step is real for the process: a library
//! that is preloaded into it (`clock.c`, made here with the C compiler that the build needs anyway) adds seconds to its
//! wall clock, and leaves the monotonic one alone.

use super::{are_paid_once, begin, number, orders};
use crate::support::{MERCHANT, OPERATOR, Processor, Shop, Stage, eventually, order};
use serde_json::{Value, json};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::process::Command;
use tempfile::TempDir;

const HOUR_S: i64 = 3_600;
/// Of an order whose payer pays when the clock has stepped.
const WAITS: &str = "VIP #pending";

/// A wall clock that processes with its environment read.
struct Steps {
    folder: TempDir,
    off_by: File,
}

impl Steps {
    fn make() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/crash/stories/clock.c");
        let made = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(folder.path().join("clock.so"))
            .arg(source)
            .status();
        assert!(made.is_ok_and(|made| made.success()), "the library is made");
        let mut options = File::options();
        let off_by = options.create(true).truncate(true).write(true);
        let off_by = off_by.open(folder.path().join("off_by")).expect("a file");
        let steps = Self { folder, off_by };
        steps.step_to(0);
        steps
    }

    /// From now on the clock is off by so many seconds.
    fn step_to(&self, seconds: i64) {
        let written = self.off_by.write_all_at(&seconds.to_ne_bytes(), 0);
        written.expect("the clock steps");
    }

    fn environment(&self) -> [(String, String); 2] {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        [
            ("LD_PRELOAD".to_owned(), path("clock.so")),
            ("ONCEPAY_CRASH_CLOCK".to_owned(), path("off_by")),
        ]
    }

    fn stage(&self) -> Stage {
        let mut stage = Stage::default();
        stage.environment.extend(self.environment());
        stage
    }
}

/// When the order was made, in seconds since 1970, by the server's clock.
async fn made_at(shop: &Shop, order_no: &str) -> i64 {
    let sql = format!("SELECT created_at FROM orders WHERE order_no = '{order_no}'");
    shop.database.number(&sql).await / 1000
}

/// Orders of every kind in flight: a reply that is to come, one that is lost, a payer who takes their time.
fn in_flight(when: &str) -> Vec<Value> {
    let kinds = [
        ("slow", "VIP #delay=1s #no-callback"),
        ("lost", "VIP #lost-reply #no-callback"),
        ("told", "VIP #lost-reply #callback-delay=1s"),
        ("gone", "VIP #lost-request=1"),
        ("waits", WAITS),
    ];
    let all = kinds.iter();
    all.flat_map(|(kind, subject)| orders(&format!("{when}-{kind}"), subject, 3))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_whose_clock_steps_ahead_and_back_charges_once_and_settles() {
    let steps = Steps::make();
    let processor = Processor::start_with(&steps.environment()).await;
    let mut shop = Shop::open(&processor, steps.stage()).await;
    let before = shop.create(&order("k-before", "VIP")).await;
    assert_eq!(before.text("status"), "PAID", "{:?}", before.body);

    let ahead = in_flight("ahead");
    begin(&shop, &ahead).await;
    steps.step_to(HOUR_S);
    payers_pay(&processor, &ahead).await;
    are_paid_once(&shop, &processor, &ahead).await;
    let during = shop.create(&order("k-during", "VIP")).await;
    assert_eq!(during.text("status"), "PAID", "{:?}", during.body);
    let stepped = made_at(&shop, "k-during").await - made_at(&shop, "k-before").await;
    assert!(stepped >= HOUR_S, "its clock has stepped: {stepped}");

    let back = in_flight("back");
    begin(&shop, &back).await;
    steps.step_to(0);
    payers_pay(&processor, &back).await;
    asked_about(&shop, &back).await;
    are_paid_once(&shop, &processor, &back).await;
    let after = shop.create(&order("k-after", "VIP")).await;
    assert_eq!(after.text("status"), "PAID", "{:?}", after.body);
    assert!(made_at(&shop, "k-after").await < made_at(&shop, "k-during").await);

    // What was left over a restart keeps its promises too.
    let restart = in_flight("restart");
    begin(&shop, &restart).await;
    shop.crash();
    steps.step_to(-HOUR_S);
    shop.start_again().await;
    payers_pay(&processor, &restart).await;
    asked_about(&shop, &restart).await;
    are_paid_once(&shop, &processor, &restart).await;
}

/// Those who were waited for pay now, once the processor has their charge.
async fn payers_pay(processor: &Processor, bodies: &[Value]) {
    for body in bodies.iter().filter(|body| body["subject"] == WAITS) {
        eventually("the charge is there", || async {
            let charge = processor.charge(number(body)).await;
            charge.map(drop).ok_or_else(|| body.to_string())
        })
        .await;
        processor.pay(number(body)).await;
    }
}

/// A check is promised for a moment of the wall clock: one that was set before the clock went back comes by so much
/// later. Replies and callbacks do not wait for it, and neither does whoever asks.
async fn asked_about(shop: &Shop, bodies: &[Value]) {
    for body in bodies {
        let order = shop.find(number(body)).await.expect("it was made");
        let order_id = order["order_id"].as_str().expect("an id");
        eventually("it is paid when it is asked about", || async {
            let path = format!("/v1/orders/{order_id}/query");
            shop.ask("POST", &path, OPERATOR, None).await;
            let order = shop.get(order_id).await;
            (order["status"] == "PAID")
                .then_some(())
                .ok_or_else(|| order.to_string())
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_clock_alone_is_wrong_says_that_it_does_not_know_until_it_is_put_right() {
    let steps = Steps::make();
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, steps.stage()).await;
    steps.step_to(HOUR_S);
    // Neither side takes a signature of another hour: no answer counts, and nothing is called failed.
    let bodies = orders("w", "VIP", 4);
    begin(&shop, &bodies).await;
    for body in &bodies {
        let order = shop.find(number(body)).await.expect("it was made");
        let order_id = order["order_id"].as_str().expect("an id");
        shop.becomes(order_id, "MANUAL").await;
        assert!(processor.charge(number(body)).await.is_none());
    }
    steps.step_to(0);
    for body in &bodies {
        let order = shop.find(number(body)).await.expect("it was made");
        let review = json!({"decision": "RESUBMIT", "basis": "the clock is right again",
            "expected_version": order["version"]});
        let order_id = order["order_id"].as_str().expect("an id");
        let decided = shop.review(order_id, OPERATOR, &review).await;
        assert!([200, 202].contains(&decided.status), "{:?}", decided.body);
    }
    are_paid_once(&shop, &processor, &bodies).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hold_ends_by_the_wall_clock_and_once() {
    let steps = Steps::make();
    let processor = Processor::start_with(&steps.environment()).await;
    let shop = Shop::open(&processor, steps.stage()).await;
    let mut body = order("h-1", "VIP");
    body["account"] = json!("user-1");
    body["entitlements"] = json!([{"kind": "credits", "quantity": 100}]);
    let paid = shop.create(&body).await;
    assert_eq!(paid.text("status"), "PAID", "{:?}", paid.body);
    let hold =
        json!({"hold_no": "h-1", "kind": "credits", "quantity": 60, "expires_in": HOUR_S / 2});
    eventually("the credits are there and held", || async {
        let path = "/v1/accounts/user-1/holds";
        let held = shop.ask("POST", path, MERCHANT, Some(&hold)).await;
        (held.status == 200)
            .then_some(())
            .ok_or_else(|| held.body.to_string())
    })
    .await;
    steps.step_to(HOUR_S);
    let free = async || {
        let balances = shop.ask("GET", "/v1/accounts/user-1/balances", MERCHANT, None);
        balances.await.body["data"][0]["available"].clone()
    };
    eventually("the hold has expired", || async {
        let available = free().await;
        (available == 100)
            .then_some(())
            .ok_or_else(|| available.to_string())
    })
    .await;
    steps.step_to(0);
    let path = "/v1/accounts/user-1/holds/h-1/capture";
    let late = shop
        .ask("POST", path, MERCHANT, Some(&json!({"quantity": 60})))
        .await;
    assert_eq!(late.status, 409, "it has ended: {:?}", late.body);
    assert_eq!(free().await, 100);
}
