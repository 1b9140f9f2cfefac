//! What may happen next, and the queue of it.

use super::call::Call;
use super::clocks::Moment;
use super::notice::Notice;
use crate::domain::UnixMillis;
use crate::domain::order::{DisputePhase, Input};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Something that happens to one order, or to the machine. `run` binds it to the process that it belongs to.
#[derive(Debug)]
pub(super) enum What {
    // People.
    Create { attempt: u16 },
    Deadline { run: i64 },
    CloseWanted,
    QueryWanted,
    WantsBack { again: bool },
    Visit,
    PlacedAnew,
    Spends { again: bool },
    // The runtime.
    Timer { run: i64, due: UnixMillis },
    Found { run: i64 },
    Answered { run: i64, input: Box<Input> },
    Grant { run: i64, kind: Box<str> },
    Webhook { run: i64, place: usize },
    Mail { run: i64, place: usize },
    ActorDies,
    // The processor.
    Arrives(Box<Call>),
    Settles { paid: bool },
    Expires,
    PayerPays { again: bool },
    PaidAfterAll,
    RefundSettles { refund_no: Box<str>, done: bool },
    RefundElsewhere,
    Disputed { phase: DisputePhase },
    Told(Box<Notice>),
    Bill,
    // The machine.
    PowerCut,
    Restart,
    ClockStep,
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) at: Moment,
    seq: u64,
    pub(super) no: u32,
    pub(super) what: What,
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.seq == other.seq
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    /// The earliest is the greatest, and of two at one moment the one that was planned first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.seq).cmp(&(self.at, self.seq))
    }
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    heap: BinaryHeap<Event>,
    planned: u64,
}

impl Queue {
    pub(super) fn push(&mut self, at: Moment, no: u32, what: What) {
        self.planned = self.planned.saturating_add(1);
        self.heap.push(Event {
            at,
            seq: self.planned,
            no,
            what,
        });
    }

    pub(super) fn pop(&mut self) -> Option<Event> {
        self.heap.pop()
    }

    pub(super) fn next(&self) -> Option<Moment> {
        self.heap.peek().map(|event| event.at)
    }
}
