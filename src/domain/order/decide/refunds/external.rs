//! Money that went back and that we did not ask to go.

use super::super::super::decision::{AlertKind, Severity};
use super::super::super::refund::RefundSource;
use super::super::Column;
use super::super::draft::Draft;
use super::book::{free_number, left, open_one};
use super::sends::{Wanted, ask, record};
use crate::domain::Money;

/// What the channel says to have given back.
pub(super) struct Returned<'a> {
    /// The number that the channel tells it by.
    pub(super) theirs: &'a str,
    /// The number under which it is kept, where that is free.
    pub(super) kept_as: String,
    pub(super) trade_no: &'a str,
    /// Beyond what is on record.
    pub(super) amount: i64,
    /// It is none of ours, whatever is open.
    pub(super) another: bool,
}

/// A refund that is not on record: kept, within what was paid, unless one of ours that is open may explain it. That one
/// is asked about then, and the report is told in any case: nobody can say yet that it will be explained.
pub(super) fn returned(draft: &mut Draft<'_>, external: Returned<'_>) {
    if external.amount <= 0 {
        // It is on record.
        return;
    }
    draft.note();
    let left = left(&draft.next, external.trade_no);
    let exceeds = left.is_none_or(|left| external.amount > left);
    if let Some(open) = open_one(&draft.next, external.trade_no).cloned()
        && (exceeds || !external.another)
    {
        if external.another {
            // There is no room for both, and the one that we sent may still fail.
            tell_of_excess(draft, &external);
        } else {
            tell(draft, &external);
        }
        return ask(draft, &open.refund_no);
    }
    if exceeds {
        return tell_of_excess(draft, &external);
    }
    keep(draft, &external);
    tell(draft, &external);
}

/// The row of it; the order, the ledger and the merchant follow.
pub(super) fn keep(draft: &mut Draft<'_>, external: &Returned<'_>) {
    let money = money_of(draft, external);
    let refund_no = free_number(&draft.next, &external.kept_as);
    let wanted = Wanted {
        refund_no: refund_no.clone(),
        trade_no: external.trade_no.to_owned(),
        money,
        source: RefundSource::Channel,
        by: format!("channel:{}", draft.before.fingerprint.channel),
        reason: None,
    };
    record(draft, wanted);
    draft.change_refund(&refund_no, |refund| {
        refund.channel_refund_no = Some(external.theirs.to_owned());
    });
    draft.refund_succeeds(&refund_no);
    if let Some(kept) = draft.next.refund(&refund_no).cloned() {
        draft.name_refund(&kept);
    }
}

/// In the currency of its trade.
fn money_of(draft: &Draft<'_>, external: &Returned<'_>) -> Money {
    let payment = draft.next.payment(external.trade_no);
    let paid = payment.map_or(draft.next.money, |payment| payment.money);
    Money::new(external.amount, paid.currency)
}

fn tell(draft: &mut Draft<'_>, external: &Returned<'_>) {
    if draft.column == Column::Ended {
        // Told already, as something that a person must act on.
        return;
    }
    let message = format!(
        "The channel reports a refund of order {} that we did not ask for: {} of trade {}, under {}.",
        draft.before.order_no,
        money_of(draft, external),
        external.trade_no,
        external.theirs
    );
    draft.alert(
        AlertKind::ExternalRefund,
        Severity::Info,
        external.theirs,
        message,
    );
}

/// The cap holds in our books; a person looks.
fn tell_of_excess(draft: &mut Draft<'_>, external: &Returned<'_>) {
    let message = format!(
        "The channel reports that {} more went back of trade {} of order {} (under {}); that is more than is left of what was paid.",
        money_of(draft, external),
        external.trade_no,
        draft.before.order_no,
        external.theirs
    );
    draft.alert_of_refund(AlertKind::RefundConflict, &external.kept_as, message);
}
