//! The message that a refund to a bank card has come to its end there. (Open platform,
//! `alipay.trade.refund.depositback.completed`.)

use super::notice::{Verified, malformed};
use crate::channels::words::{is_name, printable};
use crate::channels::{Notice, RefundBounce, Rejection};
use serde::Deserialize;

pub(super) const METHOD: &str = "alipay.trade.refund.depositback.completed";
/// The bank has taken it.
const TAKEN: &str = "S";
/// It has not. Alipay then puts the money on the payer's account with it.
const RETURNED: &str = "F";

#[derive(Debug, Default, Deserialize)]
struct Content {
    #[serde(default)]
    trade_no: String,
    #[serde(default)]
    out_trade_no: String,
    #[serde(default)]
    out_request_no: String,
    #[serde(default)]
    dback_status: String,
}

/// Reads the message. A refund that the bank has taken is no news: it was done when the money left the seller.
pub(super) fn read(fields: &Verified<'_>) -> Result<Notice, Rejection> {
    let content = fields.text("biz_content")?.unwrap_or_default();
    let content: Content = serde_json::from_str(content)
        .map_err(|error| malformed(format!("biz_content cannot be read ({error})")))?;
    let status = content.dback_status.as_str();
    if status == TAKEN {
        let kind = METHOD.to_owned();
        return Ok(Notice::Unrelated { kind });
    }
    let name = |text: String, name: &str| {
        let named = is_name(&text).then_some(text);
        named.ok_or_else(|| malformed(format!("{name} of biz_content is missing or is no number")))
    };
    let summary = match status {
        RETURNED => "the money goes to the payer's account at Alipay instead".to_owned(),
        other => printable(&format!("dback_status {other}")),
    };
    Ok(Notice::RefundBounced(RefundBounce {
        order_no: name(content.out_trade_no, "out_trade_no")?,
        trade_no: name(content.trade_no, "trade_no")?,
        refund_no: name(content.out_request_no, "out_request_no")?,
        summary,
    }))
}
