//! A channel that says that another amount was paid: a person must look, and is told once.

use super::part::{becomes, body, create, must, text, until};
use crate::cli::problem::Problem;
use crate::cli::rehearsal::Rehearsal;
use reqwest::Method;
use serde_json::Value;

pub(super) async fn play(server: &Rehearsal) -> Result<String, Problem> {
    let order_no = "drill-mismatch";
    create(server, &body(order_no, "Another amount #wrong-amount=1")).await?;
    let order = becomes(server, order_no, "MANUAL").await?;
    let reason = text(&order, "/reason");
    must(
        reason == "amount_mismatch",
        format_args!("the reason is `{reason}`"),
    )?;
    let alerts = alerts(server, text(&order, "/order_id")).await?;
    must(
        alerts == ["payment_mismatch"],
        format_args!("it raised the alerts {alerts:?}"),
    )?;
    until("the mail", || async {
        let mails = server.mails();
        let told = mails
            .iter()
            .filter(|mail| mail.replace("=\r\n", "").contains(order_no));
        Ok((told.count() == 1, Value::from(mails)))
    })
    .await?;
    Ok("another amount was reported: MANUAL, nothing delivered, one alert, one mail".to_owned())
}

async fn alerts(server: &Rehearsal, order_id: &str) -> Result<Vec<String>, Problem> {
    let answer = server
        .operator
        .ask(Method::GET, "/v1/alerts?limit=200", None)
        .await?;
    let alerts = answer.get("data").and_then(Value::as_array);
    let alerts = alerts.into_iter().flatten();
    Ok(alerts
        .filter(|alert| text(alert, "/order_id") == order_id)
        .map(|alert| text(alert, "/kind").to_owned())
        .collect())
}
