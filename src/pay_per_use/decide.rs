//! What is released for what was paid.

use super::offer::OfferKey;
use crate::channels::pay_per_use::PaidUse;
use crate::domain::Money;

/// What is asked for, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) trade_no: &'a str,
    pub(super) resource: &'a str,
    /// What a use costs now.
    pub(super) price: Money,
    /// Real money is paid. The channel's sandbox may tell neither the offer nor the resource.
    pub(super) live: bool,
}

/// The decision, with what was paid; or why nothing is released, for the payer's program to read.
pub(super) fn judge(
    asked: Asked<'_>,
    paid: &PaidUse,
    key: &OfferKey,
) -> Result<Money, &'static str> {
    if paid.trade_no != asked.trade_no {
        return Err("the channel answered about another trade");
    }
    if asked.live
        && (paid.out_trade_no.is_none() || paid.money.is_none() || paid.resource_id.is_none())
    {
        return Err("the channel does not say what was paid for");
    }
    if paid
        .resource_id
        .as_ref()
        .is_some_and(|it| it != asked.resource)
    {
        return Err("it was paid for another resource");
    }
    let money = paid.money.unwrap_or(asked.price);
    match &paid.out_trade_no {
        // The number says what was offered: a price that has changed since then does not count.
        Some(number) if key.is_of(number, money, asked.resource) => Ok(money),
        Some(_) => Err("it is not what was offered"),
        None if money == asked.price => Ok(money),
        None => Err("it is another amount"),
    }
}
