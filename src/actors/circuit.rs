//! A channel's circuit: calls in a row that bring no answer open it, and new submits wait until it is worth a try.
//! Pure: moments are milliseconds of any one clock.

use crate::config::CircuitSettings;

/// How long a try may be out before it counts as lost: its order may never have come to send it.
const TRY_LOST_AFTER_MS: i64 = 300_000;
/// While a try is out, others may ask again after this.
const TRY_ENDS_WITHIN_MS: i64 = 1_000;

/// What one call says about the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// It answered, whatever it said.
    Answered,
    /// No answer, or none that counts.
    Silent,
    /// It was not asked, or asks us to slow down: neither up nor down.
    Neither,
}

/// A change that people are told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Opened,
    Closed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    Closed { silent: u32 },
    Open { until_ms: i64 },
    Trying(Option<Try>),
}

/// The one submit that goes through to see.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Try {
    call: String,
    since_ms: i64,
}

/// The circuit of one channel.
#[derive(Debug, Clone)]
pub(super) struct Circuit {
    settings: CircuitSettings,
    phase: Phase,
}

impl Circuit {
    pub(super) const fn new(settings: CircuitSettings) -> Self {
        Self {
            settings,
            phase: Phase::Closed { silent: 0 },
        }
    }

    /// Whether this submit or refund may go out now; else in how many milliseconds to ask again. After the pause one
    /// of them may, under its own name, and the same one as often as it asks.
    pub(super) fn admit(&mut self, now_ms: i64, call: &str) -> Result<(), i64> {
        if let Phase::Open { until_ms } = self.phase {
            if now_ms < until_ms {
                return Err(until_ms.saturating_sub(now_ms));
            }
            self.phase = Phase::Trying(None);
        }
        let Phase::Trying(out) = &mut self.phase else {
            return Ok(());
        };
        let other = out.as_ref().is_some_and(|out| {
            let lost = now_ms.saturating_sub(out.since_ms) >= TRY_LOST_AFTER_MS;
            out.call != call && !lost
        });
        if other {
            return Err(TRY_ENDS_WITHIN_MS);
        }
        let call = call.to_owned();
        *out = Some(Try {
            call,
            since_ms: now_ms,
        });
        Ok(())
    }

    /// What was admitted under this name is not sent after all.
    pub(super) fn withdraw(&mut self, call: &str) {
        if let Phase::Trying(out) = &mut self.phase
            && out.as_ref().is_some_and(|out| out.call == call)
        {
            *out = None;
        }
    }

    /// A call has ended; `call` is the name that a submit or refund was admitted under. Any answer after the pause
    /// closes the circuit; only the try's own silence opens it again.
    pub(super) fn heard(&mut self, now_ms: i64, call: Option<&str>, sign: Sign) -> Option<Change> {
        match (&mut self.phase, sign) {
            (Phase::Closed { silent }, Sign::Answered) => {
                *silent = 0;
                None
            }
            (Phase::Closed { silent }, Sign::Silent) => {
                *silent = silent.saturating_add(1);
                let down = *silent >= self.settings.failures;
                down.then(|| {
                    self.open(now_ms);
                    Change::Opened
                })
            }
            // What was sent before the pause is over says nothing about the time after it.
            (Phase::Open { until_ms }, Sign::Answered) if now_ms >= *until_ms => self.close(),
            (Phase::Trying(_), Sign::Answered) => self.close(),
            (Phase::Trying(Some(out)), Sign::Silent) if call == Some(out.call.as_str()) => {
                self.open(now_ms);
                None
            }
            (_, Sign::Neither) => {
                if let Some(call) = call {
                    self.withdraw(call);
                }
                None
            }
            (Phase::Open { .. }, Sign::Answered | Sign::Silent)
            | (Phase::Trying(_), Sign::Silent) => None,
        }
    }

    /// 0 closed, 1 open, 2 after the pause: the next submit is the try.
    pub(super) const fn level(&self) -> i64 {
        match self.phase {
            Phase::Closed { .. } => 0,
            Phase::Open { .. } => 1,
            Phase::Trying(_) => 2,
        }
    }

