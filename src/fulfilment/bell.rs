//! The bell that wakes the workers.

use tokio::sync::watch;

/// Wakes the workers of the outbox after a commit that left work for them. Clones wake the same.
#[derive(Debug, Clone, Default)]
pub struct OutboxBell(watch::Sender<u64>);

impl OutboxBell {
    pub fn ring(&self) {
        self.0.send_modify(|rung| *rung = rung.wrapping_add(1));
    }

    /// Somebody who listens from now on.
    pub(super) fn listener(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }
}
