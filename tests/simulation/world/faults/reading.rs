//! Decisions that read something wrong: the rules, the clocks, the register of calls, or what was said.

use super::Fault;
use oncepay::domain::order::decide::{Context, decide};
use oncepay::domain::order::{
    Answer, ChargeStatus, Decision, EntitlementStatus, Input, Order, OrderStatus, Refusal, Source,
    Statement,
};
use oncepay::domain::schedule::Rules;

/// The real decision, made on what the broken one reads.
pub(super) fn decide_as_read(
    fault: Fault,
    order: &Order,
    input: &Input,
    context: &Context<'_>,
) -> Result<Decision, Refusal> {
    let rules = rules(fault, order, context.rules);
    let mut read = Context {
        rules: &rules,
        ..*context
    };
    if fault == Fault::OpenCallsAreForgotten {
        read.open_submits = &[];
    }
    let heard = heard(fault, order, input);
    let seen = seen(fault, order, input);
    let mut decision = decide(&seen, &heard, &read)?;
    restore(fault, order, input, &mut decision);
    Ok(decision)
}

fn rules(fault: Fault, order: &Order, rules: &Rules) -> Rules {
    let mut read = rules.clone();
    match fault {
        Fault::GraceIsSkipped | Fault::OpenCallsAreForgotten => {
            read.not_found_grace_ms = 1;
            read.read_timeout_ms = 1;
        }
        Fault::OneNotFoundIsEnough => read.capabilities.one_charge_per_key = true,
        Fault::SendsBeyondTheLimit => read.max_submits = 99,
        Fault::SendsAfterTheKeysLife => read.capabilities.key_life_ms = None,
        Fault::SendsAgainWhereNobodyMay => read.capabilities.resubmits = true,
        Fault::CallsUnderAnotherAccount => read.fingerprint = Some(order.fingerprint.clone()),
        _ => {}
    }
    read
}

/// The order as the broken decision sees it.
fn seen(fault: Fault, order: &Order, input: &Input) -> Order {
    let mut seen = order.clone();
    match (fault, input) {
        (Fault::SendsAfterTheExpiry, Input::Answer { .. }) => {
            seen.expires_at = order.expires_at.plus(90 * 86_400_000);
        }
        (Fault::RefundCapIsGone, Input::RefundRequested(_)) => seen.refunds.clear(),
        (Fault::GrantsAgain, Input::Fulfil { .. }) => {
            for kept in &mut seen.entitlements {
                if kept.status == EntitlementStatus::Granted {
                    kept.status = EntitlementStatus::Pending;
                }
            }
        }
        (Fault::GrantsWhatIsNotPaid, Input::Fulfil { .. }) => {
            seen.status = OrderStatus::Paid;
            seen.withheld = false;
        }
        _ => {}
    }
    seen
}

/// What was changed for the broken decision's eyes only stands again in what it writes.
fn restore(fault: Fault, order: &Order, input: &Input, decision: &mut Decision) {
    match fault {
        Fault::SendsAfterTheExpiry => decision.next.expires_at = order.expires_at,
        Fault::GrantsWhatIsNotPaid => {
            if matches!(input, Input::Fulfil { .. }) {
                decision.next.status = order.status;
                decision.next.withheld = order.withheld;
            }
        }
        Fault::GrantsAgain => {
            for (now, before) in decision
                .next
                .entitlements
                .iter_mut()
                .zip(&order.entitlements)
            {
                if !matches!(input, Input::Fulfil { kind, .. } if *kind == now.kind) {
                    now.clone_from(before);
                }
            }
        }
        Fault::RefundCapIsGone if decision.next.refunds.len() < order.refunds.len() + 1 => {
            let new = std::mem::take(&mut decision.next.refunds);
            decision.next.refunds.clone_from(&order.refunds);
            for refund in new {
                if decision.next.refund(&refund.refund_no).is_none() {
                    decision.next.refunds.push(refund);
                }
            }
        }
        _ => {}
    }
}

/// The input as the broken decision hears it.
fn heard(fault: Fault, order: &Order, input: &Input) -> Input {
    let mut heard = input.clone();
    if fault == Fault::NoticeCountsTwice {
        heard.mark_repeat(false);
    }
    let Input::Answer { source, answer } = &mut heard else {
        return heard;
    };
    let queried = *source == Source::Query;
    match (fault, &mut *answer) {
        (Fault::AmountIsNotCompared, Answer::Charge(said)) if said.status == ChargeStatus::Paid => {
            said.money = Some(order.money);
        }
        (Fault::ProcessingIsPaid, Answer::Charge(said))
            if said.status == ChargeStatus::Processing =>
        {
            said.status = ChargeStatus::Paid;
            said.trade_no = Some(format!("?{}", order.order_no));
        }
        (Fault::UnexplainedIsClosed, Answer::Charge(said))
            if matches!(said.status, ChargeStatus::Unexplained(_)) =>
        {
            said.status = ChargeStatus::Closed;
        }
        (Fault::UnreadableIsDeclined, Answer::Unknown(_)) if queried => {
            *answer = Answer::Charge(Statement {
                status: ChargeStatus::Declined,
                order_no: order.order_no.0.clone(),
                idempotency_key: None,
                merchant: None,
                money: None,
                trade_no: None,
                reference: None,
                summary: String::new(),
            });
        }
        _ => {}
    }
    heard
}
