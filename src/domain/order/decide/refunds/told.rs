//! What the channel tells of a refund by itself: of one of ours, or of one that began there.

use super::super::super::decision::{AlertKind, Severity};
use super::super::super::input::Source;
use super::super::super::refund::{Refund, RefundAnswer, RefundNews, RefundStatus};
use super::super::super::status::EventKind;
use super::super::Column;
use super::super::draft::Draft;
use super::super::money::{ask_of_charge, count_callback};
use super::book::{gone_back, number_of_theirs};
use super::external::{Returned, returned};
use super::heard::Way;
use super::replies::hear;
use crate::domain::Money;

/// News of a refund: one of ours by its number, or another.
pub(in super::super) fn told(draft: &mut Draft<'_>, source: &Source, news: &RefundNews) {
    count_callback(draft, source);
    if matches!(source, Source::Callback { repeat: true, .. }) {
        return;
    }
    let kept_as = number_of_theirs(&news.refund_no);
    let Some(refund) = draft.before.refund(&kept_as) else {
        return told_of_theirs(draft, news, &kept_as);
    };
    let named = named_trade(news);
    if news.cumulative && named.is_none_or(|trade_no| *trade_no == refund.trade_no) {
        told_sum(draft, news, refund);
    } else {
        hear(draft, refund, &with_trade(news), Way::Notice);
    }
}

/// The trade that the news are about, where they name one.
fn named_trade(news: &RefundNews) -> Option<&String> {
    let said = news.answer.statement();
    let said = said.and_then(|said| said.trade_no.as_ref());
    news.trade_no.as_ref().or(said)
}

/// What is said, with the trade that the news name.
fn with_trade(news: &RefundNews) -> RefundAnswer {
    let mut answer = news.answer.clone();
    if let RefundAnswer::Succeeded(said)
    | RefundAnswer::Pending(said)
    | RefundAnswer::Failed(said) = &mut answer
    {
        said.trade_no = named_trade(news).cloned();
    }
    answer
}

/// The news bear the number of a refund on record, and the sum of all refunds of its trade.
fn told_sum(draft: &mut Draft<'_>, news: &RefundNews, refund: &Refund) {
    let said = news.answer.statement().and_then(|said| said.amount);
    let (RefundAnswer::Succeeded(statement), Some(sum)) = (&news.answer, said) else {
        let alone = without_amount(&news.answer);
        return hear(draft, refund, &alone, Way::Notice);
    };
    let before = gone_back(draft.before, &refund.trade_no);
    if refund.status == RefundStatus::Succeeded {
        return returned(draft, news_of(news, refund, sum.saturating_sub(before)));
    }
    // This one's share of the sum is what the others do not explain; more than its own amount is another refund.
    let share = sum.saturating_sub(before);
    let amount = share.min(refund.money.amount);
    let mut alone = statement.clone();
    alone.amount = Some(amount);
    hear(draft, refund, &RefundAnswer::Succeeded(alone), Way::Notice);
    if refund.status == RefundStatus::Failed {
        // It is asked about, and until then nobody knows what of the sum is its own.
        return;
    }
    let rest = sum.saturating_sub(gone_back(&draft.next, &refund.trade_no));
    if amount == refund.money.amount && rest > 0 {
        let summary = "the sum tells of more than this one".to_owned();
        let line = draft.refund_line(EventKind::Callback, refund, summary);
        draft.next_line(line);
        returned(draft, news_of(news, refund, rest));
    }
}

fn news_of<'a>(news: &'a RefundNews, refund: &'a Refund, amount: i64) -> Returned<'a> {
    Returned {
        theirs: &news.refund_no,
        kept_as: refund.refund_no.clone(),
        trade_no: &refund.trade_no,
        amount,
        another: false,
    }
}

fn without_amount(answer: &RefundAnswer) -> RefundAnswer {
    let mut alone = answer.clone();
    if let RefundAnswer::Succeeded(said)
    | RefundAnswer::Pending(said)
    | RefundAnswer::Failed(said) = &mut alone
    {
        said.amount = None;
    }
    alone
}

