//! What a payer may be told about an order.

use super::language::{Language, Text};
use crate::domain::order::{Order, OrderStatus, Reason};

/// The text for people that stands in an answer. It never invites to pay again while money may have moved.
#[must_use]
pub(crate) fn message(order: &Order, deadline_passed: bool, language: Language) -> String {
    let text = if deadline_passed && !order.answers_a_wait() {
        CONFIRMING
    } else {
        of_status(order)
    };
    text.in_language(language).to_owned()
}

const CONFIRMING: Text = Text::new(
    "The result is still being confirmed. Please do not pay again.",
    "支付结果仍在确认中，请勿重复支付",
);

const fn of_status(order: &Order) -> Text {
    let (english, chinese) = match order.status {
        OrderStatus::Unpaid => ("The payment has not begun yet.", "支付尚未开始。"),
        OrderStatus::Processing | OrderStatus::Unknown => return CONFIRMING,
        OrderStatus::Pending => match order.next_action {
            Some(_) => ("Waiting for the payer.", "等待付款。"),
            None => return CONFIRMING,
        },
        OrderStatus::Manual => (
            "The payment is being checked by a person. Please do not pay again.",
            "支付正在人工核实，请勿重复支付",
        ),
        OrderStatus::Paid => ("Paid.", "支付成功。"),
        OrderStatus::Failed => match order.reason {
            Some(Reason::Declined) => ("The payment was declined.", "支付被拒绝。"),
            Some(_) | None => (
                "The payment failed; nothing was charged.",
                "支付失败，未扣款。",
            ),
        },
        OrderStatus::Closed => match order.reason {
            Some(Reason::Expired) => (
                "The order expired; nothing was charged.",
                "订单已过期，未扣款。",
            ),
            Some(_) | None => (
                "The order was closed; nothing was charged.",
                "订单已关闭，未扣款。",
            ),
        },
        OrderStatus::Refunding => ("A refund is on its way.", "退款处理中。"),
        OrderStatus::PartiallyRefunded => ("Partly refunded.", "已部分退款。"),
        OrderStatus::Refunded => ("Refunded.", "已退款。"),
    };
    Text::new(english, chinese)
}
