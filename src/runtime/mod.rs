//! A runtime: the database, its lock, the journal, the actors and the channels, started and stopped as one.
//!
//! [`Runtime`] runs inside the merchant's own actix-web app as well as behind `oncepay serve`.

mod builder;
mod error;
mod serve;

pub use builder::RuntimeBuilder;
pub use error::RuntimeError;
pub use serve::serve;

use crate::actors::Gateway;
use crate::config::Settings;
use crate::store::{Database, Journal, JournalError, ProcessLock};
use crate::web;
use actix::Arbiter;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a stop waits for what is in work before it closes all the same.
const DRAIN: Duration = Duration::from_secs(7);
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
    epoch: i64,
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
                JournalError::Full
                | JournalError::Unavailable(_)
                | JournalError::Refused(_)
                | JournalError::Stopped => RuntimeError::Broken("the journal"),
            },
            () = gateway.supervisor_died() => RuntimeError::Broken("the supervisor of orders"),
        }
    }

    /// Takes no new work, lets what is in work finish for some seconds, commits, closes.
    pub async fn stop(self) {
        self.readiness.set_stopping();
        self.gateway.stop_accepting();
        let until = Instant::now() + DRAIN;
        loop {
            let (requests, calls) = self.gateway.unfinished();
            if (requests, calls) == (0, 0) || Instant::now() >= until {
                tracing::info!(requests, calls, "closing");
                break;
            }
            tokio::time::sleep(DRAIN_LOOK).await;
        }
        if tokio::time::timeout(CLOSE, self.journal.close())
            .await
            .is_err()
        {
            tracing::error!(
                "the database takes no writes: closing all the same, the next start recovers"
            );
        }
        self.arbiter.stop();
        drop(tokio::time::timeout(CLOSE, self.database.close()).await);
    }

    /// Ends at once, without another write: another runtime owns the database now.
    pub fn abandon(self) {
        self.arbiter.stop();
    }
}
