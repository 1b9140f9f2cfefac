//! The desk of a runtime: its key, and who is being served.

use super::PayPerUse;
use super::counter::Counter;
use super::offer::OfferKey;
use super::terms::{PayPerUseError, PayPerUseTerms};
use crate::channels::{Call, Channels};
use crate::clock::SharedClock;
use crate::domain::UnixMillis;
use crate::store::metered::{self, TradeKey};
use crate::store::{Database, Journal, StoreError};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};

/// For so long whoever shows the proof again gets again what was delivered: their connection may have broken.
pub(super) const REPEATS_MS: i64 = 10 * 60_000;

/// Proofs that the channel is asked about at once. Whoever is beyond it comes again: anybody can write a proof, and each
/// costs a call of the seller's.
const VERIFIES_MAX: usize = 32;

/// Waits for a turn of a channel's rate, as its questions do; whether one came in time.
pub(crate) type Turn = Box<dyn Fn(&str, Duration) -> Call<'static, bool> + Send + Sync>;

/// What the desk is made of.
pub(crate) struct DeskParts {
    pub(crate) database: Database,
    pub(crate) journal: Journal,
    pub(crate) clock: SharedClock,
    pub(crate) channels: Arc<Channels>,
    pub(crate) timeout: Duration,
    pub(crate) turn: Turn,
    /// Called after a commit that raised an alert.
    pub(crate) on_alert: Box<dyn Fn() + Send + Sync>,
}

/// The desk of a runtime; clones are the same one.
#[derive(Clone)]
pub struct Desk {
    pub(super) parts: Arc<DeskParts>,
    pub(super) key: OfferKey,
    /// The trades that are being delivered. One process has the database, so that nobody else delivers them.
    seats: Arc<Mutex<HashSet<TradeKey>>>,
    /// Room for proofs that the channel is asked about.
    pub(super) verifies: Arc<Semaphore>,
    /// Rung when a delivery waits for its confirmation.
    pub(super) delivered: Arc<Notify>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Desk").finish_non_exhaustive()
    }
}

impl Desk {
    /// Opens it, with the key that offers are made with; the first one makes the key.
    pub(crate) async fn open(parts: DeskParts) -> Result<Self, StoreError> {
        let mut secret = metered::key(&parts.database.read).await?;
        if secret.is_none() {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes)
                .map_err(|error| StoreError::Unusable(format!("no randomness: {error}")))?;
            let keep = metered::keep_key(parts.database.backend(), &hex::encode(bytes));
            let kept = parts.journal.run(vec![keep]).await;
            kept.map_err(|error| StoreError::Unusable(error.to_string()))?;
            secret = metered::key(&parts.database.read).await?;
        }
        let secret = hex::decode(secret.unwrap_or_default()).unwrap_or_default();
        let key = OfferKey::of(&secret)
            .ok_or_else(|| StoreError::Row("the key of offers is none".to_owned()))?;
        Ok(Self {
            parts: Arc::new(parts),
            key,
            seats: Arc::default(),
            verifies: Arc::new(Semaphore::new(VERIFIES_MAX)),
            delivered: Arc::default(),
        })
    }

    /// A paywall through this channel under these terms.
    pub(crate) fn paywall(
        &self,
        channel: &str,
        terms: PayPerUseTerms,
    ) -> Result<PayPerUse, PayPerUseError> {
        terms.check()?;
        let known = self.parts.channels.get(channel);
        let known = known.ok_or_else(|| PayPerUseError::NoSuchChannel(channel.to_owned()))?;
        let seller = known
            .pay_per_use()
            .ok_or_else(|| PayPerUseError::NotOffered(channel.to_owned()))?
            .seller()
            .ok_or_else(|| PayPerUseError::NoSeller(channel.to_owned()))?;
        Ok(PayPerUse::new(Counter {
            desk: self.clone(),
            live: known.account().live,
            channel: Arc::clone(known),
            seller,
            terms,
        }))
    }

    pub(super) fn now(&self) -> UnixMillis {
        self.parts.clock.wall()
    }

    /// `None`: somebody else is at it.
    pub(super) fn seat(&self, key: TradeKey) -> Option<Seat> {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        seats.insert(key.clone()).then(|| Seat {
            seats: Arc::clone(&self.seats),
            key,
        })
    }

    /// Whether somebody is at it.
    pub(super) fn is_seated(&self, key: &TradeKey) -> bool {
        let seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        seats.contains(key)
    }
}

/// The one who delivers a trade; whoever else asks for it meanwhile is told to wait.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Arc<Mutex<HashSet<TradeKey>>>,
    pub(super) key: TradeKey,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        seats.remove(&self.key);
    }
}
