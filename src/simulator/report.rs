//! What has happened in a story, counted.

use super::mishap::Mishap;
use crate::domain::order::OrderStatus;
use std::collections::BTreeMap;

/// The counts of one story.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Orders, those that were placed anew among them.
    pub orders: u64,
    /// Orders that their users gave up while the process was down: they never had a row.
    pub unborn: u64,
    /// How long it lasted, in milliseconds of its own time.
    pub lasted_ms: i64,
    /// Things that happened.
    pub events: u64,
    /// Decisions that were made; each was held against every rule.
    pub decisions: u64,
    pub commits: u64,
    /// Writes that the database refused, after which it was decided again.
    pub conflicts: u64,
    pub crashes: u64,
    pub alerts: u64,
    /// Mails that were taken.
    pub mails: u64,
    /// Webhooks that were taken.
    pub delivered: u64,
    /// Debits and holds.
    pub movements: u64,
    /// Where the orders stand in the end.
    pub ended: BTreeMap<OrderStatus, u64>,
    /// What went wrong, and how often; what never did is left out.
    pub mishaps: Vec<(Mishap, u64)>,
}

impl Report {
    pub(super) fn ended_as(&mut self, status: OrderStatus) {
        let count = self.ended.entry(status).or_default();
        *count = count.saturating_add(1);
    }
}
