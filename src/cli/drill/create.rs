//! A shop that asks again, at once and later: one order, one charge.

use super::part::{body, charged_once, create, must, text};
use crate::cli::problem::Problem;
use crate::cli::rehearsal::Rehearsal;
use serde_json::{Value, json};

pub(super) async fn play(server: &Rehearsal) -> Result<String, Problem> {
    let order_no = "drill-duplicate-create";
    let same = body(order_no, "Asked for three times");
    let (first, second) = tokio::join!(create(server, &same), create(server, &same));
    let answers = [first?, second?, create(server, &same).await?];
    let ids = answers
        .each_ref()
        .map(|(_, order)| text(order, "/order_id"));
    let [first, second, third] = ids;
    must(
        !first.is_empty() && first == second && second == third,
        format_args!("three creates were answered with the orders {first}, {second}, {third}"),
    )?;
    let mut other = same.clone();
    if let Some(fields) = other.as_object_mut() {
        fields.insert("amount".to_owned(), json!(1));
    }
    let (status, problem) = create(server, &other).await?;
    let code = problem.get("code").and_then(Value::as_str);
    must(
        status == 422 && code == Some("order-conflict"),
        format_args!("another amount under the same number was answered {status}: {problem}"),
    )?;
    charged_once(server, order_no).await?;
    Ok(
        "two creates at once and one later: one order, charged once; another amount is refused"
            .to_owned(),
    )
}
