//! Decisions that do the wrong thing with a refund.

use super::Fault;
use oncepay::domain::order::{
    Decision, Effect, FulfilmentChange, Input, Order, OrderStatus, RefundAnswer, RefundStatus,
    Source,
};

/// What is broken about the real decision.
pub(super) fn spoil(fault: Fault, order: &Order, input: &Input, decision: &mut Decision) {
    match fault {
        Fault::RefundUnderANewNumber => rename_what_is_sent_again(order, decision),
        Fault::RefundTimeoutFails => {
            if let Input::RefundReply {
                refund_no, answer, ..
            } = input
                && matches!(answer, RefundAnswer::Unknown(_))
            {
                settle(order, decision, refund_no, RefundStatus::Failed);
            }
        }
        Fault::PendingRefundIsDone => {
            if let Input::RefundReply {
                refund_no, answer, ..
            } = input
                && matches!(answer, RefundAnswer::Pending(_))
            {
                settle(order, decision, refund_no, RefundStatus::Succeeded);
            }
        }
        Fault::GrantsWhatIsNotPaid if decision.next.status == OrderStatus::Pending => {
            let kind = "credits".to_owned();
            decision.fulfilments.push(FulfilmentChange::Queue { kind });
        }
        Fault::RefundTakesNothingBack => decision.postings.retain(|posting| posting.quantity >= 0),
        Fault::SecondPaymentIsForgotten => {
            let second = |trade_no: &str| order.payment(trade_no).is_none();
            let told = matches!(
                input,
                Input::Answer {
                    source: Source::Callback { .. },
                    ..
                }
            );
            if order.status.is_paid() && told {
                decision
                    .next
                    .payments
                    .retain(|kept| !second(&kept.trade_no));
                decision.payments.clear();
                decision.alerts.clear();
            }
        }
        _ => {}
    }
}

fn rename_what_is_sent_again(order: &Order, decision: &mut Decision) {
    for effect in &mut decision.effects {
        let Effect::Refund { refund_no } = effect else {
            continue;
        };
        if order.refund(refund_no).is_none() {
            continue;
        }
        let again = format!("{refund_no}.again");
        let mut refunds = decision.next.refunds.iter_mut();
        if let Some(refund) = refunds.find(|refund| refund.refund_no == *refund_no) {
            let mut renamed = refund.clone();
            refund.status = RefundStatus::Failed;
            renamed.refund_no.clone_from(&again);
            decision.next.refunds.push(renamed);
        }
        *refund_no = again;
    }
}

fn settle(order: &Order, decision: &mut Decision, refund_no: &str, status: RefundStatus) {
    let mut refunds = decision.next.refunds.iter_mut();
    let open = refunds.find(|refund| refund.refund_no == refund_no && refund.status.is_open());
    if let Some(refund) = open {
        refund.status = status;
        refund.next_check_at = None;
        decision.next.version = order.version + 1;
    }
}
