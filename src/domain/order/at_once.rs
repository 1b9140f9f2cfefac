//! Two decisions in one write: what a payment queues for a worker, and needs none, is granted with it.

use super::{Decision, FulfilmentChange, Input, Order, Refusal};

/// Grants with `first`, a decision about `before`, what it has queued, as far as `here` says that a kind is granted in our
/// own books alone. What cannot be granted now stays queued.
pub fn granted_at_once(
    before: &Order,
    first: Decision,
    here: impl Fn(&str) -> bool,
    mut decide: impl FnMut(&Order, &Input) -> Result<Decision, Refusal>,
) -> Decision {
    let queued = first.fulfilments.iter().filter_map(|change| match change {
        FulfilmentChange::Queue { kind } => Some(kind),
        FulfilmentChange::Done { .. } => None,
    });
    let kinds: Vec<String> = queued.filter(|kind| here(kind)).cloned().collect();
    kinds.into_iter().fold(first, |so_far, kind| {
        let outside = None;
        match decide(&so_far.next, &Input::Fulfil { kind, outside }) {
            Ok(grant) => so_far.followed_by(grant, before),
            Err(_refused) => so_far,
        }
    })
}

impl Decision {
    /// This decision about `before` and one about what it leaves, as one write, which moves the version once.
    /// Whoever caused the first has caused both.
    fn followed_by(mut self, mut then: Self, before: &Order) -> Self {
        if let Some(first) = self.events.first() {
            for event in &mut then.events {
                event.by.clone_from(&first.by);
            }
        }
        self.next = then.next;
        self.next.version = self.next.version.min(before.version.saturating_add(1));
        self.events.extend(then.events);
        self.payments.extend(then.payments);
        self.alerts.extend(then.alerts);
        self.resolves_alerts |= then.resolves_alerts;
        self.resolved_alerts.extend(then.resolved_alerts);
        self.refunds.extend(then.refunds);
        self.postings.extend(then.postings);
        self.fulfilments.extend(then.fulfilments);
        self.announcements.extend(then.announcements);
        self.effects.extend(then.effects);
        self
    }

    /// What stands queued when the write is done.
    pub fn queued(&self) -> impl Iterator<Item = &str> {
        let is_done = |kind: &String| {
            let mut changes = self.fulfilments.iter();
            changes.any(
                |change| matches!(change, FulfilmentChange::Done { kind: done } if done == kind),
            )
        };
        self.fulfilments
            .iter()
            .filter_map(move |change| match change {
                FulfilmentChange::Queue { kind } if !is_done(kind) => Some(kind.as_str()),
                FulfilmentChange::Queue { .. } | FulfilmentChange::Done { .. } => None,
            })
    }
}
