//! When the channel is asked next: ladders of delays, and the rules that a channel's contract adds.

use super::order::Fingerprint;
use super::{Currency, Money};
use std::collections::BTreeMap;

/// What a channel can do, as its contract says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// A repeated submit under the same key can never charge twice.
    pub one_charge_per_key: bool,
    /// A submit may be sent again at all.
    pub resubmits: bool,
    /// A repeated submit returns the same object to be paid, which a query does not tell: what a lost reply would have
    /// shown the payer can be had again.
    pub repeats_action: bool,
    /// How long the channel remembers a key, from the first submit; `None` is for ever.
    pub key_life_ms: Option<i64>,
    /// Orders can be closed at the channel.
    pub closes: bool,
    /// Payments can be refunded through the channel.
    pub refunds: bool,
    /// The channel expires an unpaid order by itself at `expires_at`.
    pub own_expiry: bool,
    /// *Processing* is a regular, long phase of its contract (a bank debit), not a doubt.
    pub asynchronous: bool,
    /// How long *processing* may last by its contract, from the first submit.
    pub settles_within_ms: i64,
}

/// What happens with money that arrives after `FAILED` or `CLOSED`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LateSuccess {
    Manual,
    Fulfil,
    Refund,
}

/// What becomes of what a payer got when the money is given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnRefund {
    /// Taken back when the refund succeeds, below zero if need be.
    Debt,
    /// As `Debt`, and held back from the refund's request on.
    Hold,
    /// The payer keeps it.
    Keep,
}

/// Everything configured that a decision about an order of one channel reads. Durations are milliseconds.
#[derive(Debug, Clone)]
pub struct Rules {
    pub capabilities: Capabilities,
    /// The account that calls would be made under now; `None` when the channel is not configured any more.
    pub fingerprint: Option<Fingerprint>,
    pub late_success: LateSuccess,
    pub on_refund: OnRefund,
    pub ui_deadline_ms: i64,
    pub submit_timeout_ms: i64,
    pub query_timeout_ms: i64,
    /// How long the call of a submit may stay open before it ends as *unknown*.
    pub read_timeout_ms: i64,
    pub schedule_ms: Vec<i64>,
    pub pending_schedule_ms: Vec<i64>,
    pub expiry_attempts: u32,
    pub expiry_margin_ms: i64,
    pub startup_grace_ms: i64,
    pub not_found_grace_ms: i64,
    pub max_submits: u32,
    /// Reviews and operators' refunds of more than this want a second person.
    pub second_person_above: BTreeMap<Currency, i64>,
}

/// Between attempts to close an expired order: 1, 5 and 15 minutes, then an hour.
const EXPIRY_DELAYS_MS: [i64; 4] = [60_000, 300_000, 900_000, 3_600_000];
const HOUR_MS: i64 = 3_600_000;

impl Rules {
    /// The delay before check `n` (from 1) of an order in `UNKNOWN`, if the ladder has that rung.
    #[must_use]
    pub fn check_delay_ms(&self, n: u32) -> Option<i64> {
        rung(&self.schedule_ms, n)
    }

    /// Whether `count` checks have used up the ladder.
    #[must_use]
    pub fn ladder_used_up(&self, count: u32) -> bool {
        self.check_delay_ms(count.saturating_add(1)).is_none()
    }

    /// The delay before check `n` (from 1) of an order in `PENDING`: the schedule, then hourly.
    #[must_use]
    pub fn pending_delay_ms(&self, n: u32) -> i64 {
        rung(&self.pending_schedule_ms, n).unwrap_or(HOUR_MS)
    }

    /// The delay after attempt `n` (from 1) to close an expired order.
    #[must_use]
    pub fn expiry_delay_ms(&self, n: u32) -> i64 {
        rung(&EXPIRY_DELAYS_MS, n).unwrap_or(HOUR_MS)
    }

    /// Whether a review about this much money wants a second person.
    #[must_use]
    pub fn wants_second_person(&self, money: Money) -> bool {
        self.second_person_above
            .get(&money.currency)
            .is_some_and(|limit| money.amount > *limit)
    }
}

fn rung(delays: &[i64], n: u32) -> Option<i64> {
    delays
        .get(usize::try_from(n).ok()?.checked_sub(1)?)
        .copied()
}
