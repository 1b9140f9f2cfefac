//! Decisions that do the wrong thing with a charge.

use super::{Fault, real};
use oncepay::domain::order::decide::Context;
use oncepay::domain::order::{
    Answer, ChargeStatus, Decision, Effect, Input, Order, OrderStatus, Reason, Source, Submit,
};

/// What is decided instead of the real decision.
pub(super) fn instead(
    fault: Fault,
    order: &Order,
    input: &Input,
    context: &Context<'_>,
) -> Option<Decision> {
    match fault {
        Fault::SubmitsWithoutAsking if order.status == OrderStatus::Unknown => {
            let asks = real(order, input, context)?;
            let due = *input == Input::Due && asks.effects.contains(&Effect::Query);
            let not_found = Input::Answer {
                source: Source::Query,
                answer: Answer::NotFound,
            };
            due.then(|| real(order, &not_found, context))?
        }
        Fault::InterruptedIsSentAgain
            if order.status == OrderStatus::Processing && *input == Input::Recovered =>
        {
            let mut again = real(order, input, context)?;
            if again.next.status == OrderStatus::Unknown {
                submit_again(&mut again, context);
            }
            Some(again)
        }
        Fault::ClosesAtItsExpiry
            if order.status == OrderStatus::Pending
                && *input == Input::Due
                && context.now.wall >= order.expires_at =>
        {
            let mut closed = real(order, input, context)?;
            if closed.next.status == OrderStatus::Pending {
                end(&mut closed, OrderStatus::Closed, Reason::Expired);
            }
            Some(closed)
        }
        Fault::LateSuccessIsIgnored if order.status.is_ended() && is_paid(input) => {
            let mut ignored = real(order, input, context)?;
            ignored.next.clone_from(order);
            ignored.next.callback_count += 1;
            ignored.events.clear();
            ignored.payments.clear();
            ignored.alerts.clear();
            ignored.refunds.clear();
            ignored.fulfilments.clear();
            ignored.announcements.clear();
            ignored.effects.clear();
            Some(ignored)
        }
        _ => None,
    }
}

fn is_paid(input: &Input) -> bool {
    matches!(input, Input::Answer { answer: Answer::Charge(said), .. } if said.status == ChargeStatus::Paid)
}

fn submit_again(decision: &mut Decision, context: &Context<'_>) {
    let n = decision.next.submit_count() + 1;
    decision.next.status = OrderStatus::Processing;
    decision.next.reason = None;
    decision.next.submits.push(Submit {
        n,
        started: context.now.stamp(),
        ended: None,
        resolved: false,
    });
    say_it(decision);
    decision.effects = vec![Effect::Submit { n }];
}

fn end(decision: &mut Decision, status: OrderStatus, reason: Reason) {
    decision.next.status = status;
    decision.next.reason = Some(reason);
    decision.next.next_check_at = None;
    decision.next.next_action = None;
    decision.effects.clear();
    say_it(decision);
}

/// Events and version as an honest decision would have them.
fn say_it(decision: &mut Decision) {
    let status = decision.next.status;
    if let Some(event) = decision.events.last_mut() {
        event.to = status;
    }
}

/// What is broken about the real decision.
pub(super) fn spoil(fault: Fault, order: &Order, input: &Input, decision: &mut Decision) {
    let next = decision.next.status;
    match fault {
        Fault::TimeoutFails
            if next == OrderStatus::Unknown
                && order.status == OrderStatus::Processing
                && decision.next.reason == Some(Reason::SubmitTimeout) =>
        {
            end(decision, OrderStatus::Failed, Reason::Declined);
        }
        Fault::SubmitsUnderANewKey => {
            let again = |effect: &Effect| matches!(effect, Effect::Submit { n } if *n > 1);
            if decision.effects.iter().any(again) {
                decision.next.idempotency_key.push_str("#again");
            }
        }
        Fault::ClosesWhenAsked
            if matches!(input, Input::CloseRequested { .. })
                && matches!(next, OrderStatus::Pending | OrderStatus::Unknown) =>
        {
            end(decision, OrderStatus::Closed, Reason::ClosedByMerchant);
        }
        Fault::NoticeUndoesPaid
            if order.status == OrderStatus::Paid
                && matches!(
                    input,
                    Input::BillLine { .. } | Input::UiDeadlinePassed | Input::QueryRequested { .. }
                ) =>
        {
            end(decision, OrderStatus::Failed, Reason::Declined);
            decision.next.version = order.version + 1;
        }
        _ => {}
    }
}
