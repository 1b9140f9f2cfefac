//! A runtime: the database, its lock, the journal, the actors and the channels, started and stopped as one.
//!
//! [`Runtime`] runs inside the merchant's own actix-web app as well as behind `oncepay serve`.

mod builder;
mod channels;
mod error;
mod log;
mod serve;

pub use builder::RuntimeBuilder;
pub use channels::open_channel;
pub use error::RuntimeError;
pub use serve::serve;

/// An order as the API shows it, for a face that has no server to ask.
pub(crate) use crate::web::document as order_document;

use crate::actors::Gateway;
use crate::clock::SharedClock;
use crate::config::Settings;
use crate::fulfilment::Fulfilment;
use crate::pay_per_use::{Desk, PayPerUse, PayPerUseError, PayPerUseTerms};
use crate::store::{Database, Journal, JournalError, ProcessLock};
use crate::web;
use actix::Arbiter;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a stop waits for what is in work before it closes all the same.
const DRAIN: Duration = Duration::from_secs(6);
/// How long a stop waits for webhooks and grants under way; those that take longer are taken up at the next start.
const OUTSIDE: Duration = Duration::from_secs(1);
/// How long those who are then answered without a result may take to go.
const LEAVE: Duration = Duration::from_secs(1);
/// How long the last writes may take after that.
const CLOSE: Duration = Duration::from_secs(1);
const DRAIN_LOOK: Duration = Duration::from_millis(20);

/// A running runtime. Dropping it without [`Runtime::stop`] is a crash: the next start recovers.
pub struct Runtime {
    gateway: Gateway,
    database: Database,
    journal: Journal,
    state: web::State,
    readiness: web::Readiness,
    settings: Arc<Settings>,
    arbiter: Arbiter,
    fulfilment: Fulfilment,
    desk: Desk,
    /// Where fulfilment works.
    outside: Arbiter,
    epoch: i64,
    clock: SharedClock,
    lock: Option<ProcessLock>,
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Runtime")
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

impl Runtime {
    /// A runtime with these settings, to which channels of the merchant's own can be added.
    #[must_use]
    pub fn builder(settings: Settings) -> RuntimeBuilder {
        RuntimeBuilder::new(settings)
    }

    /// What handlers ask.
    #[must_use]
    pub const fn gateway(&self) -> &Gateway {
        &self.gateway
    }

    /// What it runs with.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// For reads.
    #[must_use]
    pub const fn database(&self) -> &Database {
        &self.database
    }

    /// The API's routes, for `App::configure` or a scope of the merchant's own app.
    pub fn routes(&self) -> impl Fn(&mut actix_web::web::ServiceConfig) + Clone + use<> {
        web::api(self.state.clone())
    }

    /// Health, readiness, metrics and documents.
    pub fn operations(&self) -> impl Fn(&mut actix_web::web::ServiceConfig) + Clone + use<> {
        web::operations(self.state.clone())
    }

    /// A paywall for resources of the merchant's own app: each use is paid through this channel, under these terms, before
    /// it is delivered. What was paid is asked for at the channel, kept in the database and confirmed; see [`PayPerUse`].
    ///
    /// # Errors
    /// Names the channel that does not offer it, or the term that it cannot carry.
    pub fn pay_per_use(
        &self,
        channel: &str,
        terms: PayPerUseTerms,
    ) -> Result<PayPerUse, PayPerUseError> {
        self.desk.paywall(channel, terms)
    }

    /// Completes when this runtime must not go on, and says why: another has taken its lock or its epoch, or a part
    /// without which nothing is committed has died. It also keeps the lock: one that ended with its connection is
    /// taken again while this is awaited.
    pub async fn lost(&mut self) -> RuntimeError {
        let gateway = self.gateway.clone();
        let journal = self.journal.clone();
        let lock = async {
            match &mut self.lock {
                Some(lock) => lock.lost(self.epoch).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = lock => RuntimeError::Lost,
            end = journal.ends() => match end {
                JournalError::EpochLost => RuntimeError::Lost,
                JournalError::LogCut => self.after_a_cut(),
                JournalError::Full
                | JournalError::Unavailable(_)
                | JournalError::Refused(_)
                | JournalError::Stopped => RuntimeError::Broken("the journal"),
            },
            () = gateway.supervisor_died() => RuntimeError::Broken("the supervisor of orders"),
        }
    }

    /// What was committed and stood in the log alone is forgotten here and known to the channel, as after a restore: the
    /// next start must ask before it submits.
    fn after_a_cut(&self) -> RuntimeError {
        hold_open(self.database.clone());
        match self.settings.note_restore(self.clock.wall()) {
            Ok(()) => RuntimeError::LogCut,
            Err(error) => RuntimeError::Restored(error),
        }
    }

    /// Takes no new work, lets what is in work finish for some seconds, commits, closes.
    pub async fn stop(self) {
        self.readiness.set_stopping();
        self.gateway.stop_accepting();
        self.fulfilment.stop(OUTSIDE).await;
        self.drained(DRAIN, |requests, calls| (requests, calls) == (0, 0))
            .await;
        self.gateway.answer_who_waits();
        self.drained(LEAVE, |requests, _| requests == 0).await;
        let (requests, calls) = self.gateway.unfinished();
        tracing::info!(requests, calls, "closing");
        if tokio::time::timeout(CLOSE, self.journal.close())
            .await
            .is_err()
        {
            tracing::error!(
                "the database takes no writes: closing all the same, the next start recovers"
            );
        }
        self.outside.stop();
        self.arbiter.stop();
        drop(tokio::time::timeout(CLOSE, self.database.close()).await);
    }

    /// Waits, at most so long, until `enough` says so of the requests and the calls that are unfinished.
    async fn drained(&self, at_most: Duration, enough: impl Fn(usize, usize) -> bool) {
        let until = Instant::now() + at_most;
        loop {
            let (requests, calls) = self.gateway.unfinished();
            if enough(requests, calls) || Instant::now() >= until {
                return;
            }
            tokio::time::sleep(DRAIN_LOOK).await;
        }
    }

    /// Ends at once, without another write: another runtime owns the database now.
    pub fn abandon(self) {
        self.outside.stop();
        self.arbiter.stop();
    }
}

/// Whoever closes the last connection to a SQLite file folds its log into it, holes and all. This one is never closed:
/// it ends with the process, and the next one reads the log anew and leaves out what is not whole.
fn hold_open(database: Database) {
    let held = std::thread::Builder::new()
        .name("held-open".to_owned())
        .spawn(move || {
            let _held = database;
            loop {
                std::thread::park();
            }
        });
    if let Err(error) = held {
        tracing::error!(%error, "the database may be closed over its log");
    }
}
