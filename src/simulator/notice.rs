//! What the processor tells by itself: once, twice, late, or not at all.

use super::clocks::{HOUR, MINUTE, Moment, SECOND};
use super::event::What;
use super::mishap::Mishap;
use super::parts::Parts;
use super::rule::Rule;
use super::run::{Run, Step, Stop};
use super::turn::Told;
use crate::domain::order::{Input, Source};

/// How often a notice is sent that nobody acknowledges, unless the processor insists.
const ATTEMPTS_MAX: u16 = 12;

#[derive(Debug, Clone)]
pub(super) struct Notice {
    pub(super) key: String,
    pub(super) status: &'static str,
    pub(super) input: Input,
    /// It is sent until it is acknowledged: what it tells, nobody would ask about.
    pub(super) insists: bool,
    attempt: u16,
}

pub(super) const fn by_notice() -> Source {
    Source::Callback {
        repeat: false,
        digest: String::new(),
    }
}

impl<P: Parts> Run<'_, P> {
    /// The processor tells something.
    pub(super) fn tell(&mut self, no: u32, status: &'static str, input: Input, insists: bool) {
        let Some(case) = self.cases.get_mut(&no) else {
            return;
        };
        case.charge.told = case.charge.told.saturating_add(1);
        let notice = Notice {
            key: format!("n{no}.{}", case.charge.told),
            status,
            input,
            insists,
            attempt: 0,
        };
        if self.hit(no, Mishap::NoticeLost).is_some() && !insists {
            return;
        }
        let late = self.hit(no, Mishap::NoticeLate);
        let after = late.map_or(100, |mut chance| chance.between(SECOND, 3 * HOUR));
        if let Some(mut chance) = self.hit(no, Mishap::NoticeTwice) {
            let again = chance.between(50, HOUR);
            self.after(again, no, What::Told(Box::new(notice.clone())));
        }
        self.after(after, no, What::Told(Box::new(notice)));
    }

    /// A notice arrives. What is not committed is not acknowledged, and comes again.
    pub(super) fn hear(&mut self, no: u32, mut notice: Box<Notice>) -> Step {
        let id = (notice.key.clone(), notice.status);
        let told = self.happened(no, notice.input.clone(), Some(&id));
        // What nobody here has a row for is kept as an orphan, and acknowledged.
        let kept = matches!(told, Ok(Told::Kept | Told::NoSuchOrder));
        let is_there = !matches!(told, Ok(Told::Down));
        let acknowledged = kept || (!self.parts.acknowledges_last() && is_there);
        if acknowledged {
            let on_record = self.store.has_notice(no, &id) || self.store.row(no).is_none();
            let what = || "a notice was acknowledged and is not kept";
            self.holds(Rule::AcknowledgedKept, no, on_record, what)?;
        } else {
            notice.attempt = notice.attempt.saturating_add(1);
            if notice.insists || notice.attempt < ATTEMPTS_MAX {
                let pause = again_after(notice.attempt);
                self.after(pause, no, What::Told(notice));
            }
        }
        match told {
            Ok(_) => Ok(()),
            Err(stop @ (Stop::Crashed | Stop::Broken(_))) => Err(stop),
        }
    }
}

const fn again_after(attempt: u16) -> Moment {
    match attempt {
        0 | 1 => 15 * SECOND,
        2 => MINUTE,
        3 => 5 * MINUTE,
        4 => 15 * MINUTE,
        _ => HOUR,
    }
}
