//! A channel that does not answer: a time-out is no failure, and nothing is charged a second time.

use super::part::{becomes, body, charged_once, create, history, must, submitted};
use crate::cli::problem::Problem;
use crate::cli::rehearsal::Rehearsal;

/// The charge lands and its reply does not come.
pub(super) async fn no_reply(server: &Rehearsal) -> Result<String, Problem> {
    let order_no = "drill-time-out";
    let subject = "The reply does not come #delay=60s #no-callback";
    create(server, &body(order_no, subject)).await?;
    let order = becomes(server, order_no, "PAID").await?;
    let history = history(server, &order).await?;
    let timed_out = history.contains(&("submit_timeout".to_owned(), "UNKNOWN".to_owned()));
    let asked = history.contains(&("query_reply".to_owned(), "PAID".to_owned()));
    must(
        timed_out && asked,
        format_args!("it was not UNKNOWN until the channel was asked: {history:?}"),
    )?;
    submitted(&order, 1)?;
    charged_once(server, order_no).await?;
    Ok("the reply never came: UNKNOWN, asked, PAID; submitted once, charged once".to_owned())
}

/// The request is lost on its way.
pub(super) async fn no_request(server: &Rehearsal) -> Result<String, Problem> {
    let order_no = "drill-lost-request";
    let subject = "The request is lost #lost-request=1 #no-callback";
    create(server, &body(order_no, subject)).await?;
    let order = becomes(server, order_no, "PAID").await?;
    submitted(&order, 2)?;
    charged_once(server, order_no).await?;
    Ok(
        "the first request was lost: not found, sent again under the same key, charged once"
            .to_owned(),
    )
}
