//! The vault's books: what it has charged and given back, by order. They are the truth that oncepay is held against.

use std::collections::BTreeMap;

/// Where a charge stands at the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChargeState {
    /// It waits for its payer.
    Open,
    Paid,
    Declined,
    Closed,
}

/// Where a refund stands at the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefundState {
    Pending,
    Done,
    Failed,
}

/// Money that went back, or should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GivenBack {
    pub(crate) trade_no: String,
    pub(crate) amount: i64,
    pub(crate) state: RefundState,
}

/// What the vault has under one order's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Charge {
    pub(crate) amount: i64,
    pub(crate) state: ChargeState,
    /// The amounts that were paid, by trade.
    pub(crate) trades: BTreeMap<String, i64>,
    /// The trade that paid the charge.
    pub(crate) own: Option<String>,
    pub(crate) refunds: BTreeMap<String, GivenBack>,
}

impl Charge {
    pub(crate) const fn open(amount: i64) -> Self {
        Self {
            amount,
            state: ChargeState::Open,
            trades: BTreeMap::new(),
            own: None,
            refunds: BTreeMap::new(),
        }
    }

    /// Money comes in, under the next number of this order.
    pub(crate) fn receive(&mut self, order_no: &str) -> String {
        let trade_no = format!("T-{order_no}-{}", self.trades.len() + 1);
        self.trades.insert(trade_no.clone(), self.amount);
        if self.own.is_none() {
            self.own = Some(trade_no.clone());
            self.state = ChargeState::Paid;
        }
        trade_no
    }

    /// What has gone back of this trade.
    pub(crate) fn gone(&self, trade_no: &str) -> i64 {
        self.sum(trade_no, |state| state == RefundState::Done)
    }

    /// What may still go back of this trade.
    pub(crate) fn left(&self, trade_no: &str) -> i64 {
        let paid = self.trades.get(trade_no).copied().unwrap_or_default();
        paid - self.sum(trade_no, |state| state != RefundState::Failed)
    }

    fn sum(&self, trade_no: &str, counts: impl Fn(RefundState) -> bool) -> i64 {
        let of_trade = self.refunds.values();
        of_trade
            .filter(|refund| refund.trade_no == trade_no && counts(refund.state))
            .map(|refund| refund.amount)
            .sum()
    }
}

/// What the vault tells by itself, once or several times, early or late.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) order_no: String,
    pub(crate) says: Says,
    pub(crate) delivered: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Says {
    Charge {
        state: ChargeState,
        amount: i64,
        trade_no: Option<String>,
    },
    Refund {
        refund_no: String,
        refund: GivenBack,
    },
}
