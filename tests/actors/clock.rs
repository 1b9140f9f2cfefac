//! A clock that a test steps, and that fails inside an order's actor when it is told to.

use oncepay::clock::{Clock, SharedClock, SystemClock};
use oncepay::domain::UnixMillis;
use std::backtrace::Backtrace;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

/// The machine's clocks, ahead by what the test says.
pub(crate) struct TestClock {
    real: SharedClock,
    ahead_ms: AtomicI64,
    panics: AtomicU32,
}

impl TestClock {
    pub(crate) fn start() -> Arc<Self> {
        Arc::new(Self {
            real: SystemClock::start(),
            ahead_ms: AtomicI64::new(0),
            panics: AtomicU32::new(0),
        })
    }

    /// The wall clock goes ahead.
    pub(crate) fn step(&self, millis: i64) {
        self.ahead_ms.fetch_add(millis, Ordering::SeqCst);
    }

    /// The next so many decisions of order actors panic.
    pub(crate) fn break_actors(&self, times: u32) {
        self.panics.store(times, Ordering::SeqCst);
    }

    /// Panics that are still to come.
    pub(crate) fn panics_left(&self) -> u32 {
        self.panics.load(Ordering::SeqCst)
    }
}

impl Clock for TestClock {
    fn wall(&self) -> UnixMillis {
        // A decision is the one place of an actor's work that asks for the time with its name on the stack.
        if self.panics_left() > 0 {
            let stack = Backtrace::force_capture().to_string();
            if stack.contains("Turn>::decide") || stack.contains("turn::Turn::decide") {
                self.panics.fetch_sub(1, Ordering::SeqCst);
                panic!("the test breaks this actor");
            }
        }
        self.real.wall().plus(self.ahead_ms.load(Ordering::SeqCst))
    }

    fn mono_ms(&self) -> i64 {
        self.real.mono_ms()
    }
}
