//! The audit log beside a running server: changes of keys are in it, and `audit verify` tells what became of it.

use crate::support::{ADMIN, Mailbox, Processor, Running, Shop, Stage, eventually, order};
use futures_util::future::join_all;
use oncepay::clock::SystemClock;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;

const DAY_MS: i64 = 86_400_000;

/// `oncepay audit verify --json`, as an operator runs it: its exit status and what it prints.
fn verify(shop: &Shop, more: &[&str]) -> (i32, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_oncepay"))
        .args(["audit", "verify", "--json"])
        .args(more)
        .current_dir(shop.folder())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code().expect("it ends by itself"), told)
}

async fn execute(shop: &Shop, sql: &str) {
    let connection = shop.database.connect().await;
    connection.execute_unprepared(sql).await.expect("it runs");
    connection.close().await.expect("it closes");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_keys_are_in_the_log_and_their_secrets_are_not() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    assert_eq!(verify(&shop, &[]).1["rows"], 0);
    let body = json!({"name": "till-2", "role": "merchant", "scopes": ["refunds"]});
    let made = shop.ask("POST", "/v1/keys", ADMIN, Some(&body)).await;
    assert_eq!(made.status, 201);
    let refused = shop.ask("POST", "/v1/keys", ADMIN, Some(&body)).await;
    assert_eq!(refused.status, 409, "it was not done and is not in the log");
    let revoked = shop.ask("DELETE", "/v1/keys/till-2", ADMIN, None).await;
    assert_eq!(revoked.status, 204);

    let (code, whole) = verify(&shop, &[]);
    assert_eq!(
        (code, &whole["whole"], &whole["rows"]),
        (0, &json!(true), &json!(2))
    );
    let head = whole["head"].as_str().expect("a head").to_owned();
    let by_root = "SELECT COUNT(*) FROM audit_log WHERE actor = 'operator:root' AND subject = 'till-2' \
                   AND action IN ('key_create', 'key_revoke')";
    assert_eq!(shop.database.number(by_root).await, 2);
    let secret = made.text("key").to_owned();
    let told = format!(
        "SELECT COUNT(*) FROM audit_log WHERE detail LIKE '%{secret}%' OR detail LIKE '%sha256%'"
    );
    assert_eq!(shop.database.number(&told).await, 0);

    execute(
        &shop,
        "UPDATE audit_log SET actor = 'operator:ann' WHERE seq = 1",
    )
    .await;
    let (code, broken) = verify(&shop, &[]);
    assert_eq!(
        (code, &broken["seq"], &broken["problem"]),
        (1, &json!(1), &json!("altered"))
    );
    execute(
        &shop,
        "UPDATE audit_log SET actor = 'operator:root' WHERE seq = 1",
    )
    .await;
    execute(&shop, "DELETE FROM audit_log WHERE seq = 2").await;
    assert_eq!(
        verify(&shop, &[]).0,
        0,
        "the chain alone does not know its end"
    );
    let (code, cut) = verify(&shop, &["--head", &head]);
    assert_eq!(
        (code, &cut["seq"], &cut["problem"]),
        (1, &json!(2), &json!("cut"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_key_is_not_replaced_while_the_log_has_rows() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let body = json!({"name": "till-2", "role": "viewer"});
    let made = shop.ask("POST", "/v1/keys", ADMIN, Some(&body)).await;
    assert_eq!(made.status, 201);
    shop.crash();
    let key = shop.folder().join("data/audit.key");
    let aside = shop.folder().join("backup-of-audit.key");
    std::fs::rename(&key, &aside).expect("it is lost");
    let log = shop.folder().join("log-refused");
    let mut refused = Running::start(shop.folder(), &["serve"], &[], &log);
    assert_eq!(refused.ended(Duration::from_secs(20)).code(), Some(1));
    let said = refused.log();
    for part in ["audit.key is missing", "(1)", "from your backup"] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!key.exists(), "none was made in its place");

    std::fs::rename(&aside, &key).expect("it is put back");
    shop.start_again().await;
    assert_eq!(verify(&shop, &[]).0, 0);
    // It is lost for good: the rows are moved away, and a new chain begins.
    shop.crash();
    std::fs::remove_file(&key).expect("it is lost");
    execute(&shop, "DELETE FROM audit_log").await;
    shop.start_again().await;
    let revoked = shop.ask("DELETE", "/v1/keys/till-2", ADMIN, None).await;
    assert_eq!(revoked.status, 204);
    let (code, whole) = verify(&shop, &[]);
    assert_eq!((code, &whole["rows"]), (0, &json!(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_in_a_storm_leaves_a_whole_chain() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    for storm in 0..2 {
        let client = shop.client.clone();
        let requests = (0..60).map(|n| {
            let body = json!({"name": format!("till-{storm}-{n}"), "role": "viewer"}).to_string();
            let request = client
                .post(shop.url("/v1/keys"))
                .bearer_auth(ADMIN)
                .header("content-type", "application/json")
                .body(body);
            tokio::spawn(async move {
                request
                    .send()
                    .await
                    .is_ok_and(|answer| answer.status() == 201)
            })
        });
        let requests: Vec<_> = requests.collect();
        let rows = "SELECT COUNT(*) FROM audit_log";
        let some = 60 * storm + 5;
        eventually("some of them are written", || async {
            let written = shop.database.number(rows).await;
            (written >= some)
                .then_some(())
                .ok_or_else(|| written.to_string())
        })
        .await;
        shop.crash();
        let answered = join_all(requests).await;
        let done = answered
            .into_iter()
            .filter(|done| *done.as_ref().expect("it ends"))
            .count();
        shop.start_again().await;
        let (code, told) = verify(&shop, &[]);
        assert_eq!(code, 0, "{told}");
        let keys = shop.database.number("SELECT COUNT(*) FROM api_keys").await;
        assert_eq!(
            told["rows"], keys,
            "each key that was made is in the log, and no other"
        );
        assert!(
            i64::try_from(done).is_ok_and(|done| keys >= done),
            "what was answered is written"
        );
        execute(&shop, "DELETE FROM audit_log").await;
        execute(&shop, "DELETE FROM api_keys").await;
        if storm == 0 {
            // The chain begins anew for the second storm: as many rows as it waits for.
            for n in 0..60 {
                let body = json!({"name": format!("old-{n}"), "role": "viewer"});
                assert_eq!(
                    shop.ask("POST", "/v1/keys", ADMIN, Some(&body))
                        .await
                        .status,
                    201
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mail_of_a_day_that_passed_while_the_server_was_down_comes_once() {
    let (processor, mailbox) = (Processor::start().await, Mailbox::open().await);
    let mut shop = Shop::open_with_mail(&processor, Stage::default(), Some(&mailbox)).await;
    let body = json!({"name": "till-2", "role": "viewer"});
    assert_eq!(
        shop.ask("POST", "/v1/keys", ADMIN, Some(&body))
            .await
            .status,
        201
    );
    for order_no in ["d-1", "d-2"] {
        assert_eq!(
            shop.create(&order(order_no, "VIP")).await.text("status"),
            "PAID"
        );
    }
    let made = "SELECT COUNT(*) FROM daily_mails";
    eventually("the first start owes no mail", || async {
        let rows = shop.database.number(made).await;
        (rows == 1).then_some(()).ok_or_else(|| rows.to_string())
    })
    .await;
    assert_eq!(mailbox.distinct(), 0);
    shop.crash();
    // It was down for a day, and the orders were paid on the day before the mail.
    execute(&shop, "UPDATE daily_mails SET day = '2020-01-01'").await;
    let eight = 8 * 3_600_000;
    let due_day = (SystemClock::start().wall().0 - eight).div_euclid(DAY_MS);
    let told_day = (due_day - 1) * DAY_MS;
    execute(
        &shop,
        &format!("UPDATE orders SET paid_at = {}", told_day + 1),
    )
    .await;
    execute(
        &shop,
        &format!(
            "UPDATE orders SET paid_at = {} WHERE order_no = 'd-2'",
            told_day - 1
        ),
    )
    .await;
    shop.start_again().await;
    let mails = eventually("a week of mails", || async {
        let mails = mailbox.mails();
        (mailbox.distinct() == 7)
            .then_some(mails.clone())
            .ok_or(format!("{mails:?}"))
    })
    .await;
    let one = |mail: &&crate::support::Mail| mail.text.contains("sandbox: 1, 19.99 CNY");
    assert_eq!(
        mails.iter().filter(one).count(),
        2,
        "each order on its own day: {mails:?}"
    );
    let last = &mails[6];
    assert!(last.text.contains("sandbox: 1, 19.99 CNY"), "{}", last.text);
    let head = last
        .text
        .split("verify --head ")
        .nth(1)
        .expect("the mail names the head");
    let head: String = head
        .chars()
        .take_while(|letter| letter.is_ascii_hexdigit() || *letter == ':')
        .collect();
    assert_eq!(verify(&shop, &["--head", &head]).0, 0);
    execute(&shop, "DELETE FROM audit_log").await;
    assert_eq!(verify(&shop, &["--head", &head]).0, 1);

    let unsent = "SELECT COUNT(*) FROM daily_mails WHERE due_at IS NOT NULL";
    eventually("all are marked", || async {
        let rows = shop.database.number(unsent).await;
        (rows == 0).then_some(()).ok_or_else(|| rows.to_string())
    })
    .await;
    shop.crash_and_start_again().await;
    shop.create(&order("d-3", "VIP")).await;
    assert_eq!(mailbox.distinct(), 7, "none comes twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_key_of_the_log_is_not_replaced_in_silence() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let body = json!({"name": "till-3", "role": "merchant", "scopes": []});
    let made = shop.ask("POST", "/v1/keys", ADMIN, Some(&body)).await;
    assert_eq!(made.status, 201);
    assert!(shop.stop().success());
    let files = walk(shop.folder());
    let key = files
        .iter()
        .find(|file| file.ends_with("audit.key"))
        .expect("a key");
    let kept = std::fs::read(key).expect("it is read");
    std::fs::remove_file(key).expect("it goes");

    let output = Command::new(env!("CARGO_BIN_EXE_oncepay"))
        .args(["keys", "revoke", "till-3"])
        .current_dir(shop.folder())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("audit.key is missing"), "{said}");
    assert!(!key.exists(), "no other key in its place");

    std::fs::write(key, kept).expect("it is put back");
    shop.start_again().await;
    assert_eq!(verify(&shop, &[]).1["whole"], true);
}

/// All files below a folder.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}
