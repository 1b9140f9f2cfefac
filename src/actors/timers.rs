//! Timers of all orders in one heap. The deadline itself is a row; a timer only saves polling.

use crate::domain::UnixMillis;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

/// The due moments of orders. An order has one timer at most; setting it anew voids the one before.
#[derive(Debug, Default)]
pub(super) struct Timers {
    heap: BinaryHeap<Reverse<(UnixMillis, Kind, Arc<str>)>>,
    armed: HashMap<Arc<str>, UnixMillis>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Set by start-up from a row; not in `armed`, so that a million of them stay small.
    Found,
    Armed,
}

/// A timer that has come.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fired {
    pub(super) order_no: Arc<str>,
    /// It was set by start-up: nothing has looked at the order in this run.
    pub(super) found_at_startup: bool,
}

impl Timers {
    /// Start-up found a row that wants to be looked at.
    pub(super) fn found(&mut self, order_no: &str, due: UnixMillis) {
        self.heap.push(Reverse((due, Kind::Found, order_no.into())));
    }

    /// Sets the order's timer, or clears it.
    pub(super) fn set(&mut self, order_no: &str, due: Option<UnixMillis>) {
        match due {
            None => {
                self.armed.remove(order_no);
            }
            Some(due) if self.armed.get(order_no) == Some(&due) => {}
            Some(due) => {
                let name: Arc<str> = order_no.into();
                self.armed.insert(Arc::clone(&name), due);
                self.heap.push(Reverse((due, Kind::Armed, name)));
            }
        }
    }

    /// Takes one timer that has come by `now`; timers that were voided are passed over.
    pub(super) fn pop(&mut self, now: UnixMillis) -> Option<Fired> {
        while self
            .heap
            .peek()
            .is_some_and(|Reverse((due, _, _))| *due <= now)
        {
            let Reverse((due, kind, order_no)) = self.heap.pop()?;
            match kind {
                Kind::Found => {
                    return Some(Fired {
                        order_no,
                        found_at_startup: true,
                    });
                }
                Kind::Armed if self.armed.get(&order_no) == Some(&due) => {
                    self.armed.remove(&order_no);
                    return Some(Fired {
                        order_no,
                        found_at_startup: false,
                    });
                }
                Kind::Armed => {}
            }
        }
        None
    }

    /// The earliest moment at which there may be something to do.
    pub(super) fn next(&self) -> Option<UnixMillis> {
        self.heap.peek().map(|Reverse((due, _, _))| *due)
    }

    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_that_was_set_anew_fires_once_at_its_new_moment() {
        let mut timers = Timers::default();
        timers.set("a", Some(UnixMillis(10)));
        timers.set("a", Some(UnixMillis(20)));
        assert_eq!(timers.pop(UnixMillis(15)), None);
        let fired = timers.pop(UnixMillis(20)).unwrap();
        assert_eq!((&*fired.order_no, fired.found_at_startup), ("a", false));
        assert_eq!(timers.pop(UnixMillis(99)), None);
    }

    #[test]
    fn a_settled_order_has_no_timer_left() {
        let mut timers = Timers::default();
        timers.set("a", Some(UnixMillis(10)));
        timers.set("a", None);
        assert_eq!(timers.pop(UnixMillis(99)), None);
    }

    #[test]
    fn what_start_up_found_comes_in_the_order_of_its_moments() {
        let mut timers = Timers::default();
        timers.found("late", UnixMillis(30));
        timers.found("early", UnixMillis(10));
        let order: Vec<_> = std::iter::from_fn(|| timers.pop(UnixMillis(40)))
            .map(|fired| fired.order_no)
            .collect();
        assert_eq!(order, ["early".into(), "late".into()]);
    }
}
