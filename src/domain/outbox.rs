//! The outbox: where its rows stand, and when what did not succeed is tried again.

use super::UnixMillis;
use super::words::words;

words!(
    /// Where a webhook to the merchant stands.
    DeliveryStatus {
        Pending = "PENDING",
        Delivered = "DELIVERED",
        /// Tried for a day; a person may have it sent again.
        Failed = "FAILED",
        /// The endpoint has answered that it is gone.
        Ended = "ENDED",
    }
);

const HOUR_MS: i64 = 3_600_000;
/// How long after its first attempt a webhook is still tried.
const DELIVERY_LIFE_MS: i64 = 24 * HOUR_MS;
/// What a receiver may ask for with `Retry-After`: a minute too long costs an hour at most, a year would cost the news.
const RETRY_AFTER_MOST_MS: i64 = DELIVERY_LIFE_MS;
/// A receiver that says 0 is not called in a loop.
const RETRY_AFTER_LEAST_MS: i64 = 1_000;

/// What moves a delay by up to a tenth either way, in thousandths of it: what failed together comes back apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jitter(i64);

impl Jitter {
    /// No more than a tenth either way, whatever `random` is.
    #[must_use]
    pub fn from_random(random: u32) -> Self {
        Self(i64::from(random % 201).saturating_sub(100))
    }

    const fn of(self, delay_ms: i64) -> i64 {
        delay_ms.saturating_add(delay_ms.saturating_mul(self.0) / 1_000)
    }
}

/// An attempt to deliver a webhook that was not taken.
#[derive(Debug, Clone, Copy)]
pub struct Missed {
    /// Attempts since the first one, this one among them.
    pub attempts: i64,
    pub first_attempt_at: UnixMillis,
    pub now: UnixMillis,
    /// What the receiver has asked for, in milliseconds.
    pub retry_after_ms: Option<i64>,
}

impl Missed {
    /// When it is sent again: by the schedule, then hourly until a day after the first attempt. `None`: given up.
    #[must_use]
    pub fn next(self, schedule_ms: &[i64], jitter: Jitter) -> Option<UnixMillis> {
        let rung = rung(self.attempts, schedule_ms);
        let ends_at = self.first_attempt_at.plus(DELIVERY_LIFE_MS);
        let by_schedule = jitter.of(rung.unwrap_or(HOUR_MS));
        let Some(asked_ms) = self.retry_after_ms else {
            let at = self.now.plus(by_schedule);
            return (rung.is_some() || at <= ends_at).then_some(at);
        };
        let asked_ms = asked_ms.clamp(RETRY_AFTER_LEAST_MS, RETRY_AFTER_MOST_MS);
        // Past the schedule an impatient receiver is called hourly like any other.
        let wait_ms = if rung.is_some() {
            asked_ms
        } else {
            asked_ms.max(by_schedule)
        };
        // One that asks for more than is left gets a last attempt at the end of the day.
        (self.now < ends_at).then(|| self.now.plus(wait_ms).min(ends_at.max(self.now)))
    }
}

/// When a grant that could not be made is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextGrant {
    pub at: UnixMillis,
    /// The schedule is used up: a person must know, and it is tried hourly from now on.
    pub is_overdue: bool,
}

/// After attempt `attempts` (from 1) to grant has failed.
#[must_use]
pub fn next_grant(
    attempts: i64,
    schedule_ms: &[i64],
    jitter: Jitter,
    now: UnixMillis,
) -> NextGrant {
    let rung = rung(attempts, schedule_ms);
    NextGrant {
        at: now.plus(jitter.of(rung.unwrap_or(HOUR_MS))),
        is_overdue: rung.is_none(),
    }
}

/// After a mail was not taken: a server that restarts is back in half a minute, one that is broken is mended within the
/// hour.
const MAIL_DELAYS_MS: [i64; 4] = [30_000, 120_000, 600_000, HOUR_MS];

/// The delay after attempt `n` (from 1) to hand a mail over, in milliseconds: without end, at last hourly.
#[must_use]
pub fn mail_delay_ms(n: i64) -> i64 {
    rung(n, &MAIL_DELAYS_MS).unwrap_or(HOUR_MS)
}

