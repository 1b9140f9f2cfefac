//! One story as it is played: everything that moves, and the loop that moves it.

use super::case::Case;
use super::clocks::{Clocks, DAY, HOUR, Moment};
use super::dice::{Chance, Dice, MACHINE};
use super::event::{Event, Queue, What};
use super::memory::Memory;
use super::mishap::Mishap;
use super::parts::Parts;
use super::people::{bill, close_wanted, query_wanted};
use super::profile::{Profile, bank, profiles};
use super::report::Report;
use super::rule::{Rule, Since, Violation};
use super::story::Story;
use crate::domain::schedule::Rules;
use std::collections::HashMap;

/// Why the work on one event has stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// The process has died in the middle of it.
    Crashed,
    Broken(Box<Violation>),
}

pub(super) type Step = Result<(), Stop>;

/// See the module.
pub(super) struct Run<'a, P: Parts> {
    pub(super) parts: &'a P,
    pub(super) dice: Dice,
    pub(super) clocks: Clocks,
    queue: Queue,
    pub(super) store: Memory,
    pub(super) profiles: Vec<Profile>,
    /// For an order that is not there any more.
    fallback: Profile,
    pub(super) cases: HashMap<u32, Box<Case>>,
    pub(super) up: bool,
    /// The channels of which another account is configured in this run.
    pub(super) switched: Option<usize>,
    pub(super) steps_of_machine: u16,
    pub(super) report: Report,
    /// Orders that are still to come, the last one first.
    arrivals: Vec<(Moment, u32)>,
    lines: Option<Vec<String>>,
    /// By then nothing may be left to happen.
    ends_by: Moment,
}

/// More never happens to one order, but in a circle.
const EVENTS_MAX: u32 = 20_000;
/// How long the story of the last order may go on.
const LONGEST_MS: Moment = 400 * DAY;

impl<'a, P: Parts> Run<'a, P> {
    pub(super) fn new(story: &Story, parts: &'a P, notes: Notes) -> Self {
        let records = notes == Notes::Choices;
        let dice = Dice::new(story, records);
        let length = i64::from(story.hours.max(1)).saturating_mul(HOUR);
        let mut arrivals: Vec<(Moment, u32)> = story
            .orders
            .iter()
            .map(|no| (dice.trait_of(no, 0).below(length), no))
            .collect();
        arrivals.sort_unstable_by(|one, other| other.cmp(one));
        Self {
            parts,
            dice,
            clocks: Clocks::new(),
            queue: Queue::default(),
            store: Memory::default(),
            profiles: profiles(),
            fallback: bank(),
            cases: HashMap::new(),
            up: true,
            switched: None,
            steps_of_machine: 0,
            report: Report::default(),
            arrivals,
            lines: (notes == Notes::Lines).then(Vec::new),
            ends_by: length.saturating_add(LONGEST_MS),
        }
    }

    /// Plays it to its end, or to the first rule that is broken.
    pub(super) fn play(mut self, hours: u32) -> Played {
        let length = i64::from(hours.max(1)).saturating_mul(HOUR);
        self.plan_the_machine(length);
        let violation = loop {
            match self.turn_of_the_world() {
                Ok(true) => {}
                Ok(false) => break self.close_the_books().err(),
                Err(violation) => break Some(violation),
            }
        };
        self.report.lasted_ms = self.clocks.moment;
        self.report.mishaps = self
            .dice
            .happened()
            .filter(|(_, count)| *count > 0)
            .collect();
        Played {
            violation,
            choices: self.dice.record(),
            lines: self.lines.unwrap_or_default(),
            report: self.report,
        }
    }

    /// The next thing that happens. False when there is nothing left.
    fn turn_of_the_world(&mut self) -> Result<bool, Violation> {
        let next = self.queue.next();
        let arrives = self.arrivals.last().map(|(at, _)| *at);
        if let Some(at) = arrives.filter(|at| next.is_none_or(|next| *at <= next)) {
            if let Some((_, no)) = self.arrivals.pop() {
                self.clocks.moment = self.clocks.moment.max(at);
                self.open(no);
                self.after(0, no, What::Create { attempt: 0 });
            }
            return Ok(true);
        }
        let Some(Event { at, no, what, .. }) = self.queue.pop() else {
            return Ok(false);
        };
        self.clocks.moment = self.clocks.moment.max(at);
        self.report.events = self.report.events.saturating_add(1);
        let ends = at < self.ends_by && self.is_within_bounds(no);
        let done = self
            .holds(Rule::Settled, no, ends, || {
                format!("it goes on for ever: {what:?}")
            })
            .and_then(|()| self.dispatch(no, what));
        match done {
            Ok(()) | Err(Stop::Crashed) => {}
            Err(Stop::Broken(violation)) => return Err(*violation),
        }
        if no != MACHINE {
            self.one_less(no)?;
        }
        Ok(true)
    }

    /// Whether so much may happen to one order.
    fn is_within_bounds(&mut self, no: u32) -> bool {
        self.cases.get_mut(&no).is_none_or(|case| {
            case.events = case.events.saturating_add(1);
            case.events < EVENTS_MAX
        })
    }

    /// An order of the story comes into being; nothing has happened to it yet.
    pub(super) fn open(&mut self, no: u32) {
        let case = Case::new(no, &self.dice, &self.profiles);
        self.cases.insert(no, Box::new(case));
        self.report.orders = self.report.orders.saturating_add(1);
    }

