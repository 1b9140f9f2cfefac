//! What a webhook tells of an order: the order as the API shows it, and what the webhook is about.

use super::refund_view::RefundView;
use super::view::document;
use crate::domain::order::{Announcement, Order};
use serde_json::{Value, json};

/// The `data` of a webhook about the order as committed.
pub(crate) fn webhook_data(order: &Order, announcement: &Announcement, public_url: &str) -> Value {
    let mut data = document(order, public_url);
    match announcement {
        Announcement::OrderPaid
        | Announcement::OrderFailed
        | Announcement::OrderClosed
        | Announcement::OrderManual => {}
        Announcement::EntitlementGranted { kind, quantity }
        | Announcement::EntitlementRevoked { kind, quantity, .. } => {
            if let Some(fields) = data.as_object_mut() {
                fields.insert("kind".to_owned(), json!(kind));
                fields.insert("quantity".to_owned(), json!(quantity));
            }
        }
        Announcement::RefundSucceeded { refund_no } | Announcement::RefundFailed { refund_no } => {
            if let (Some(fields), Some(refund)) = (data.as_object_mut(), order.refund(refund_no)) {
                let view = RefundView::of(order, refund);
                fields.insert("refund".to_owned(), json!(view));
            }
        }
    }
    data
}
