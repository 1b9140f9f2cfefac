//! The worker of grants: each is made by its order's own actor, in one write with the order's row.

mod attempt;
mod outside;

use super::fulfiller::Fulfillers;
use super::shared::{Look, Shared, TROUBLE_MS, Wakes, jitter};
use crate::domain::order::{Alert, AlertKind, Severity};
use crate::domain::outbox::next_grant;
use crate::scrub::scrub;
use crate::store::alerts::{self, About};
use crate::store::fulfilments::{self, ClaimedGrant, NotGranted};
use crate::store::{JournalError, StoreError};
use attempt::Made;
use std::sync::Arc;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Grants under way at once: a kind that hangs at a fulfiller leaves room for the others until so many do.
const UNDER_WAY_MAX: u32 = 256;
/// Grants of one claim.
const CLAIM_MAX: usize = 128;
/// Longer than an attempt may take.
const LEASE_MS: i64 = 60_000;
/// How long a grant rests that is not to be made yet.
const WAITS_MS: i64 = 3_600_000;

/// Makes grants.
pub(super) struct Granter {
    shared: Arc<Shared>,
    fulfillers: Fulfillers,
    seats: Arc<Semaphore>,
}

/// A claim as its parts: the token, and what it has brought.
struct Claim {
    token: Arc<str>,
    grants: Vec<ClaimedGrant>,
}

impl Granter {
    pub(super) fn new(shared: Arc<Shared>, fulfillers: Fulfillers) -> Self {
        Self {
            shared,
            fulfillers,
            seats: Arc::new(Semaphore::new(usize::try_from(UNDER_WAY_MAX).unwrap_or(1))),
        }
    }

    pub(super) async fn is_idle(&self) {
        drop(self.seats.acquire_many(UNDER_WAY_MAX).await);
    }

    pub(super) async fn run(self: Arc<Self>) {
        let mut wakes = Wakes::of(&self.shared);
        let now = self.shared.now();
        let backend = self.shared.database.backend();
        let release = fulfilments::release(backend, &self.shared.run, now);
        if let Err(error) = self.shared.journal.run(vec![release]).await {
            tracing::warn!(%error, "grants of an earlier run wait until their claims run out");
        }
        loop {
            wakes.listen();
            let look = match self.round(&wakes.freed).await {
                Ok(look) => look,
                Err(error) => {
                    tracing::warn!(%error, "grants cannot be taken up; they are made later");
                    Look::At(Some(self.shared.now().plus(TROUBLE_MS)))
                }
            };
            if !wakes.wait(look).await {
                return;
            }
        }
    }

    /// Takes up what is due, as far as there is room.
    async fn round(self: &Arc<Self>, freed: &Arc<Notify>) -> Result<Look, StoreError> {
        loop {
            let next = fulfilments::next_due(&self.shared.database.read).await?;
            let due = next.is_some_and(|next| next <= self.shared.now());
            if !due || self.shared.is_stopping() {
                return Ok(Look::At(next));
            }
            let room = self.seats.available_permits().min(CLAIM_MAX);
            if room == 0 {
                return Ok(Look::WhenFree);
            }
            let Some(claim) = self.claim(room).await? else {
                return Ok(Look::At(Some(self.shared.now().plus(TROUBLE_MS))));
            };
            for grant in claim.grants {
                // There is room for as many as were asked for.
                let Ok(seat) = Arc::clone(&self.seats).acquire_owned().await else {
                    return Ok(Look::WhenFree);
                };
                let work = Arc::clone(self).attempt(grant, Arc::clone(&claim.token), seat);
                let freed = Arc::clone(freed);
                tokio::spawn(async move {
                    work.await;
                    freed.notify_one();
                });
            }
        }
    }