    fn open(&mut self, now_ms: i64) {
        self.phase = Phase::Open {
            until_ms: now_ms.saturating_add(self.settings.pause_ms),
        };
    }

    fn close(&mut self) -> Option<Change> {
        self.phase = Phase::Closed { silent: 0 };
        Some(Change::Closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circuit() -> Circuit {
        Circuit::new(CircuitSettings {
            failures: 3,
            pause_ms: 1_000,
        })
    }

    fn opened_at_0() -> Circuit {
        let mut circuit = circuit();
        assert_eq!(circuit.heard(0, Some("a"), Sign::Silent), None);
        assert_eq!(circuit.heard(0, None, Sign::Silent), None);
        assert_eq!(circuit.heard(0, None, Sign::Silent), Some(Change::Opened));
        circuit
    }

    #[test]
    fn only_calls_in_a_row_open_it() {
        let mut circuit = circuit();
        for _ in 0..100 {
            for sign in [Sign::Silent, Sign::Silent, Sign::Neither, Sign::Answered] {
                assert_eq!(circuit.heard(0, None, sign), None);
            }
        }
        assert_eq!(circuit.admit(0, "a"), Ok(()));
        assert_eq!(circuit.level(), 0);
    }

    #[test]
    fn while_it_is_open_submits_are_told_how_long_and_answers_change_nothing() {
        let mut circuit = opened_at_0();
        assert_eq!(circuit.admit(300, "a"), Err(700));
        assert_eq!(circuit.heard(400, None, Sign::Answered), None);
        assert_eq!(circuit.heard(400, None, Sign::Silent), None);
        assert_eq!(circuit.admit(999, "a"), Err(1));
        assert_eq!(circuit.level(), 1);
    }

    #[test]
    fn after_the_pause_one_submit_goes_out_and_its_answer_closes_it() {
        let mut circuit = opened_at_0();
        assert_eq!(circuit.admit(1_000, "a"), Ok(()));
        assert_eq!(circuit.admit(1_001, "b"), Err(TRY_ENDS_WITHIN_MS));
        assert_eq!(circuit.admit(1_002, "a"), Ok(()), "created, then sent");
        assert_eq!(circuit.level(), 2);
        let closed = circuit.heard(1_100, Some("a"), Sign::Answered);
        assert_eq!(closed, Some(Change::Closed));
        assert_eq!(circuit.admit(1_101, "b"), Ok(()));
    }

    #[test]
    fn a_try_without_an_answer_opens_it_again_in_the_same_episode() {
        let mut circuit = opened_at_0();
        assert_eq!(circuit.admit(2_000, "a"), Ok(()));
        assert_eq!(circuit.heard(2_100, None, Sign::Silent), None, "a query");
        assert_eq!(circuit.level(), 2);
        assert_eq!(circuit.heard(2_500, Some("a"), Sign::Silent), None);
        assert_eq!(circuit.admit(3_499, "b"), Err(1));
        assert_eq!(circuit.admit(3_500, "b"), Ok(()));
    }

    #[test]
    fn a_query_that_is_answered_after_the_pause_closes_it_too() {
        let mut circuit = opened_at_0();
        let closed = circuit.heard(1_000, None, Sign::Answered);
        assert_eq!(closed, Some(Change::Closed));
    }

    #[test]
    fn a_try_that_never_went_out_leaves_its_place() {
        let mut circuit = opened_at_0();
        assert_eq!(circuit.admit(1_000, "a"), Ok(()));
        circuit.withdraw("b");
        assert!(circuit.admit(1_000, "b").is_err());
        circuit.withdraw("a");
        assert_eq!(circuit.admit(1_000, "b"), Ok(()));
        assert_eq!(circuit.heard(1_000, Some("b"), Sign::Neither), None);
        assert_eq!(circuit.admit(1_000, "c"), Ok(()));
        assert_eq!(circuit.admit(1_000 + TRY_LOST_AFTER_MS, "d"), Ok(()));
    }
}
