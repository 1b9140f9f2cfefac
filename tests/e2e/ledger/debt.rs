//! Credits that a payment has granted: spent, taken back by refunds, owed, and paid for again.

use super::account::{Account, check};
use crate::support::{Processor, Shop, Stage, eventually, is_problem};
use futures_util::future::join_all;
use serde_json::{Value, json};

/// Buys so many credits at one minor unit each.
async fn buy(shop: &Shop, order_no: &str, account: &str, quantity: i64) -> Value {
    let body = json!({"order_no": order_no, "channel": "sandbox", "amount": quantity, "currency": "CNY",
        "subject": "credits #no-callback", "account": account,
        "entitlements": [{"kind": "credits", "quantity": quantity}]});
    let bought = shop.create(&body).await;
    shop.becomes(bought.text("order_id"), "PAID").await
}

/// Asks for a refund; what it takes back is seen in the balance.
async fn give_back(shop: &Shop, bought: &Value, refund_no: &str, amount: i64) {
    let refund = shop.refund(bought, refund_no, amount).await;
    assert!(matches!(refund.status, 200 | 202), "{}", refund.body);
}

async fn balance_is(user: Account<'_>, balance: i64) {
    eventually(&format!("the balance is {balance}"), || async {
        let balances = user.ask("GET", "balances", None).await;
        match balances.body["data"][0]["balance"].as_i64() {
            Some(found) if found == balance => Ok(()),
            _ => Err(balances.body.to_string()),
        }
    })
    .await;
}

async fn told_of_debt(shop: &Shop) -> Vec<String> {
    let alerts = shop.alerts().await;
    let of_balances = alerts
        .iter()
        .filter(|alert| alert["kind"] == "balance_negative");
    let status = |alert: &Value| alert["status"].as_str().unwrap_or_default().to_owned();
    of_balances.map(status).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn refunds_take_back_what_was_granted_and_what_was_spent_is_owed() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let user = Account::of(&shop, "user-42");
    let bought = buy(&shop, "o-1", user.name, 1000).await;
    balance_is(user, 1000).await;
    assert_eq!(user.debit("job-1", 50).await.body["balance_after"], 950);

    give_back(&shop, &bought, "r-1", 300).await;
    balance_is(user, 650).await;
    assert_eq!(told_of_debt(&shop).await, Vec::<String>::new());
    give_back(&shop, &bought, "r-2", 700).await;
    balance_is(user, -50).await;
    let sources = [
        "refund:o-1:r-2",
        "refund:o-1:r-1",
        "debit:job-1",
        "order:o-1",
    ];
    assert_eq!(user.sources().await, sources);
    eventually("people hear of the debt", || async {
        let told = told_of_debt(&shop).await;
        if told == ["open"] {
            Ok(())
        } else {
            Err(format!("{told:?}"))
        }
    })
    .await;
    is_problem(
        &user.debit("job-2", 1).await,
        422,
        "insufficient-balance",
        "in debt",
    );
    assert_eq!(
        user.debit("job-1", 50).await.status,
        200,
        "what was booked is booked"
    );

    buy(&shop, "o-2", user.name, 60).await;
    balance_is(user, 10).await;
    eventually("the debt is paid", || async {
        let told = told_of_debt(&shop).await;
        if told == ["resolved"] {
            Ok(())
        } else {
            Err(format!("{told:?}"))
        }
    })
    .await;
    assert_eq!(check(&shop, &[]).0, Some(0));
}

/// Grants and revocations move an account while it is being spent: whoever is overtaken is decided about again.
#[tokio::test(flavor = "multi_thread")]
async fn an_account_is_spent_while_orders_grant_to_it_and_take_back() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let user = Account::of(&shop, "user-42");
    buy(&shop, "first", user.name, 1000).await;
    balance_is(user, 1000).await;
    let numbers: Vec<String> = (0..15).map(|n| format!("n{n}")).collect();
    let orders = numbers.iter().map(|no| async {
        let bought = buy(&shop, no, user.name, 100).await;
        give_back(&shop, &bought, "r-1", 40).await;
    });
    let debits = numbers.iter().map(|no| user.debit(no, 30));
    let (_, debits) = tokio::join!(join_all(orders), join_all(debits));
    assert!(debits.iter().all(|debit| debit.status == 200), "{debits:?}");
    balance_is(user, 1000 + 15 * (100 - 40 - 30)).await;
    assert_eq!(check(&shop, &[]).0, Some(0));
}
