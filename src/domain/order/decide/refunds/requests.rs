//! Who may have what given back.

use super::super::super::refund::{RefundProposal, RefundRequest, RefundSource};
use super::super::super::refusal::Refusal;
use super::super::Column;
use super::super::draft::Draft;
use super::book::left;
use super::sends::{Wanted, open};
use crate::domain::Money;

/// A merchant or an operator wants money given back. The same number is the same refund.
pub(in super::super) fn requested(
    draft: &mut Draft<'_>,
    request: &RefundRequest,
) -> Result<(), Refusal> {
    let order = draft.before;
    let own = order.own_payment().map(|payment| payment.trade_no.as_str());
    let trade_no = request.trade_no.as_deref().or(own);
    if let Some(known) = order.refund(&request.refund_no) {
        let same = known.money.amount == request.amount && trade_no == Some(&known.trade_no);
        return if same {
            Ok(())
        } else {
            Err(Refusal::RefundConflict)
        };
    }
    let money = admitted(draft, request, trade_no)?;
    let trade_no = trade_no.unwrap_or_default().to_owned();
    draft.event.detail.channel_trade_no = Some(trade_no.clone());
    draft.event.detail.currency = Some(money.currency.to_string());
    draft.note();
    let two =
        request.source == RefundSource::Operator && draft.context.rules.wants_second_person(money);
    if two && !confirmed(draft, request)? {
        return Ok(());
    }
    draft.next.refund_proposal = None;
    let wanted = Wanted {
        refund_no: request.refund_no.clone(),
        trade_no,
        money,
        source: request.source,
        by: draft.event.by.clone(),
        reason: request.reason.clone(),
    };
    open(draft, wanted);
    Ok(())
}

/// What would go back, in the currency of the trade, if nothing speaks against it.
fn admitted(
    draft: &Draft<'_>,
    request: &RefundRequest,
    trade_no: Option<&str>,
) -> Result<Money, Refusal> {
    match draft.column {
        Column::Unpaid
        | Column::Processing
        | Column::Pending
        | Column::Unknown
        | Column::ManualOpen
        | Column::ManualHeld => return Err(Refusal::NotRefundable),
        Column::Paid | Column::Ended => {}
    }
    let order = draft.before;
    let Some(trade_no) = trade_no.filter(|_| !order.payments.is_empty()) else {
        return Err(Refusal::NotRefundable);
    };
    let payment = order.payment(trade_no).ok_or(Refusal::UnknownTrade)?;
    let left = left(order, trade_no).ok_or(Refusal::UnknownTrade)?;
    if !(1..=left).contains(&request.amount) {
        return Err(Refusal::RefundExceedsOrder);
    }
    Ok(Money::new(request.amount, payment.money.currency))
}

/// Whether a second person has confirmed the refund; else it stands as a proposal and has no row.
fn confirmed(draft: &mut Draft<'_>, request: &RefundRequest) -> Result<bool, Refusal> {
    let order = draft.before;
    let now = draft.context.now.wall;
    let standing = order.refund_proposal.as_ref().filter(|proposal| {
        proposal.version == order.version
            && now < proposal.expires_at()
            && proposal.refund_no == request.refund_no
            && proposal.amount == request.amount
            && proposal.trade_no == request.trade_no
    });
    match standing {
        Some(proposal) if proposal.by == request.key_name => Err(Refusal::SecondPersonRequired),
        Some(_) => Ok(true),
        None => {
            draft.event.detail.summary = format!("refund {} proposed", request.refund_no);
            draft.next.refund_proposal = Some(RefundProposal {
                refund_no: request.refund_no.clone(),
                amount: request.amount,
                trade_no: request.trade_no.clone(),
                by: request.key_name.clone(),
                at: now,
                version: order.version,
            });
            Ok(false)
        }
    }
}