    /// One of its events is over; after the last one its story is held against the books and forgotten.
    fn one_less(&mut self, no: u32) -> Result<(), Violation> {
        let Some(case) = self.cases.get_mut(&no) else {
            return Ok(());
        };
        case.pending = case.pending.saturating_sub(1);
        if case.pending > 0 || !self.up {
            return Ok(());
        }
        self.end(no)
    }

    /// Its story is over.
    pub(super) fn end(&mut self, no: u32) -> Result<(), Violation> {
        let ended = self.examine_the_end(no);
        self.cases.remove(&no);
        self.store.forget(no);
        match ended {
            Ok(()) | Err(Stop::Crashed) => Ok(()),
            Err(Stop::Broken(violation)) => Err(*violation),
        }
    }

    fn dispatch(&mut self, no: u32, what: What) -> Step {
        match what {
            What::PowerCut => self.power_cut(),
            What::Restart => self.start(),
            What::ClockStep => {
                self.step_the_clock();
                Ok(())
            }
            What::Create { attempt } => self.create(no, attempt),
            What::Deadline { run } => self.deadline(no, run),
            What::CloseWanted => self.asks_for(no, close_wanted()),
            What::QueryWanted => self.asks_for(no, query_wanted()),
            What::Bill => self.asks_for(no, bill()),
            What::WantsBack { again } => self.wants_back(no, again),
            What::Visit => self.visit(no),
            What::PlacedAnew => {
                self.placed_anew(no);
                Ok(())
            }
            What::Spends { again } => self.spends(no, again),
            What::Timer { run, due } => self.timer(no, run, due),
            What::Found { run } => self.found(no, run),
            What::Answered { run, input } => self.answered(no, run, *input),
            What::ActorDies => self.actor_dies(no),
            What::Grant { run, kind } => self.grant(no, run, &kind),
            What::Webhook { run, place } => self.deliver(no, run, place),
            What::Mail { run, place } => self.mail(no, run, place),
            What::Arrives(call) => self.arrives(no, &call),
            What::Settles { paid } => self.settles(no, paid),
            What::Expires => {
                self.expires(no);
                Ok(())
            }
            What::PayerPays { again } => self.payer_pays(no, again),
            What::PaidAfterAll => self.paid_after_all(no),
            What::RefundSettles { refund_no, done } => {
                self.refund_settles(no, &refund_no, done);
                Ok(())
            }
            What::RefundElsewhere => {
                self.refund_elsewhere(no);
                Ok(())
            }
            What::Disputed { phase } => {
                self.disputed(no, phase);
                Ok(())
            }
            What::Told(notice) => self.hear(no, notice),
        }
    }

    pub(super) fn plan(&mut self, at: Moment, no: u32, what: What) {
        if let Some(case) = self.cases.get_mut(&no) {
            case.pending = case.pending.saturating_add(1);
        }
        self.queue.push(at, no, what);
    }

    /// Whether this goes wrong now, and a number to shape it by.
    pub(super) fn hit(&mut self, no: u32, mishap: Mishap) -> Option<Chance> {
        let case = self.cases.get_mut(&no)?;
        let (choice, temper) = (case.next(no, mishap), case.temper);
        self.dice.roll(choice, temper)
    }

    pub(super) fn trait_of(&self, no: u32, salt: u64) -> Chance {
        self.dice.trait_of(no, salt)
    }

    pub(super) fn profile_of(&self, no: u32) -> &Profile {
        let place = self.cases.get(&no).map_or(0, |case| case.profile);
        self.profiles.get(place).unwrap_or(&self.fallback)
    }

    /// What is configured now for the order's channel.
    pub(super) fn rules_of(&self, no: u32) -> &Rules {
        let profile = self.profile_of(no);
        let place = self.cases.get(&no).map(|case| case.profile);
        if place.is_some() && place == self.switched {
            &profile.switched
        } else {
            &profile.rules
        }
    }

    /// Calls for this order would be made under the account that its row names.
    pub(super) fn same_account(&self, no: u32) -> bool {
        let configured = self.rules_of(no).fingerprint.as_ref();
        let order = self.store.order(no);
        order.is_none_or(|order| configured == Some(&order.fingerprint))
    }

    pub(super) const fn is_down(&self) -> bool {
        !self.up
    }

    /// The rule is broken unless this is so.
    pub(super) fn holds<W: Into<String>>(
        &self,
        rule: Rule,
        no: u32,
        so: bool,
        what: impl FnOnce() -> W,
    ) -> Step {
        if so {
            return Ok(());
        }
        Err(Stop::Broken(Box::new(Violation {
            rule,
            order: no,
            at: self.clocks.moment,
            what: what().into(),
        })))
    }

    /// A line of the history, if anybody reads it.
    pub(super) fn say(&mut self, no: u32, line: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            let at = Since(self.clocks.moment);
            lines.push(match no {
                MACHINE => format!("{at}  {}", line()),
                no => format!("{at}  O{no}  {}", line()),
            });
        }
    }
}

/// What is wanted beside the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notes {
    None,
    /// What has gone wrong.
    Choices,
    /// The history, line by line.
    Lines,
}

/// What came of a story.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) violation: Option<Violation>,
    pub(super) choices: Vec<super::dice::Choice>,
    pub(super) lines: Vec<String>,
    pub(super) report: Report,
}
