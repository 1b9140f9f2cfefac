//! Part of an order's money is given back, once.

use super::part::{AMOUNT, becomes, body, create, must, number, text, until};
use crate::cli::problem::Problem;
use crate::cli::rehearsal::Rehearsal;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

const PART: i64 = 500;
const MORE_THAN_PART: i64 = PART + 1;
/// One more than what is left.
const TOO_MUCH: i64 = AMOUNT - PART + 1;

pub(super) async fn play(server: &Rehearsal) -> Result<String, Problem> {
    let order_no = "drill-refund";
    create(server, &body(order_no, "A part is given back")).await?;
    let order = becomes(server, order_no, "PAID").await?;
    let path = format!("/v1/orders/{}/refunds", text(&order, "/order_id"));
    let (_, first) = refund(server, &path, "r-1", PART).await?;
    let refunded = until("the refund", || async {
        let seen = server
            .merchant
            .ask(Method::GET, &format!("{path}/r-1"), None)
            .await?;
        Ok((text(&seen, "/status") == "SUCCEEDED", seen))
    })
    .await?;
    let (_, again) = refund(server, &path, "r-1", PART).await?;
    let ids = [&first, &refunded, &again].map(|refund| text(refund, "/refund_id"));
    must(
        ids.iter()
            .all(|id| !id.is_empty() && *id == text(&first, "/refund_id")),
        format_args!("one number, asked for twice, is the refunds {ids:?}"),
    )?;
    refused(server, &path, ("r-1", MORE_THAN_PART), "refund-conflict").await?;
    refused(server, &path, ("r-2", TOO_MUCH), "refund-exceeds-order").await?;
    let order = becomes(server, order_no, "PARTIALLY_REFUNDED").await?;
    let back = number(&order, "/amount_refunded");
    must(
        back == PART,
        format_args!("{back} of {PART} was given back"),
    )?;
    given_back_once(server, order_no).await?;
    Ok("a part, asked for twice: given back once; more than was paid is refused".to_owned())
}

async fn refund(
    server: &Rehearsal,
    path: &str,
    refund_no: &str,
    amount: i64,
) -> Result<(StatusCode, Value), Problem> {
    let body = json!({"refund_no": refund_no, "amount": amount, "reason": "drill"});
    server
        .merchant
        .exchange(Method::POST, path, Some(&body))
        .await
}

async fn refused(
    server: &Rehearsal,
    path: &str,
    (refund_no, amount): (&str, i64),
    code: &str,
) -> Result<(), Problem> {
    let (status, problem) = refund(server, path, refund_no, amount).await?;
    must(
        status == 422 && text(&problem, "/code") == code,
        format_args!(
            "{amount} as {refund_no} should be `{code}` and was answered {status}: {problem}"
        ),
    )
}

/// The sandbox has given back this part, and nothing else.
async fn given_back_once(server: &Rehearsal, order_no: &str) -> Result<(), Problem> {
    let ledger = server
        .merchant
        .ask(Method::GET, "/sandbox/ledger", None)
        .await?;
    let refunds = ledger.get("refunds").and_then(Value::as_array);
    let amounts: Vec<i64> = refunds
        .into_iter()
        .flatten()
        .filter(|refund| text(refund, "/order_no") == order_no)
        .map(|refund| number(refund, "/amount"))
        .collect();
    must(
        amounts == [PART],
        format_args!("the sandbox has given back {amounts:?}"),
    )
}
