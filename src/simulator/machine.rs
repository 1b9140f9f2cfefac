//! The machine and the process on it: timers, crashes, starts, and a wall clock that somebody sets.

use super::case;
use super::clocks::{DAY, HOUR, MINUTE, Moment, SECOND};
use super::dice::{Choice, MACHINE};
use super::event::What;
use super::mishap::Mishap;
use super::parts::Parts;
use super::run::{Run, Step, Stop};
use super::turn::Told;
use crate::domain::UnixMillis;
use crate::domain::order::Input;
use crate::domain::order::recovery::due_at_start;

/// The runtime looks at its timers at least so often, for the wall clock may be set.
const TICK_MS: Moment = SECOND;
/// What is due at a start is spread over so long.
const SPREAD_MS: Moment = 10 * SECOND;
/// The machine fails so often by itself.
const POWER_CUT_EVERY: Moment = 4 * DAY;
const CLOCK_STEP_EVERY: Moment = 9 * HOUR;

impl<P: Parts> Run<'_, P> {
    /// What befalls the machine in a story of this length.
    pub(super) fn plan_the_machine(&mut self, length: Moment) {
        let mut nth = 0_u16;
        for (mishap, every) in [
            (Mishap::PowerCut, POWER_CUT_EVERY),
            (Mishap::ClockStep, CLOCK_STEP_EVERY),
        ] {
            let mut at = 0;
            loop {
                nth = nth.wrapping_add(1);
                let salt = u64::from(nth).wrapping_add(1_000);
                at += self.trait_of(MACHINE, salt).between(every / 8, every * 2);
                if at >= length || nth > 60_000 {
                    break;
                }
                let choice = Choice {
                    order: MACHINE,
                    mishap,
                    nth,
                };
                if self.dice.planned(choice).is_some() {
                    let what = if mishap == Mishap::PowerCut {
                        What::PowerCut
                    } else {
                        What::ClockStep
                    };
                    self.plan(at, MACHINE, what);
                }
            }
        }
    }

    /// The machine fails by itself.
    pub(super) fn power_cut(&mut self) -> Step {
        if self.up { Err(self.crash()) } else { Ok(()) }
    }

    /// The process dies: what it remembers is gone, rows stay.
    pub(super) fn crash(&mut self) -> Stop {
        self.say(MACHINE, || "the process dies".to_owned());
        self.report.crashes = self.report.crashes.saturating_add(1);
        self.up = false;
        for case in self.cases.values_mut() {
            case.actor = case::Memory::default();
        }
        let salt = u64::from(self.next_of_machine()).wrapping_add(100_000);
        let mut chance = self.trait_of(MACHINE, salt);
        let down = match chance.below(10) {
            0..=5 => chance.between(SECOND, MINUTE),
            6..=8 => chance.between(MINUTE, HOUR),
            _ => chance.between(HOUR, 12 * HOUR),
        };
        self.plan(
            self.clocks.moment.saturating_add(down),
            MACHINE,
            What::Restart,
        );
        Stop::Crashed
    }

    fn next_of_machine(&mut self) -> u16 {
        self.steps_of_machine = self.steps_of_machine.saturating_add(1);
        self.steps_of_machine
    }

    /// A process starts: rows that want to be looked at get a timer, and the outbox goes on.
    pub(super) fn start(&mut self) -> Step {
        let nth = self.next_of_machine();
        let mut chance = self.trait_of(MACHINE, u64::from(nth).wrapping_add(200_000));
        self.clocks.start(chance.between(-400, 400));
        self.up = true;
        let switch = Choice {
            order: MACHINE,
            mishap: Mishap::AccountSwitched,
            nth,
        };
        let may_switch = chance.below(30) == 0;
        let count = i64::try_from(self.profiles.len()).unwrap_or(1);
        self.switched = if may_switch && self.dice.planned(switch).is_some() {
            usize::try_from(chance.below(count)).ok()
        } else {
            None
        };
        self.say(MACHINE, || "a process starts".to_owned());
        let mut all: Vec<u32> = self.cases.keys().copied().collect();
        all.sort_unstable();
        for no in all {
            self.find(no);
            if self.parts.keeps_outbox() {
                self.find_outbox(no);
            }
            self.examine_start(no)?;
            let idle = self.cases.get(&no).is_some_and(|case| case.pending == 0);
            if idle {
                self.end(no)
                    .map_err(|violation| Stop::Broken(Box::new(violation)))?;
            }
        }
        if self.switched.is_some() {
            // Somebody notices, mends the configuration and starts again.
            self.plan(
                self.clocks.moment.saturating_add(3 * HOUR),
                MACHINE,
                What::PowerCut,
            );
        }
        Ok(())
    }

    /// Start-up finds the row.
    fn find(&mut self, no: u32) {
        let Some(order) = self.store.order(no) else {
            return;
        };
        let timeout = self.rules_of(no).submit_timeout_ms;
        let Some(wake_at) = self.parts.wake_at(order, timeout) else {
            return;
        };
        let now = self.clocks.wall();
        let share = i64::from(no) * 37 % SPREAD_MS;
        let due = due_at_start(order.status, wake_at, now);
        let at = due.map_or(self.clocks.moment.saturating_add(share), |due| {
            self.clocks.moment_of(due)
        });
        if let Some(case) = self.cases.get_mut(&no) {
            case.actor.found = true;
        }
        let run = self.clocks.epoch;
        self.plan(at, no, What::Found { run });
    }

    /// The timer of a row that start-up has found.
    pub(super) fn found(&mut self, no: u32, run: i64) -> Step {
        if self.is_of_this_run(run) {
            self.happened(no, Input::Recovered, None)?;
        }
        Ok(())
    }

    /// An order's timer.
    pub(super) fn timer(&mut self, no: u32, run: i64, due: UnixMillis) -> Step {
        let armed = self.cases.get(&no).and_then(|case| case.actor.armed);
        if !self.is_of_this_run(run) || armed != Some(due) {
            return Ok(());
        }
        let wall = self.clocks.wall();
        if wall < due {
            // The clock was set back.
            let at = self.clocks.moment.saturating_add(due.since(wall).min(HOUR));
            self.plan(at, no, What::Timer { run, due });
            return Ok(());
        }
        if let Some(case) = self.cases.get_mut(&no) {
            case.actor.armed = None;
        }
        self.happened(no, Input::Due, None)?;
        if self.hit(no, Mishap::TimerTwice).is_some() {
            self.happened(no, Input::Due, None)?;
        }
        if self.hit(no, Mishap::ActorDies).is_some() {
            self.after(TICK_MS, no, What::ActorDies);
        }
        Ok(())
    }

    pub(super) const fn is_of_this_run(&self, run: i64) -> bool {
        self.up && run == self.clocks.epoch
    }

    /// A call has ended.
    pub(super) fn answered(&mut self, no: u32, run: i64, input: Input) -> Step {
        if !self.is_of_this_run(run) {
            return Ok(());
        }
        let told = self.happened(no, input.clone(), None)?;
        if told != Told::Down {
            self.ended_calls(no, &input);
        }
        Ok(())
    }

    /// An actor panics. It is rebuilt from its row; its calls run on.
    pub(super) fn actor_dies(&mut self, no: u32) -> Step {
        if !self.up || self.store.row(no).is_none() {
            return Ok(());
        }
        if let Some(case) = self.cases.get_mut(&no) {
            case.actor.awake_until = None;
            case.actor.stale = None;
        }
        let input = if self.hit(no, Mishap::ActorFails).is_some() {
            Input::ActorFailed {
                summary: "its actor died three times".to_owned(),
            }
        } else {
            Input::Recovered
        };
        self.happened(no, input, None)?;
        Ok(())
    }

    /// Somebody sets the wall clock: timers wait by it.
    pub(super) fn step_the_clock(&mut self) {
        let nth = self.next_of_machine();
        let salt = u64::from(nth).wrapping_add(300_000);
        let step = self
            .trait_of(MACHINE, salt)
            .between(-3 * MINUTE, 3 * MINUTE);
        self.clocks.step(step);
        self.say(MACHINE, || format!("the wall clock is set by {step} ms"));
        if step <= 0 || !self.up {
            return;
        }
        let run = self.clocks.epoch;
        let mut armed: Vec<(u32, UnixMillis)> = self
            .cases
            .iter()
            .filter_map(|(no, case)| Some((*no, case.actor.armed?)))
            .collect();
        armed.sort_unstable();
        for (no, due) in armed {
            let at = self.clocks.moment_of(due);
            self.plan(at, no, What::Timer { run, due });
        }
    }
}
