//! An order before its first decision.

use super::{Fingerprint, Order, OrderStatus};
use crate::domain::{Money, OrderId, OrderNo, UnixMillis};
use std::collections::BTreeMap;

impl Order {
    /// An order that nothing has happened to, asked for at `at`; whoever makes it says what else it is to be, its
    /// `expires_at` above all.
    #[must_use]
    pub fn unborn(
        order_id: OrderId,
        order_no: OrderNo,
        fingerprint: Fingerprint,
        money: Money,
        at: UnixMillis,
    ) -> Self {
        Self {
            order_id,
            idempotency_key: order_no.idempotency_key(),
            order_no,
            fingerprint,
            method: String::new(),
            money,
            subject: String::new(),
            account: None,
            entitlements: Vec::new(),
            metadata: BTreeMap::new(),
            return_url: None,
            notify_url: String::new(),
            payer: None,
            channel_ref: None,
            replaces: None,
            status: OrderStatus::Unpaid,
            reason: None,
            version: 0,
            created_at: at,
            updated_at: at,
            paid_at: None,
            expires_at: at,
            deadline_passed_at: None,
            ask_first: false,
            submits: Vec::new(),
            extra_submits: 0,
            check_count: 0,
            next_check_at: None,
            ask_due: false,
            not_found_since: None,
            close_requested_at: None,
            close_by: None,
            expiry_count: 0,
            payments: Vec::new(),
            proof_in_conflict: false,
            amount_refunded: 0,
            next_action: None,
            withheld: false,
            proposal: None,
            refunds: Vec::new(),
            refund_proposal: None,
            callback_count: 0,
            event_seq: 0,
            last_error: None,
        }
    }
}
