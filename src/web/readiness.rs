//! How far the runtime has come with its start, and whether it is stopping.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The phases of a runtime that `/readyz` reports. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Readiness {
    phases: Arc<Phases>,
}

#[derive(Debug, Default)]
struct Phases {
    migrated: AtomicBool,
    rehydrated: AtomicBool,
    stopping: AtomicBool,
}

impl Readiness {
    /// The schema is up to date.
    pub fn set_migrated(&self) {
        self.phases.migrated.store(true, Ordering::Release);
    }

    /// Every in-flight order has its timer.
    pub fn set_rehydrated(&self) {
        self.phases.rehydrated.store(true, Ordering::Release);
    }

    /// No new work is taken.
    pub fn set_stopping(&self) {
        self.phases.stopping.store(true, Ordering::Release);
    }

    #[must_use]
    pub fn is_migrated(&self) -> bool {
        self.phases.migrated.load(Ordering::Acquire)
    }

    #[must_use]
    pub fn is_rehydrated(&self) -> bool {
        self.phases.rehydrated.load(Ordering::Acquire)
    }

    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.phases.stopping.load(Ordering::Acquire)
    }
}
