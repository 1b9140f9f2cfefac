//! Deciding until the decision is committed, and what follows the commit.

use super::Turn;
use super::prepare::Grants;
use crate::actors::effects;
use crate::actors::gateway::GatewayError;
use crate::actors::messages::{NoticeId, Settled};
use crate::domain::order::{Decision, Input, Order, Refusal};
use crate::store::journal::CallbackRecord;
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
        let mut grants = Grants::AtOnce;
        for _ in 0..DECISIONS_MAX {
            let Some(before) = self.order.clone() else {
                return Err(GatewayError::NoSuchOrder);
            };
            let notice = notice
                .as_ref()
                .map(|notice| self.record_of(&before, notice));
            if let Some(notice) = &notice {
                input.mark_repeat(notice.repeat);
            }
            let successor = self.successor(&before, &input).await?;
            let (decision, granted) = self.decide(&before, &input, successor, grants)?;
            if !decision.writes(&before) && notice.is_none() {
                self.arm();
                return Ok(Settled {
                    order: before,
                    duplicate: false,
                });
            }
            let write = self.write_of(&before, &input, &decision, notice.clone());
            let journal = &self.shared.parts.journal;
            match journal.commit(write, Urgency::Assured).await {
                Ok(Committed::Done) => return Ok(self.settled(decision, notice)),
                Ok(Committed::Conflict(Conflict::TradeNo)) => {
                    input = input
                        .trade_taken(&before)
                        .ok_or(GatewayError::Refused(Refusal::TradeNoConflict))?;
                }
                // The net under the decision's own cap: our copy of the order was not the whole of it.
                Ok(Committed::Conflict(Conflict::RefundCap)) => {
                    self.forget();
                    return Err(GatewayError::Refused(Refusal::RefundExceedsOrder));
                }
                Ok(Committed::Conflict(Conflict::Callback)) => {
                    self.read_again().await?;
                    self.read_inbox().await?;
                }
                Ok(Committed::Conflict(Conflict::LedgerSource)) if granted => {
                    self.grant_later("its source has an entry", &mut grants);
                }
                Ok(
                    Committed::Stale
                    | Committed::OrderExists
                    | Committed::ReplacedOrderOpen
                    | Committed::DailyLimit
                    | Committed::Conflict(Conflict::IdempotencyKey | Conflict::LedgerSource),
                ) => self.read_again().await?,
                Err(JournalError::Refused(reason)) if granted => {
                    self.grant_later(&reason, &mut grants);
                }
                Err(error) => {
                    self.forget();
                    return Err(uncommitted(&error));
                }
            }
        }
        Err(GatewayError::Unclear(
            "the order's row kept moving".to_owned(),
        ))
    }

    /// What hinders a grant must not hinder the payment: it is written without, and a worker tries the grant.
    fn grant_later(&self, reason: &str, grants: &mut Grants) {
        tracing::error!(
            order_no = self.order_no(),
            reason,
            "the ledger refuses a grant: it is left to a worker"
        );
        *grants = Grants::Later;
    }

    /// Nobody vouches for the copy any more: the row says what stands.
    fn forget(&mut self) {
        self.order = None;
        self.seen = None;
    }

    /// Another writer moved the row: the actor's copy is void.
    async fn read_again(&mut self) -> Result<(), GatewayError> {
        let read = &self.shared.parts.database.read;
        self.order = orders::by_no(read, &self.order_no).await.map_err(unread)?;
        Ok(())
    }

    fn settled(&mut self, decision: Decision, notice: Option<CallbackRecord>) -> Settled {
        if let (Some(record), Some(seen)) = (notice, &mut self.seen) {
            seen.insert((record.key, record.status));
        }
        let duplicate = decision.events.is_empty();
        let order = self.committed(decision);
        Settled { order, duplicate }
    }

    /// After the commit: the copy, the timer, the calls, the people who wait.
    pub(in crate::actors) fn committed(&mut self, decision: Decision) -> Order {
        let granted = decision
            .announcements
            .iter()
            .filter(|announcement| announcement.is_a_grant());
        for _grant in granted {
            self.shared.parts.metrics.grant("granted");
        }
        let told = self.shared.parts.webhook_data.is_some() && !decision.announcements.is_empty();
        let leaves_work = told || decision.queued().next().is_some();
        let order = decision.next;
        self.order = Some(order.clone());
        self.arm();
        for effect in decision.effects {
            effects::start(&self.shared, &self.supervisor, &order, effect);
        }
        if !decision.alerts.is_empty() {
            (self.shared.parts.on_alert)();
        }
        if leaves_work {
            (self.shared.parts.on_outbox)();
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
        JournalError::EpochLost
        | JournalError::LogCut
        | JournalError::Refused(_)
        | JournalError::Stopped => GatewayError::Unclear(error.to_string()),
    }
}
