//! The worker of webhooks: claims those that are due, sends each of them once, and notes what came of it.
//!
//! * [`endpoint`] and [`resolver`]: where they go, and that it is no place of our own.
//! * [`attempt`] and [`retry_after`]: one request, and what its answer means.
//! * [`notes`]: what came of many attempts, in one write.

mod attempt;
mod endpoint;
mod notes;
mod resolver;
mod retry_after;

pub(super) use endpoint::Endpoint;
pub use resolver::{Resolve, Resolving, SystemResolver};

use super::shared::{Look, Shared, TROUBLE_MS, Wakes};
use crate::store::StoreError;
use crate::store::deliveries::{self, Claimed};
use notes::{Attempted, Notes};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Semaphore, mpsc};

/// Webhooks under way at once: a receiver that hangs over some leaves room for the others until so many do.
const UNDER_WAY_MAX: u32 = 256;
/// Webhooks of one claim.
const CLAIM_MAX: usize = 64;
/// Longer than an attempt may take, together with noting what came of it.
const LEASE_MS: i64 = 60_000;

/// Delivers webhooks to the one endpoint.
pub(super) struct Courier {
    shared: Arc<Shared>,
    endpoint: Arc<Endpoint>,
    seats: Arc<Semaphore>,
    /// The endpoint has answered that it is gone.
    is_gone: AtomicBool,
}

impl Courier {
    pub(super) fn new(shared: Arc<Shared>, endpoint: Endpoint) -> Self {
        Self {
            shared,
            endpoint: Arc::new(endpoint),
            seats: Arc::new(Semaphore::new(usize::try_from(UNDER_WAY_MAX).unwrap_or(1))),
            is_gone: AtomicBool::new(false),
        }
    }

    pub(super) async fn is_idle(&self) {
        drop(self.seats.acquire_many(UNDER_WAY_MAX).await);
    }

    pub(super) async fn run(self: Arc<Self>) {
        let mut wakes = Wakes::of(&self.shared);
        let (attempted, ended) = mpsc::channel(usize::try_from(UNDER_WAY_MAX).unwrap_or(1));
        let notes = Notes {
            courier: Arc::clone(&self),
            freed: Arc::clone(&wakes.freed),
        };
        tokio::spawn(notes.keep(ended));
        while let Err(error) = self.begin().await {
            tracing::warn!(%error, "webhooks cannot be read; they are delivered later");
            let again = Look::At(Some(self.shared.now().plus(TROUBLE_MS)));
            if !wakes.wait(again).await {
                return;
            }
        }
        loop {
            wakes.listen();
            let look = match self.round(&attempted).await {
                Ok(look) => look,
                Err(error) => {
                    tracing::warn!(%error, "webhooks cannot be taken up; they are delivered later");
                    Look::At(Some(self.shared.now().plus(TROUBLE_MS)))
                }
            };
            if !wakes.wait(look).await {
                return;
            }
        }
    }

    /// What an earlier run has left.
    async fn begin(&self) -> Result<(), StoreError> {
        let database = &self.shared.database;
        let gone = deliveries::is_ended(&database.read, self.endpoint.url()).await?;
        self.is_gone.store(gone, Ordering::Release);
        let release = deliveries::release(database.backend(), &self.shared.run, self.shared.now());
        if let Err(error) = self.shared.journal.run(vec![release]).await {
            tracing::warn!(%error, "webhooks of an earlier run wait until their claims run out");
        }
        Ok(())
    }

    /// Takes up what is due, as far as there is room.
    async fn round(
        self: &Arc<Self>,
        attempted: &mpsc::Sender<Attempted>,
    ) -> Result<Look, StoreError> {
        loop {
            let next = deliveries::next_due(&self.shared.database.read).await?;
            let now = self.shared.now();
            if self.is_gone.load(Ordering::Acquire) && next.is_some() {
                return Ok(self.end_what_waits().await);
            }
            if next.is_none_or(|next| next > now) || self.shared.is_stopping() {
                return Ok(Look::At(next));
            }
            let room = self.seats.available_permits().min(CLAIM_MAX);
            if room == 0 {
                return Ok(Look::WhenFree);
            }
            let token = self.shared.token();
            let Some(claimed) = self.claim(&token, room).await? else {
                return Ok(Look::At(Some(now.plus(TROUBLE_MS))));
            };
            for claimed in claimed {
                // There is room for as many as were asked for.
                let Ok(seat) = Arc::clone(&self.seats).acquire_owned().await else {
                    return Ok(Look::WhenFree);
                };
                let (courier, token) = (Arc::clone(self), Arc::clone(&token));
                let attempted = attempted.clone();
                tokio::spawn(async move {
                    let answer = courier.endpoint.post(&claimed.delivery).await;
                    let ended = Attempted {
                        claimed,
                        token,
                        answer,
                        seat,
                    };
                    // Who notes it ends with the runtime: the claim then runs out.
                    drop(attempted.send(ended).await);
                });
            }
        }
    }

    /// `None` when the journal cannot write now.
    async fn claim(&self, token: &str, room: usize) -> Result<Option<Vec<Claimed>>, StoreError> {
        let now = self.shared.now();
        let limit = u64::try_from(room).unwrap_or(1);
        let backend = self.shared.database.backend();
        let claim = deliveries::claim(backend, token, now, now.plus(LEASE_MS), limit);
        if let Err(error) = self.shared.journal.run(claim).await {
            tracing::warn!(%error, "webhooks cannot be claimed; they are delivered later");
            return Ok(None);
        }
        let claimed = deliveries::claimed(&self.shared.database.read, token).await?;
        Ok(Some(claimed))
    }

    async fn end_what_waits(&self) -> Look {
        let (backend, now) = (self.shared.database.backend(), self.shared.now());
        match self
            .shared
            .journal
            .run(vec![deliveries::end_all(backend, now)])
            .await
        {
            Ok(_) => Look::At(None),
            Err(error) => {
                tracing::warn!(%error, "webhooks to an endpoint that is gone cannot be ended yet");
                Look::At(Some(now.plus(TROUBLE_MS)))
            }
        }
    }
}
