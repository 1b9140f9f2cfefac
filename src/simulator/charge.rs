//! The processor's own books of one order: what it has taken, and what it has given back.

use super::clocks::Moment;

/// Where a charge stands at the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Standing {
    /// It has never heard of it.
    #[default]
    None,
    /// The payer must act.
    Open,
    /// It thinks about it.
    Deliberating,
    Paid,
    Declined,
    Closed,
}

#[derive(Debug)]
pub(super) struct Trade {
    pub(super) no: String,
    pub(super) amount: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Return {
    Pending,
    Done,
    Failed,
}

/// A refund in the processor's books.
#[derive(Debug)]
pub(super) struct GivenBack {
    pub(super) no: String,
    pub(super) trade_no: String,
    pub(super) amount: i64,
    pub(super) stands: Return,
    /// It was done once, even if it came back since.
    pub(super) was_done: bool,
    pub(super) visible_from: Moment,
}

#[derive(Debug, Default)]
pub(super) struct Charge {
    pub(super) stands: Standing,
    pub(super) visible_from: Moment,
    /// It was refused or closed, whatever became of it since: who heard of that was told the truth.
    pub(super) was_refused: bool,
    /// When it was not found once, though it was there.
    pub(super) flickered_at: Option<Moment>,
    /// When the first submit of it arrived.
    pub(super) first_at: Option<Moment>,
    pub(super) trades: Vec<Trade>,
    pub(super) refunds: Vec<GivenBack>,
    /// Submits that are on their way.
    pub(super) under_way: u32,
    /// Notices that were sent.
    pub(super) told: u32,
}

impl Charge {
    pub(super) fn trade(&self, trade_no: &str) -> Option<&Trade> {
        self.trades.iter().find(|trade| trade.no == trade_no)
    }

    pub(super) fn refund(&self, refund_no: &str) -> Option<&GivenBack> {
        self.refunds.iter().find(|refund| refund.no == refund_no)
    }

    pub(super) fn refund_mut(&mut self, refund_no: &str) -> Option<&mut GivenBack> {
        let mut refunds = self.refunds.iter_mut();
        refunds.find(|refund| refund.no == refund_no)
    }

    /// What has gone back of this trade.
    pub(super) fn gone(&self, trade_no: &str) -> i64 {
        self.sum(trade_no, |refund| refund.stands == Return::Done)
    }

    /// What may still go back of this trade.
    pub(super) fn left(&self, trade_no: &str) -> i64 {
        let paid = self.trade(trade_no).map_or(0, |trade| trade.amount);
        let spoken_for = self.sum(trade_no, |refund| refund.stands != Return::Failed);
        paid.saturating_sub(spoken_for)
    }

    fn sum(&self, trade_no: &str, counts: impl Fn(&GivenBack) -> bool) -> i64 {
        let of_trade = self
            .refunds
            .iter()
            .filter(|refund| refund.trade_no == trade_no);
        of_trade
            .filter(|refund| counts(refund))
            .fold(0, |sum, refund| sum.saturating_add(refund.amount))
    }
}
