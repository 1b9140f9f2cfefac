//! The parts of the runtime that a story plays through. [`Real`] has those that are shipped; a test may bring a broken
//! one, to see that the story finds it.

use super::memory::Constraint;
use crate::domain::UnixMillis;
use crate::domain::ledger::{self, Decided, Found, Request};
use crate::domain::order::decide::{self, Context};
use crate::domain::order::{Decision, Input, Order, Refusal};

/// What decides, and what the database and the runtime around it keep to.
pub trait Parts {
    /// The birth of an order.
    fn create(&self, order: &Order, by: &str, context: &Context<'_>) -> Decision {
        decide::create(order, by, context)
    }

    /// What becomes of an order.
    ///
    /// # Errors
    /// What may not be asked of it.
    fn decide(
        &self,
        order: &Order,
        input: &Input,
        context: &Context<'_>,
    ) -> Result<Decision, Refusal> {
        decide::decide(order, input, context)
    }

    /// What a request does to an account.
    fn decide_account(&self, found: &Found, request: &Request, now: UnixMillis) -> Decided {
        ledger::decide(found, request, now, 0)
    }

    /// Whether the database has this constraint.
    fn has(&self, constraint: Constraint) -> bool {
        let _every_one = constraint;
        true
    }

    /// When the runtime looks at the order again by itself, in the run that has written its row.
    fn timer_at(&self, order: &Order, submit_timeout_ms: i64) -> Option<UnixMillis> {
        order.timer_at(submit_timeout_ms)
    }

    /// The same as a start-up finds it in the row.
    fn wake_at(&self, order: &Order, submit_timeout_ms: i64) -> Option<UnixMillis> {
        order.wake_at(submit_timeout_ms)
    }

    /// Calls begin after the commit of what they belong to.
    fn commits_first(&self) -> bool {
        true
    }

    /// A notice is acknowledged once it is committed, and not before.
    fn acknowledges_last(&self) -> bool {
        true
    }

    /// What waits in the outbox is taken up again after a restart.
    fn keeps_outbox(&self) -> bool {
        true
    }
}

/// The parts that are shipped.
#[derive(Debug, Clone, Copy, Default)]
pub struct Real;

impl Parts for Real {}
