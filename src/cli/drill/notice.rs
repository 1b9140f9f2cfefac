//! A channel that says the same five times at once.

use super::part::{becomes, body, charged_once, create, find, history, must, number, text, until};
use crate::cli::problem::Problem;
use crate::cli::rehearsal::Rehearsal;
use reqwest::Method;
use serde_json::{Value, json};

const NOTICES: i64 = 5;
const ACCOUNT: &str = "drill-account";
const CREDITS: i64 = 1000;

pub(super) async fn play(server: &Rehearsal) -> Result<String, Problem> {
    let order_no = "drill-duplicate-notice";
    let subject = format!("Paid by the payer #pending #pay-after=500ms #callbacks={NOTICES}");
    let mut body = body(order_no, &subject);
    if let Some(fields) = body.as_object_mut() {
        fields.insert("account".to_owned(), json!(ACCOUNT));
        let credits = json!([{"kind": "credits", "quantity": CREDITS}]);
        fields.insert("entitlements".to_owned(), credits);
    }
    create(server, &body).await?;
    becomes(server, order_no, "PAID").await?;
    let order = until("the last of the notices", || async {
        let order = find(server, order_no).await?;
        Ok((number(&order, "/callback_count") >= NOTICES, order))
    })
    .await?;
    let history = history(server, &order).await?;
    let paying = history
        .windows(2)
        .filter(|pair| matches!(pair, [before, after] if before.1 != "PAID" && after.1 == "PAID"));
    let (paid, notices) = (
        paying.count(),
        history
            .iter()
            .filter(|(kind, _)| kind == "callback")
            .count(),
    );
    must(
        paid == 1 && notices == 1,
        format_args!("it was paid {paid} times by {notices} notices: {history:?}"),
    )?;
    charged_once(server, order_no).await?;
    granted_once(server, order_no).await?;
    Ok(
        "five equal notices at once: paid by the first, charged once, credits granted once"
            .to_owned(),
    )
}

async fn granted_once(server: &Rehearsal, order_no: &str) -> Result<(), Problem> {
    until("the grant", || async {
        let order = find(server, order_no).await?;
        let status = text(&order, "/entitlements/0/status") == "GRANTED";
        Ok((status, order))
    })
    .await?;
    let path = format!("/v1/accounts/{ACCOUNT}/entries");
    let entries = server.merchant.ask(Method::GET, &path, None).await?;
    let entries = entries.get("data").and_then(Value::as_array);
    let quantities: Vec<i64> = entries
        .into_iter()
        .flatten()
        .map(|entry| number(entry, "/quantity"))
        .collect();
    must(
        quantities == [CREDITS],
        format_args!("the account was moved by {quantities:?}"),
    )
}
