//! What the ledger is looked after for: holds whose time is over, balances below zero, sums that another hand changed.

use super::account::{Account, check, give};
use crate::support::{Processor, Shop, Stage, eventually, is_problem};
use sea_orm::ConnectionTrait;
use serde_json::Value;

async fn run(shop: &Shop, sql: &str) {
    let connection = shop.database.connect().await;
    connection.execute_unprepared(sql).await.expect("it runs");
    connection.close().await.expect("it closes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hold_expires_by_itself_also_over_a_restart() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let name = "user-42";
    give(&shop, name, "credits", 100).await;
    let user = Account::of(&shop, name);
    assert_eq!(user.hold("long", 10, 3600).await.status, 200);
    assert_eq!(user.hold("short", 40, 1).await.status, 200);
    assert_eq!(user.numbers().await, (100, 50, 50));
    is_free(user, 90).await;
    let late = user.capture("short", 40).await;
    is_problem(&late, 409, "hold-expired", "after its time");
    let released = user.release("short").await;
    assert_eq!((released.status, released.text("status")), (200, "EXPIRED"));

    assert_eq!(user.hold("cut", 40, 1).await.status, 200);
    shop.crash();
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    shop.start_again().await;
    let user = Account::of(&shop, name);
    is_free(user, 90).await;
    assert_eq!(user.hold("long", 10, 3600).await.text("status"), "HELD");
    assert_eq!(user.sources().await, ["order:gift"], "nothing was spent");
    assert_eq!(check(&shop, &[]).0, Some(0));
}

async fn is_free(user: Account<'_>, available: i64) {
    eventually("the hold expires", || async {
        match user.numbers().await {
            (_, _, free) if free == available => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
}

/// The alerts about balances below zero, oldest first: status and message.
async fn told(shop: &Shop) -> Vec<(String, String)> {
    let mut alerts = shop.alerts().await;
    alerts.reverse();
    let text = |alert: &Value, field: &str| alert[field].as_str().unwrap_or_default().to_owned();
    let of_balances = alerts
        .iter()
        .filter(|alert| alert["kind"] == "balance_negative");
    of_balances
        .inspect(|alert| assert_eq!(alert["severity"], "info"))
        .map(|alert| (text(alert, "status"), text(alert, "message")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_may_goes_below_zero_and_people_hear_of_it_once_for_each_time() {
    let processor = Processor::start().await;
    let stage = Stage {
        more: "[ledger]\noverdraft = { trusted = 50, \"*\" = 10 }\n".to_owned(),
        ..Stage::default()
    };
    let mut shop = Shop::open(&processor, stage).await;
    let anybody = Account::of(&shop, "anybody");
    is_problem(
        &anybody.debit("d1", 11).await,
        422,
        "insufficient-balance",
        "beyond",
    );
    assert_eq!(anybody.hold("h1", 10, 3600).await.status, 200);
    assert_eq!(anybody.numbers().await, (0, 10, -10));
    let trusted = Account::of(&shop, "trusted");
    is_problem(
        &trusted.debit("d1", 51).await,
        422,
        "insufficient-balance",
        "beyond",
    );
    assert_eq!(trusted.debit("d1", 30).await.body["balance_after"], -30);
    let first = eventually("people hear of it", || async {
        let told = told(&shop).await;
        if told.is_empty() {
            Err("nothing yet".to_owned())
        } else {
            Ok(told)
        }
    })
    .await;
    assert_eq!(first.len(), 1);
    assert_eq!(first[0].0, "open");
    assert!(
        first[0].1.contains("trusted") && first[0].1.contains("-30 credits"),
        "{first:?}"
    );
    assert_eq!(trusted.debit("d2", 20).await.body["balance_after"], -50);
    is_problem(
        &trusted.debit("d3", 1).await,
        422,
        "insufficient-balance",
        "at the floor",
    );
    shop.crash_and_start_again().await;
    assert_eq!(told(&shop).await.len(), 1, "still the same time");

    // Somebody settles it: the balance is back at zero.
    run(
        &shop,
        "UPDATE balances SET balance = 0, negative_since = NULL, version = version + 1 WHERE account = 'trusted'",
    )
    .await;
    eventually("it is over", || async {
        match told(&shop).await.as_slice() {
            [(status, _)] if status == "resolved" => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
    assert_eq!(
        Account::of(&shop, "trusted").debit("d4", 5).await.status,
        200
    );
    eventually("people hear of it again", || async {
        match told(&shop).await.as_slice() {
            [_, (status, message)] if status == "open" && message.contains("-5 credits") => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_beside_the_running_server_tells_every_difference_and_mends_none() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    give(&shop, "user-42", "credits", 100).await;
    give(&shop, "user-43", "credits", 100).await;
    let user = Account::of(&shop, "user-42");
    assert_eq!(user.debit("d1", 30).await.status, 200);
    assert_eq!(user.hold("h1", 30, 3600).await.status, 200);
    let (code, said) = check(&shop, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("balances: 2, entries: 3"), "{said}");

    run(
        &shop,
        "UPDATE balances SET balance = 71, held = 29 WHERE account = 'user-42'",
    )
    .await;
    for _ in 0..2 {
        let (code, said) = check(&shop, &["--json"]);
        assert_eq!(code, Some(1), "{said}");
        let said: Value = serde_json::from_str(&said).expect("it is JSON");
        let difference = serde_json::json!([{"account": "user-42", "kind": "credits", "balance": 71,
            "balance_of_entries": 70, "held": 29, "held_of_holds": 30}]);
        assert_eq!(said["differences"], difference);
    }
    let (code, said) = check(&shop, &[]);
    assert_eq!(code, Some(1));
    assert!(
        said.contains("user-42") && !said.contains("user-43"),
        "{said}"
    );
}
