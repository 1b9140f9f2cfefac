//! Deciding until the decision is committed, and what follows the commit.

use super::Turn;
use super::prepare::{mark_repeat, trade_taken};
use crate::actors::effects;
use crate::actors::gateway::GatewayError;
use crate::actors::messages::{NoticeId, Settled};
use crate::domain::order::{Decision, Input, Order, Refusal};
use crate::store::{Committed, Conflict, JournalError, StoreError, Urgency, inbox, orders};

/// How often a decision is made again because the row had moved, before it is given back as unclear. With one
/// runtime a row moves only under a rebuilt actor, once.
const DECISIONS_MAX: u32 = 5;

impl Turn {
    pub(super) async fn read_inbox(&mut self) -> Result<(), GatewayError> {
        let Some(order) = &self.order else {
            return Ok(());
        };
        let read = &self.shared.parts.database.read;
        let seen = inbox::seen(read, &order.order_id).await.map_err(unread)?;
        self.seen = Some(seen.into_iter().collect());
        Ok(())
    }

    /// Decides, commits, and starts what the decision wants done. What the database refuses is decided again.
    pub(super) async fn decide_and_commit(
        &mut self,
        mut input: Input,
        notice: Option<NoticeId>,
    ) -> Result<Settled, GatewayError> {
        for _ in 0..DECISIONS_MAX {
            let Some(before) = self.order.clone() else {
                return Err(GatewayError::NoSuchOrder);
            };
            let notice = notice
                .as_ref()
                .map(|notice| self.record_of(&before, notice));
            mark_repeat(&mut input, notice.as_ref());
            let successor = self.successor(&before, &input).await?;
            let decision = self.decide(&before, &input, successor)?;
            if !decision.writes(&before) && notice.is_none() {
                self.arm();
                return Ok(Settled {
                    order: before,
                    duplicate: false,
                });
            }
            let write = self.write_of(&before, &decision, notice.clone());
            match self
                .shared
                .parts
                .journal
                .commit(write, Urgency::Assured)
                .await
            {
                Ok(Committed::Done) => {
                    if let (Some(record), Some(seen)) = (notice, &mut self.seen) {
                        seen.insert((record.key, record.status));
                    }
                    let duplicate = decision.events.is_empty();
                    let order = self.committed(decision);
                    return Ok(Settled { order, duplicate });
                }
                Ok(Committed::Conflict(Conflict::TradeNo)) => {
                    input = trade_taken(input, &before)
                        .ok_or(GatewayError::Refused(Refusal::TradeNoConflict))?;
                }
                Ok(Committed::Conflict(Conflict::Callback)) => {
                    self.read_again().await?;
                    self.read_inbox().await?;
                }
                Ok(
                    Committed::Stale
                    | Committed::OrderExists
                    | Committed::ReplacedOrderOpen
                    | Committed::Conflict(Conflict::IdempotencyKey),
                ) => self.read_again().await?,
                Err(error) => {
                    // Nobody vouches for the copy any more: the row says what stands.
                    self.order = None;
                    self.seen = None;
                    return Err(uncommitted(&error));
                }
            }
        }
        Err(GatewayError::Unclear(
            "the order's row kept moving".to_owned(),
        ))
    }

    /// Another writer moved the row: the actor's copy is void.
    async fn read_again(&mut self) -> Result<(), GatewayError> {
        let read = &self.shared.parts.database.read;
        self.order = orders::by_no(read, &self.order_no).await.map_err(unread)?;
        Ok(())
    }

    /// After the commit: the copy, the timer, the calls, the people who wait.
    pub(in crate::actors) fn committed(&mut self, decision: Decision) -> Order {
        let order = decision.next;
        self.order = Some(order.clone());
        self.arm();
        for effect in decision.effects {
            effects::start(&self.shared, &self.supervisor, &order, effect);
        }
        if !decision.alerts.is_empty() {
            (self.shared.parts.on_alert)();
        }
        self.release(|_| false);
        order
    }
}

pub(in crate::actors) fn unread(error: StoreError) -> GatewayError {
    GatewayError::Unclear(error.to_string())
}

/// A decision that was not committed: the caller may ask again, the row is as it was.
fn uncommitted(error: &JournalError) -> GatewayError {
    match error {
        JournalError::Full | JournalError::Unavailable(_) => GatewayError::Busy(error.to_string()),
        JournalError::EpochLost | JournalError::Refused(_) | JournalError::Stopped => {
            GatewayError::Unclear(error.to_string())
        }
    }
}
