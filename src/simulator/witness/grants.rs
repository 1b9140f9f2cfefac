//! What the payer gets.

use super::Change;
use crate::domain::order::Order;
use crate::simulator::memory::Account;
use crate::simulator::parts::Parts;
use crate::simulator::rule::Rule;
use crate::simulator::run::{Run, Step};

impl<P: Parts> Run<'_, P> {
    /// Nothing is granted but for an order that is paid.
    pub(super) fn examine_grants(&self, change: &Change<'_>) -> Step {
        let next = change.next();
        let granted = format!("order:{}", next.order_no);
        let mut postings = change.write.decision.postings.iter();
        let grants = postings.any(|posting| posting.source == granted && posting.quantity > 0);
        let entitled = next.status.is_paid() && !next.withheld;
        let what = || format!("granted while {}", next.status);
        self.holds(Rule::GrantPaid, change.no, !grants || entitled, what)
    }

    /// The ledger holds of this order what its row says.
    pub(super) fn examine_ledger(&self, no: u32) -> Step {
        let Some(order) = self.store.order(no) else {
            return Ok(());
        };
        let account = order
            .account
            .as_deref()
            .and_then(|name| self.store.accounts.get(name));
        let Some(account) = account else {
            return Ok(());
        };
        for kept in &order.entitlements {
            let should = if kept.granted {
                kept.quantity.saturating_sub(kept.revoked)
            } else {
                0
            };
            let has = of_order(account, order, &kept.kind);
            let what = || format!("{has} {} in the ledger, {should} by the row", kept.kind);
            self.holds(Rule::GrantTrue, no, has == should, what)?;
        }
        Ok(())
    }

    /// A balance is the sum of its entries, and no source has moved an account twice.
    pub(super) fn examine_account(&self, name: &str, account: &Account) -> Step {
        for (kind, (balance, _)) in &account.balances {
            let of_kind = account.entries.iter().filter(|entry| entry.kind == *kind);
            let sum: i64 = of_kind.map(|entry| entry.quantity).sum();
            let what = || {
                format!(
                    "account {name}: {} {kind}, entries of {sum}",
                    balance.balance
                )
            };
            self.holds(
                Rule::BalanceTrue,
                0,
                sum == balance.balance && balance.held >= 0,
                what,
            )?;
        }
        let mut sources: Vec<_> = account
            .entries
            .iter()
            .map(|entry| (&entry.source, &entry.kind))
            .collect();
        sources.sort_unstable();
        let twice = sources.windows(2).find(|pair| pair.first() == pair.last());
        let what = || format!("account {name}: {twice:?}");
        self.holds(Rule::GrantedOnce, 0, twice.is_none(), what)
    }
}

/// What an order has moved of this kind, grant and refunds together.
fn of_order(account: &Account, order: &Order, kind: &str) -> i64 {
    let granted = format!("order:{}", order.order_no);
    let taken = format!("refund:{}:", order.order_no);
    let entries = account.entries.iter();
    let of_order = entries.filter(|entry| {
        entry.kind == kind && (entry.source == granted || entry.source.starts_with(&taken))
    });
    of_order.map(|entry| entry.quantity).sum()
}
