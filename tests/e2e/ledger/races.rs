//! Many at once, in the same millisecond, at the end of a hold, or when the process dies: each number moves once.

use super::account::{Account, check, give};
use crate::support::{Answer, Processor, Shop, Stage, is_problem};
use futures_util::future::join_all;
use serde_json::Value;
use std::collections::BTreeSet;

#[tokio::test(flavor = "multi_thread")]
async fn of_two_debits_of_60_from_100_in_the_same_moment_one_succeeds() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    for round in 0..10 {
        let name = format!("user-{round}");
        give(&shop, &name, "credits", 100).await;
        let user = Account::of(&shop, &name);
        let (one, other) = tokio::join!(user.debit("d1", 60), user.debit("d2", 60));
        let (won, lost) = if one.status == 200 {
            (one, other)
        } else {
            (other, one)
        };
        assert_eq!(
            (won.status, &won.body["balance_after"]),
            (200, &Value::from(40))
        );
        is_problem(&lost, 422, "insufficient-balance", "the second one");
        assert_eq!(user.numbers().await, (40, 0, 40));
    }
    assert_eq!(check(&shop, &[]).0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_of_the_same_debit_at_once_are_one() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let user = Account::of(&shop, "user-42");
    give(&shop, user.name, "credits", 100).await;
    let answers = join_all((0..50).map(|_| user.debit("d1", 7))).await;
    let bodies: BTreeSet<String> = answers
        .iter()
        .map(|answer| answer.body.to_string())
        .collect();
    assert!(
        answers.iter().all(|answer| answer.status == 200),
        "{bodies:?}"
    );
    assert_eq!(bodies.len(), 1, "one entry, told fifty times");
    assert_eq!(user.numbers().await, (93, 0, 93));
    let holds = join_all((0..50).map(|_| user.hold("h1", 93, 3600))).await;
    assert!(holds.iter().all(|hold| hold.status == 200));
    assert_eq!(user.numbers().await, (93, 93, 0));
    let ends = join_all((0..50).map(|n| user.capture("h1", 1 + n % 5))).await;
    let captured = ends.iter().filter(|end| end.status == 200).count();
    assert_eq!(
        captured, 10,
        "one quantity won, and repeats of it are the same answer"
    );
    assert_eq!(user.sources().await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_spends_an_account_down_to_nothing_and_not_below() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let user = Account::of(&shop, "user-42");
    give(&shop, user.name, "credits", 100).await;
    let numbers: Vec<String> = (0..60).map(|n| format!("d{n}")).collect();
    let answers = join_all(numbers.iter().map(|no| user.debit(no, 3))).await;
    let spent = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(spent, 33);
    assert_eq!(user.numbers().await, (1, 0, 1));
    let refused: Vec<&Answer> = answers
        .iter()
        .filter(|answer| answer.status != 200)
        .collect();
    for answer in refused {
        is_problem(answer, 422, "insufficient-balance", "nothing is left");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_capture_and_an_expiry_in_the_same_moment_one_wins() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let user = Account::of(&shop, "user-42");
    give(&shop, user.name, "credits", 100).await;
    let numbers: Vec<String> = (0..20).map(|n| format!("h{n}")).collect();
    let holds = join_all(numbers.iter().map(|no| user.hold(no, 5, 1))).await;
    assert!(holds.iter().all(|hold| hold.status == 200));
    let captures = numbers.iter().zip(0_u64..).map(|(no, n)| async move {
        tokio::time::sleep(std::time::Duration::from_millis(900 + n * 10)).await;
        user.capture(no, 5).await
    });
    let captures = join_all(captures).await;
    let mut captured = 0;
    for (no, capture) in numbers.iter().zip(&captures) {
        let stands = user.hold(no, 5, 1).await;
        if capture.status == 200 {
            captured += 1;
            assert_eq!(stands.text("status"), "CAPTURED");
        } else {
            is_problem(capture, 409, "hold-expired", no);
            assert_eq!(stands.text("status"), "EXPIRED");
        }
    }
    let left = 100 - 5 * captured;
    assert_eq!(user.numbers().await, (left, 0, left));
    assert_eq!(check(&shop, &[]).0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_crash_leaves_of_many_debits_and_holds_is_finished_by_sending_them_again() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let name = "user-42";
    give(&shop, name, "credits", 10_000).await;
    let numbers: Vec<String> = (0..200).map(|n| format!("n{n}")).collect();
    for life in 0..3_u64 {
        let (base, client) = (
            shop.url(&Account::of(&shop, name).path("")),
            shop.client.clone(),
        );
        let requests = numbers.iter().enumerate().map(|(n, no)| {
            let (rest, body) = if n % 2 == 0 {
                (
                    "debits",
                    format!(r#"{{"debit_no": "{no}", "kind": "credits", "quantity": 10}}"#),
                )
            } else {
                (
                    "holds",
                    format!(r#"{{"hold_no": "{no}", "kind": "credits", "quantity": 10}}"#),
                )
            };
            let request = client
                .post(format!("{base}{rest}"))
                .bearer_auth(crate::support::MERCHANT)
                .header("content-type", "application/json")
                .body(body);
            // Most of them are cut: nobody knows what became of them.
            tokio::spawn(async move { drop(request.send().await) })
        });
        let requests: Vec<_> = requests.collect();
        tokio::time::sleep(std::time::Duration::from_millis(5 + 20 * life)).await;
        shop.crash();
        drop(join_all(requests).await);
        shop.start_again().await;
    }
    let user = Account::of(&shop, name);
    for (n, no) in numbers.iter().enumerate() {
        let answer = if n % 2 == 0 {
            user.debit(no, 10).await
        } else {
            user.hold(no, 10, 3600).await
        };
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    assert_eq!(user.numbers().await, (9_000, 1_000, 8_000));
    assert_eq!(user.sources().await.len(), 101);
    assert_eq!(check(&shop, &[]).0, Some(0));
}