    /// `None` when the journal cannot write now.
    async fn claim(&self, room: usize) -> Result<Option<Claim>, StoreError> {
        let token = self.shared.token();
        let now = self.shared.now();
        let limit = u64::try_from(room).unwrap_or(1);
        let backend = self.shared.database.backend();
        let claim = fulfilments::claim(backend, &token, now, now.plus(LEASE_MS), limit);
        if let Err(error) = self.shared.journal.run(vec![claim]).await {
            tracing::warn!(%error, "grants cannot be claimed; they are made later");
            return Ok(None);
        }
        let grants = fulfilments::claimed(&self.shared.database.read, &token).await?;
        Ok(Some(Claim { token, grants }))
    }

    async fn attempt(
        self: Arc<Self>,
        grant: ClaimedGrant,
        token: Arc<str>,
        _seat: OwnedSemaphorePermit,
    ) {
        let made = attempt::make(&self.shared, &self.fulfillers, &grant).await;
        let noted = match made {
            Ok(Made::Waits) => self.waits(&grant, &token, WAITS_MS).await,
            Ok(Made::Again) => self.waits(&grant, &token, 0).await,
            Ok(Made::Done) => self.granted(&grant).await,
            Err(error) => {
                self.shared.metrics.grant("failed");
                tracing::warn!(
                    order_no = grant.order_no,
                    kind = grant.kind,
                    attempt = grant.attempts,
                    error,
                    "a grant could not be made; again later"
                );
                self.failed(&grant, &token, &error).await
            }
        };
        if let Err(error) = noted {
            tracing::warn!(order_no = grant.order_no, %error, "what came of a grant cannot be noted; its claim runs out");
        }
    }

    /// Whatever lets it go on queues it anew; an hour later it is looked at all the same.
    async fn waits(
        &self,
        grant: &ClaimedGrant,
        token: &str,
        wait_ms: i64,
    ) -> Result<(), JournalError> {
        let (backend, now) = (self.shared.database.backend(), self.shared.now());
        let waits = fulfilments::waits(backend, grant, token, now.plus(wait_ms), now);
        self.shared.journal.run(vec![waits]).await.map(drop)
    }

    /// The order's write has ended the row; an alert that it was late is over.
    async fn granted(&self, grant: &ClaimedGrant) -> Result<(), JournalError> {
        let on_time = usize::try_from(grant.attempts)
            .is_ok_and(|attempts| attempts <= self.shared.schedule_ms.len());
        if on_time {
            return Ok(());
        }
        let key = overdue(grant, "").key();
        let backend = self.shared.database.backend();
        let resolve = alerts::resolve(backend, &key, self.shared.now());
        self.shared.journal.run(vec![resolve]).await.map(drop)
    }

    async fn failed(
        &self,
        grant: &ClaimedGrant,
        token: &str,
        error: &str,
    ) -> Result<(), JournalError> {
        // A fulfiller of the merchant's own may say anything.
        let error = &scrub(error, &[&grant.order_no, &grant.order_id]);
        let (backend, now) = (self.shared.database.backend(), self.shared.now());
        let next = next_grant(grant.attempts, &self.shared.schedule_ms, jitter(), now);
        let failed = NotGranted {
            grant,
            token,
            error,
            is_overdue: next.is_overdue,
            next_at: next.at,
            at: now,
        };
        let mut statements = vec![fulfilments::not_granted(backend, &failed)];
        if next.is_overdue {
            let about = About {
                order_id: Some(grant.order_id.clone()),
                order_no: Some(grant.order_no.clone()),
                ..About::default()
            };
            statements.extend(alerts::raise(backend, &overdue(grant, error), &about, now));
        }
        self.shared.journal.run(statements).await?;
        if next.is_overdue {
            (self.shared.on_alert)();
        }
        Ok(())
    }
}

fn overdue(grant: &ClaimedGrant, error: &str) -> Alert {
    Alert {
        kind: AlertKind::PaidNotFulfilled,
        severity: Severity::Action,
        subject: format!("{}/{}", grant.order_id, grant.kind),
        episode: "once".to_owned(),
        message: format!(
            "Order {} is paid and its {} are not granted: {error}. It is tried hourly.",
            grant.order_no, grant.kind
        ),
    }
}
