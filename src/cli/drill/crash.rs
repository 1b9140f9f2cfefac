//! The server dies while a charge is on the wire.

use super::part::{becomes, body, charged_once, find, history, must, submitted, text, until};
use crate::cli::problem::Problem;
use crate::cli::rehearsal::Rehearsal;
use reqwest::Method;
use serde_json::Value;

pub(super) async fn play(server: &mut Rehearsal) -> Result<String, Problem> {
    let order_no = "drill-crash";
    let body = body(
        order_no,
        "The server dies meanwhile #delay=60s #no-callback",
    );
    let shop = server.merchant.clone();
    let create = actix_web::rt::spawn(async move {
        // It ends with the server, without an answer.
        drop(shop.exchange(Method::POST, "/v1/orders", Some(&body)).await);
    });
    until("the charge", || async {
        let charge = server.charge(order_no).await?;
        Ok((charge != Value::Null, charge))
    })
    .await?;
    let before = find(server, order_no).await?;
    must(
        text(&before, "/status") == "PROCESSING",
        format_args!("it was not in the middle of its submit: {before}"),
    )?;
    server.crash()?;
    drop(create.await);
    server.start_again().await?;
    let order = becomes(server, order_no, "PAID").await?;
    let history = history(server, &order).await?;
    must(
        history.iter().any(|(kind, _)| kind == "recovered"),
        format_args!("the start did not take it up: {history:?}"),
    )?;
    submitted(&order, 1)?;
    charged_once(server, order_no).await?;
    Ok("kill -9 in the middle of a submit: asked after the start, PAID, charged once".to_owned())
}
