//! The sums of refunds by trade, and the numbers of refunds that nobody named.

use super::super::super::Order;
use super::super::super::refund::{Refund, RefundStatus};
use super::super::super::statement::Proof;
use super::super::super::status::Reason;
use sha2::{Digest, Sha256};

/// The longest number of a refund.
const NUMBER_MAX: usize = 64;

/// What all refunds of this trade that have not failed add up to.
pub(super) fn spoken_for(order: &Order, trade_no: &str) -> i64 {
    sum(order, trade_no, |refund| {
        refund.status != RefundStatus::Failed
    })
}

/// What has gone back of this trade.
pub(super) fn gone_back(order: &Order, trade_no: &str) -> i64 {
    sum(order, trade_no, |refund| {
        refund.status == RefundStatus::Succeeded
    })
}

/// What may still be refunded of this trade; `None` if it is not on record.
pub(super) fn left(order: &Order, trade_no: &str) -> Option<i64> {
    let paid = order.payment(trade_no)?.money.amount;
    Some(paid.saturating_sub(spoken_for(order, trade_no)))
}

fn sum(order: &Order, trade_no: &str, counts: impl Fn(&Refund) -> bool) -> i64 {
    order
        .refunds
        .iter()
        .filter(|refund| refund.trade_no == trade_no && counts(refund))
        .fold(0, |sum, refund| sum.saturating_add(refund.money.amount))
}

/// A refund of this trade that is neither done nor failed.
pub(super) fn open_one<'a>(order: &'a Order, trade_no: &str) -> Option<&'a Refund> {
    order
        .refunds
        .iter()
        .find(|refund| refund.trade_no == trade_no && refund.status.is_open())
}

/// Why proof that agrees with the order cannot stand for a trade that was kept with other money: of that money, more or
/// another currency has gone back already. The refunds of a trade never exceed what it paid.
pub(in super::super) fn belied_by_refunds(order: &Order, proof: &Proof) -> Option<Reason> {
    order
        .payment(&proof.trade_no)
        .filter(|kept| !kept.own && kept.money != proof.money)?;
    let mut refunds = order.refunds.iter();
    let of_trade = |refund: &Refund| refund.trade_no == proof.trade_no;
    if refunds.any(|it| of_trade(it) && it.money.currency != proof.money.currency) {
        return Some(Reason::CurrencyMismatch);
    }
    let exceeds = spoken_for(order, &proof.trade_no) > proof.money.amount;
    exceeds.then_some(Reason::AmountMismatch)
}

/// The number of a refund that is named after something of the channel's: the prefix and its name, or, where that
/// does not fit, the prefix and 32 hex digits of the name's SHA-256.
pub(super) fn number_after(prefix: &str, name: &str) -> String {
    let plain = format!("{prefix}{name}");
    if is_number(&plain) {
        return plain;
    }
    let digest = Sha256::digest(name.as_bytes());
    let digits = digest.iter().take(16).map(|byte| format!("{byte:02x}"));
    format!("{prefix}{}", digits.collect::<String>())
}

/// The number under which we keep a refund that the channel numbered.
pub(super) fn number_of_theirs(theirs: &str) -> String {
    if is_number(theirs) {
        theirs.to_owned()
    } else {
        number_after("external-", theirs)
    }
}

/// This number, or the first free one after it: `R1`, `R1.2`, `R1.3`.
pub(super) fn free_number(order: &Order, wanted: &str) -> String {
    if order.refund(wanted).is_none() {
        return wanted.to_owned();
    }
    (2..=order.refunds.len().saturating_add(2))
        .map(|n| number_after("", &format!("{wanted}.{n}")))
        .find(|number| order.refund(number).is_none())
        .unwrap_or_else(|| wanted.to_owned())
}

fn is_number(text: &str) -> bool {
    let allowed =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@');
    // In an address these are steps, and no numbers.
    let step = matches!(text, "." | "..");
    (1..=NUMBER_MAX).contains(&text.len()) && text.bytes().all(allowed) && !step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_does_not_fit_is_the_hash_of_what_it_is_named_after() {
        assert_eq!(number_after("late-", "T1"), "late-T1");
        let long = "9".repeat(60);
        let hashed = number_after("late-", &long);
        assert_eq!(hashed.len(), "late-".len() + 32);
        assert_eq!(
            number_after("late-", "T 1"),
            "late-75e8b39ac17b4c56a28650d903e421a0"
        );
        assert_ne!(hashed, number_after("late-", &"8".repeat(60)));
        assert!(number_of_theirs("..").starts_with("external-"));
        assert_eq!(number_of_theirs("re.1"), "re.1");
    }
}