/// News under a number that is not on record.
fn told_of_theirs(draft: &mut Draft<'_>, news: &RefundNews, kept_as: &str) {
    let said = match &news.answer {
        RefundAnswer::Succeeded(said) => said,
        RefundAnswer::Repeatable { summary } => return tell_of_stuck_refund(draft, news, summary),
        RefundAnswer::Pending(_)
        | RefundAnswer::Failed(_)
        | RefundAnswer::Conflict { .. }
        | RefundAnswer::NotFound
        | RefundAnswer::Throttled { .. }
        | RefundAnswer::NotSent { .. }
        // Nothing has moved, as far as is said.
        | RefundAnswer::Unknown(_) => return draft.note(),
    };
    match draft.column {
        Column::Unpaid
        | Column::Processing
        | Column::Pending
        | Column::Unknown
        | Column::ManualOpen => {
            // The charge's answer does not say what went back of it: once it is paid, nobody would know.
            tell_of_refund_without_payment(draft, news);
            return ask_of_charge(draft);
        }
        Column::ManualHeld => {
            tell_of_refund_without_payment(draft, news);
            return draft.note();
        }
        Column::Paid => {}
        Column::Ended => {
            tell_of_refund_without_payment(draft, news);
            draft.ask();
        }
    }
    let named = named_trade(news).map(String::as_str);
    let own = draft.before.own_payment();
    let trade_no = named.or(own.map(|payment| payment.trade_no.as_str()));
    let Some(trade_no) = trade_no else {
        return draft.note();
    };
    let before = gone_back(draft.before, trade_no);
    let Some(amount) = said.amount else {
        return tell_of_unknown_amount(draft, news);
    };
    let amount = if news.cumulative {
        amount.saturating_sub(before)
    } else {
        amount
    };
    if amount <= 0 && !news.cumulative {
        return draft.note();
    }
    if draft.column == Column::Ended && draft.before.payment(trade_no).is_none() {
        // The query tells whether there was a payment at all.
        return;
    }
    let external = Returned {
        theirs: &news.refund_no,
        kept_as: kept_as.to_owned(),
        trade_no,
        amount,
        another: news.ours_by_our_number && !news.cumulative,
    };
    returned(draft, external);
}

/// Money went back that, as far as we know, never came, or has not come yet. No row can stand for it before its
/// payment does, so that a person must see to it.
fn tell_of_refund_without_payment(draft: &mut Draft<'_>, news: &RefundNews) {
    let said = news.answer.statement().and_then(|said| said.amount);
    let currency = draft.before.money.currency;
    let of = said.map(|amount| format!(" ({})", Money::new(amount, currency)));
    let message = format!(
        "The channel reports refund {}{} of order {}, which is {}.",
        news.refund_no,
        of.unwrap_or_default(),
        draft.before.order_no,
        draft.before.status
    );
    draft.alert(
        AlertKind::ExternalRefund,
        Severity::Action,
        &news.refund_no,
        message,
    );
}

/// It may have left the merchant, and has not reached the payer. Who began it at the channel must finish it there; once
/// it has gone back, that is told as of any other refund.
fn tell_of_stuck_refund(draft: &mut Draft<'_>, news: &RefundNews, summary: &str) {
    let message = format!(
        "The channel reports that refund {} of order {}, which is {}, does not come to its end: {summary}.",
        news.refund_no, draft.before.order_no, draft.before.status
    );
    let episode = format!("{}:stuck", news.refund_no);
    draft.alert(
        AlertKind::ExternalRefund,
        Severity::Action,
        &episode,
        message,
    );
    match draft.column {
        Column::Unpaid
        | Column::Processing
        | Column::Pending
        | Column::Unknown
        | Column::ManualOpen
        | Column::Ended => ask_of_charge(draft),
        Column::ManualHeld | Column::Paid => draft.note(),
    }
}

fn tell_of_unknown_amount(draft: &mut Draft<'_>, news: &RefundNews) {
    draft.note();
    let message = format!(
        "The channel reports refund {} of order {} and does not say of how much.",
        news.refund_no, draft.before.order_no
    );
    let number = number_of_theirs(&news.refund_no);
    draft.alert_of_refund(AlertKind::RefundConflict, &number, message);
}
