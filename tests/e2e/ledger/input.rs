//! Requests that say nothing sensible: each is refused by the name of its field, and nothing moves.

use super::account::{Account, give};
use crate::support::{
    ADMIN, Contract, MERCHANT, Processor, Shop, Stage, fields, is_problem, order,
};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn quantities_are_whole_numbers_of_plain_digits_and_names_have_their_alphabet() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let user = Account::of(&shop, "user-42");
    give(&shop, user.name, "credits", 100).await;
    let quantities = [
        "0",
        "-1",
        "1.0",
        "1e1",
        "-0",
        "\"5\"",
        "1000000000001",
        "null",
        "true",
        "9223372036854775808",
    ];
    for quantity in quantities {
        for (rest, body) in [
            (
                "debits",
                format!(r#"{{"debit_no": "d", "kind": "credits", "quantity": {quantity}}}"#),
            ),
            (
                "holds",
                format!(r#"{{"hold_no": "h", "kind": "credits", "quantity": {quantity}}}"#),
            ),
            ("holds/h/capture", format!(r#"{{"quantity": {quantity}}}"#)),
        ] {
            let request = shop
                .client
                .post(shop.url(&user.path(rest)))
                .bearer_auth(MERCHANT);
            let request = request
                .header("content-type", "application/json")
                .body(body);
            let answer = shop.send(request).await;
            is_problem(&answer, 422, "validation", &format!("{rest} of {quantity}"));
            assert_eq!(fields(&answer), ["quantity"], "{rest} of {quantity}");
            contract.covers("POST", &user.path(rest), &answer);
        }
    }
    for (body, wrong) in [
        (
            json!({"debit_no": "a b", "kind": "credits", "quantity": 1}),
            "debit_no",
        ),
        (
            json!({"debit_no": "hold:x", "kind": "credits", "quantity": 1}),
            "debit_no",
        ),
        (
            json!({"debit_no": "x".repeat(65), "kind": "credits", "quantity": 1}),
            "debit_no",
        ),
        // Addresses drop `.` and `..`: what has such a name could never be reached there.
        (
            json!({"debit_no": "..", "kind": "credits", "quantity": 1}),
            "debit_no",
        ),
        (json!({"debit_no": "d", "kind": "", "quantity": 1}), "kind"),
        (
            json!({"debit_no": "d", "kind": "credits", "quantity": 1, "reason": "a\nb"}),
            "reason",
        ),
        (
            json!({"debit_no": "d", "kind": "credits", "quantity": 1, "amount": 1}),
            "amount",
        ),
        (
            json!({"debit_no": "d", "kind": "credits", "quantity": 1, "expires_in": 5}),
            "expires_in",
        ),
    ] {
        let answer = user.ask("POST", "debits", Some(&body)).await;
        is_problem(&answer, 422, "validation", wrong);
        assert_eq!(fields(&answer), [wrong]);
    }
    for expires_in in [json!(0), json!(2_592_001), json!("1h"), json!(-5)] {
        let body =
            json!({"hold_no": "h", "kind": "credits", "quantity": 1, "expires_in": expires_in});
        let answer = user.ask("POST", "holds", Some(&body)).await;
        is_problem(&answer, 422, "validation", "expires_in");
        assert_eq!(fields(&answer), ["expires_in"], "{expires_in}");
    }
    let hold = json!({"hold_no": "..", "kind": "credits", "quantity": 1});
    let answer = user.ask("POST", "holds", Some(&hold)).await;
    is_problem(
        &answer,
        422,
        "validation",
        "a hold that no address leads to",
    );
    assert_eq!(fields(&answer), ["hold_no"]);
    assert_eq!(user.numbers().await, (100, 0, 100));
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_and_numbers_in_paths_have_their_alphabet_too_and_holds_of_orders_are_out_of_reach()
 {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let user = Account::of(&shop, "user-42");
    for account in ["user%2042", "user:42", "%E7%94%A8", &"u".repeat(65)] {
        for rest in ["balances", "entries"] {
            let path = format!("/v1/accounts/{account}/{rest}");
            let answer = shop.ask("GET", &path, MERCHANT, None).await;
            is_problem(&answer, 422, "validation", &path);
            assert_eq!(fields(&answer), ["account"], "{path}");
        }
    }
    for rest in ["capture", "release"] {
        let path = format!("holds/order:o-1:credits/{rest}");
        let answer = user.ask("POST", &path, Some(&json!({"quantity": 1}))).await;
        is_problem(&answer, 422, "validation", &path);
        assert_eq!(fields(&answer), ["hold_no"], "{path}");
    }
    // Most clients take a dot for a step before they send it: such a name could be made, and never reached again.
    for hold_no in [".", ".."] {
        let body = json!({"hold_no": hold_no, "kind": "credits", "quantity": 1});
        let answer = user.ask("POST", "holds", Some(&body)).await;
        is_problem(&answer, 422, "validation", hold_no);
        assert_eq!(fields(&answer), ["hold_no"], "{hold_no}");
    }
    let mut wanted = order("o-1", "VIP");
    wanted["account"] = json!("..");
    let answer = shop.create(&wanted).await;
    is_problem(&answer, 422, "validation", "an order for ..");
    assert_eq!(fields(&answer), ["account"]);
    let missing = user.ask("POST", "holds/h-9/release", None).await;
    is_problem(&missing, 404, "not-found", "a hold that is not there");
    assert_eq!(missing.text("title"), "Not found");
    let unknown = user.ask("GET", "balances?kind=credits", None).await;
    is_problem(&unknown, 422, "validation", "an unknown parameter");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_named_like_a_step_of_a_path() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let user = Account::of(&shop, "user-42");
    give(&shop, user.name, "credits", 100).await;
    // Clients resolve such a step before they send it: what is so named could never be reached again.
    for step in [".", ".."] {
        let mut body = order("step", "VIP");
        body["account"] = json!(step);
        let answer = shop.create(&body).await;
        is_problem(&answer, 422, "validation", step);
        assert_eq!(fields(&answer), ["account"]);
        let hold = json!({"hold_no": step, "kind": "credits", "quantity": 1});
        let answer = user.ask("POST", "holds", Some(&hold)).await;
        is_problem(&answer, 422, "validation", step);
        assert_eq!(fields(&answer), ["hold_no"]);
        let key = json!({"name": step, "role": "viewer"});
        let answer = shop.ask("POST", "/v1/keys", ADMIN, Some(&key)).await;
        is_problem(&answer, 422, "validation", step);
        assert_eq!(fields(&answer), ["name"]);
    }
    assert_eq!(user.numbers().await, (100, 0, 100));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reason_of_a_debit_is_kept_without_the_cards_and_keys_in_it() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let user = Account::of(&shop, "user-42");
    give(&shop, user.name, "credits", 100).await;
    let reason = format!("a picture for 4111 1111 1111 1111, asked with {MERCHANT}");
    let debit = json!({"debit_no": "d", "kind": "credits", "quantity": 1, "reason": reason});
    let answer = user.ask("POST", "debits", Some(&debit)).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    let kept = "SELECT COUNT(*) FROM ledger_entries WHERE note LIKE 'a picture for %'";
    assert_eq!(shop.database.number(kept).await, 1);
    let leaks = format!(
        "SELECT COUNT(*) FROM ledger_entries WHERE note LIKE '%1111%' OR note LIKE '%{}%'",
        MERCHANT.rsplit('_').next().expect("a secret")
    );
    assert_eq!(shop.database.number(&leaks).await, 0);
}