/// The delay after attempt `attempts`, while the schedule lasts.
fn rung(attempts: i64, schedule_ms: &[i64]) -> Option<i64> {
    let place = usize::try_from(attempts.saturating_sub(1)).ok()?;
    schedule_ms.get(place).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEDULE: [i64; 5] = [5_000, 60_000, 300_000, 900_000, 3_600_000];
    const STILL: Jitter = Jitter(0);

    fn missed(attempts: i64, after_ms: i64, retry_after_ms: Option<i64>) -> Option<i64> {
        let first_attempt_at = UnixMillis(1_000_000);
        let now = first_attempt_at.plus(after_ms);
        let missed = Missed {
            attempts,
            first_attempt_at,
            now,
            retry_after_ms,
        };
        missed.next(&SCHEDULE, STILL).map(|at| at.since(now))
    }

    #[test]
    fn a_webhook_goes_by_the_schedule_then_hourly_and_is_given_up_after_a_day() {
        let mut after_ms = 0;
        let mut delays = Vec::new();
        for attempt in 1.. {
            let Some(delay) = missed(attempt, after_ms, None) else {
                break;
            };
            delays.push(delay);
            after_ms += delay;
        }
        assert_eq!(
            delays.get(..6),
            Some([5_000, 60_000, 300_000, 900_000, HOUR_MS, HOUR_MS].as_slice())
        );
        assert!(delays.iter().skip(5).all(|delay| *delay == HOUR_MS));
        assert!(
            after_ms <= DELIVERY_LIFE_MS && after_ms > DELIVERY_LIFE_MS - HOUR_MS,
            "{after_ms}"
        );
    }

    #[test]
    fn a_receiver_says_when_to_come_back_within_a_day_and_not_at_once() {
        assert_eq!(missed(1, 0, Some(2_000)), Some(2_000));
        assert_eq!(missed(5, 0, Some(120_000)), Some(120_000));
        assert_eq!(missed(1, 0, Some(0)), Some(1_000));
        assert_eq!(
            missed(1, 0, Some(400 * DELIVERY_LIFE_MS)),
            Some(DELIVERY_LIFE_MS)
        );
        assert_eq!(
            missed(3, HOUR_MS, Some(DELIVERY_LIFE_MS)),
            Some(23 * HOUR_MS)
        );
        assert_eq!(
            missed(9, 3 * HOUR_MS, Some(1_000)),
            Some(HOUR_MS),
            "no flood"
        );
        assert_eq!(missed(4, DELIVERY_LIFE_MS, Some(5_000)), None);
    }

    #[test]
    fn a_schedule_that_is_longer_than_a_day_is_followed_to_its_end() {
        let missed = Missed {
            attempts: 1,
            first_attempt_at: UnixMillis(0),
            now: UnixMillis(0),
            retry_after_ms: None,
        };
        let long = [3 * DELIVERY_LIFE_MS];
        assert_eq!(
            missed.next(&long, STILL),
            Some(UnixMillis(3 * DELIVERY_LIFE_MS))
        );
    }

    #[test]
    fn what_failed_together_comes_back_apart_by_a_tenth_at_most() {
        let delays: std::collections::BTreeSet<_> = (0..1_000)
            .map(|random| Jitter::from_random(random).of(60_000))
            .collect();
        assert_eq!(delays.first(), Some(&54_000));
        assert_eq!(delays.last(), Some(&66_000));
        assert!(delays.len() > 100);
    }

    #[test]
    fn a_grant_goes_by_the_schedule_and_is_then_overdue_and_tried_hourly_without_end() {
        let at = |attempts| next_grant(attempts, &SCHEDULE, STILL, UnixMillis(0));
        assert_eq!((at(1).at, at(1).is_overdue), (UnixMillis(5_000), false));
        assert_eq!((at(5).at, at(5).is_overdue), (UnixMillis(HOUR_MS), false));
        assert_eq!((at(6).at, at(6).is_overdue), (UnixMillis(HOUR_MS), true));
        assert_eq!(
            (at(900).at, at(900).is_overdue),
            (UnixMillis(HOUR_MS), true)
        );
    }
}
