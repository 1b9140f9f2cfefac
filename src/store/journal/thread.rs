//! The writer's thread, with a runtime and a connection of its own: pools belong to the runtime that opened them.

use super::End;
use super::gauges::Gauges;
use super::presence::Presence;
use super::queue::Queued;
use super::strategy::{Strategy, Way};
use super::types::JournalKind;
use super::writer::{Over, Writer};
use crate::clock::SharedClock;
use crate::store::audit::AuditKey;
use crate::store::connect::{self, Role};
use crate::store::file::OpenedFile;
use crate::store::place::Place;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// What the thread is started with.
pub(super) struct Orders {
    pub(super) place: Place,
    pub(super) file: Option<OpenedFile>,
    pub(super) epoch: i64,
    pub(super) kind: JournalKind,
    pub(super) clock: SharedClock,
    pub(super) audit_key: AuditKey,
}

/// Starts the thread. If that fails the journal is as good as stopped: every write says so.
pub(super) fn spawn(
    orders: Orders,
    jobs: mpsc::UnboundedReceiver<Queued>,
    gauges: Arc<Gauges>,
    end: watch::Sender<End>,
) {
    let started = std::thread::Builder::new()
        .name("journal".to_owned())
        .spawn(move || {
            let end = EndGuard(end);
            match tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
            {
                Ok(runtime) => runtime.block_on(work(orders, jobs, gauges, &end)),
                Err(error) => tracing::error!(%error, "the journal's runtime does not start"),
            }
        });
    if let Err(error) = started {
        tracing::error!(%error, "the journal's thread does not start");
    }
}

/// Says that the thread has ended, also when it panics.
struct EndGuard(watch::Sender<End>);

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.0.send_if_modified(|end| {
            let running = *end == End::Running;
            if running {
                *end = End::Stopped;
            }
            running
        });
    }
}

async fn work(
    orders: Orders,
    jobs: mpsc::UnboundedReceiver<Queued>,
    gauges: Arc<Gauges>,
    end: &EndGuard,
) {
    match connect::connect(&orders.place, Role::Journal).await {
        Ok(connection) => {
            let mut writer = Writer {
                strategy: Strategy {
                    way: Way::of(orders.kind, &orders.place),
                    connection,
                    epoch: orders.epoch,
                    presence: Presence::over(orders.file),
                    audit_key: orders.audit_key,
                },
                clock: orders.clock,
                jobs,
                waiting: VecDeque::new(),
                gauges,
            };
            if let Err(over) = writer.run().await {
                end.0.send_replace(match over {
                    Over::EpochLost => End::EpochLost,
                    Over::LogCut => End::LogCut,
                });
                writer.refuse_all(over);
            }
            drop(writer.strategy.connection.close().await);
        }
        Err(error) => tracing::error!(%error, "the journal cannot open the database"),
    }
}
