//! The notifier: mails what ops must know, once, in digests.
//!
//! Alert rows are written by those who raise them, in the same write as the cause. The notifier only claims, sends
//! and marks. It is woken after such a write; polling is a fallback.

mod daily;
mod figures;
mod plan;
mod round;

pub use plan::{Mailing, Plan, plan};
pub use round::Rounds;

use crate::clock;
use crate::domain::UnixMillis;
use actix::prelude::*;
use std::sync::Arc;
use tokio::sync::Mutex;

/// A wake-up can be missed (a crash after the commit): what is due is found this much later.
const POLL_MS: i64 = 30_000;

/// Alerts may have been raised: look now.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "()")]
pub struct Wake;

/// Mails alerts. One for each runtime, started in the runtime that opened the database.
pub struct Notifier {
    /// Held by the one round that runs; sending takes place there, never in the mailbox.
    rounds: Arc<Mutex<Rounds>>,
    clock: crate::clock::SharedClock,
    running: bool,
    /// Something arrived during the round: look again after it.
    again: bool,
    timer: Option<SpawnHandle>,
}

impl Notifier {
    #[must_use]
    pub fn new(rounds: Rounds) -> Self {
        Self {
            clock: rounds.clock(),
            rounds: Arc::new(Mutex::new(rounds)),
            running: false,
            again: false,
            timer: None,
        }
    }

    fn ended(&mut self, next: Option<UnixMillis>, context: &mut Context<Self>) {
        self.running = false;
        if std::mem::take(&mut self.again) {
            context.notify(Wake);
            return;
        }
        let wait_ms = next.map_or(POLL_MS, |next| {
            next.since(self.clock.wall()).clamp(0, POLL_MS)
        });
        let wait = clock::millis(wait_ms);
        if let Some(old) = self.timer.take() {
            context.cancel_future(old);
        }
        self.timer = Some(context.run_later(wait, |_, context| context.address().do_send(Wake)));
    }
}

impl Actor for Notifier {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        context.notify(Wake);
    }
}

impl Handler<Wake> for Notifier {
    type Result = ();

    fn handle(&mut self, _: Wake, context: &mut Self::Context) {
        if self.running {
            self.again = true;
            return;
        }
        self.running = true;
        let rounds = Arc::clone(&self.rounds);
        // A task of its own: a panic in a round ends that round, not the notifier, without which nobody is told.
        let round = tokio::spawn(async move { rounds.lock().await.run().await });
        let round = async move {
            round.await.unwrap_or_else(|end| {
                tracing::error!(%end, "a round of mails broke; the next one tries again");
                None
            })
        };
        context.spawn(
            round
                .into_actor(self)
                .map(|next, notifier, context| notifier.ended(next, context)),
        );
    }
}
