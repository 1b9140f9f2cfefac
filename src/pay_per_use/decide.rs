//! What is released for what was paid.

use super::offer::OfferKey;
use crate::channels::pay_per_use::PaidUse;
use crate::domain::Money;
use crate::store::metered::Trade;

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

/// Why nothing is released for what the channel says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misfit {
    /// It does not say what was paid for: it may well be this.
    Unclear(&'static str),
    /// Another resource, where it can be used.
    Elsewhere,
    /// So much, and for nothing that was offered here: it is the payer's, and a person must know of it.
    Unmatched(Money, &'static str),
}

/// The decision: what was paid for this use, or why it was not.
pub(super) fn judge(asked: Asked<'_>, paid: &PaidUse, key: &OfferKey) -> Result<Money, Misfit> {
    says_all(asked.trade_no, paid, asked.live).map_err(Misfit::Unclear)?;
    if paid
        .resource_id
        .as_ref()
        .is_some_and(|it| it != asked.resource)
    {
        return Err(Misfit::Elsewhere);
    }
    let money = paid.money.unwrap_or(asked.price);
    match &paid.out_trade_no {
        // The number says what was offered: a price that has changed since then does not count.
        Some(number) if key.is_of(number, money, asked.resource) => Ok(money),
        Some(_) => Err(Misfit::Unmatched(money, "it is not what was offered")),
        None if money == asked.price => Ok(money),
        None => Err(Misfit::Unmatched(money, "it is another amount")),
    }
}

/// Whether another proof of a trade that is on record says the same as its first one did.
pub(super) fn agrees(trade: &Trade, paid: &PaidUse, live: bool) -> Result<(), &'static str> {
    says_all(&trade.key.trade_no, paid, live)?;
    let same_number = paid.out_trade_no.is_none() || paid.out_trade_no == trade.out_trade_no;
    let same_money = paid.money.is_none() || paid.money == trade.money;
    let resource = paid.resource_id.as_ref();
    if same_number && same_money && resource.is_none_or(|it| *it == trade.resource_id) {
        Ok(())
    } else {
        Err("the channel says other than it did before")
    }
}

/// Whether the channel has answered about this trade, and left nothing out.
fn says_all(trade_no: &str, paid: &PaidUse, live: bool) -> Result<(), &'static str> {
    if paid.trade_no != trade_no {
        return Err("the channel answered about another trade");
    }
    let holed = paid.out_trade_no.is_none() || paid.money.is_none() || paid.resource_id.is_none();
    if live && holed {
        return Err("the channel does not say what was paid for");
    }
    Ok(())
}
