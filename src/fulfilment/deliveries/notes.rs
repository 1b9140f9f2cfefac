//! Noting what came of attempts: as many as have ended, in one write, so that receivers cost orders few commits.

use super::Courier;
use super::attempt::{Answer, Meaning};
use crate::domain::UnixMillis;
use crate::domain::order::{Alert, AlertKind, Severity};
use crate::domain::outbox::Missed;
use crate::fulfilment::shared::jitter;
use crate::store::alerts::{self, About};
use crate::store::deliveries::{self, Claimed, Ended, StoredDelivery};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::{Notify, OwnedSemaphorePermit, mpsc};

/// Attempts that one write notes.
const WRITE_MAX: usize = 256;

/// An attempt that has ended. Its seat is free when that is noted: who cannot note takes up nothing new.
pub(super) struct Attempted {
    pub(super) claimed: Claimed,
    pub(super) token: Arc<str>,
    pub(super) answer: Answer,
    #[expect(dead_code, reason = "held, not looked at")]
    pub(super) seat: OwnedSemaphorePermit,
}

/// Who notes them.
pub(super) struct Notes {
    pub(super) courier: Arc<Courier>,
    pub(super) freed: Arc<Notify>,
}

/// What is to be written about one attempt.
struct Note {
    statements: Vec<sea_orm::Statement>,
    outcome: &'static str,
    alerts: bool,
}

impl Notes {
    /// Until the last sender is gone.
    pub(super) async fn keep(self, mut ended: mpsc::Receiver<Attempted>) {
        let mut batch = Vec::new();
        while ended.recv_many(&mut batch, WRITE_MAX).await > 0 {
            self.note(&batch).await;
            batch.clear();
            self.freed.notify_one();
        }
    }

    async fn note(&self, batch: &[Attempted]) {
        let notes: Vec<Note> = batch.iter().map(|ended| self.note_of(ended)).collect();
        let all = notes.iter().flat_map(|note| note.statements.clone());
        let journal = &self.courier.shared.journal;
        if journal.run(all.collect()).await.is_ok() {
            notes.iter().for_each(|note| self.noted(note));
            return;
        }
        // One alone may be what the database refuses.
        for (note, ended) in notes.iter().zip(batch) {
            match journal.run(note.statements.clone()).await {
                Ok(_) => self.noted(note),
                Err(error) => tracing::warn!(
                    delivery_id = ended.claimed.delivery.delivery_id,
                    outcome = note.outcome,
                    %error,
                    "what came of a webhook cannot be noted; it is sent again"
                ),
            }
        }
    }

    fn noted(&self, note: &Note) {
        self.courier.shared.metrics.delivery(note.outcome);
        if note.alerts {
            (self.courier.shared.on_alert)();
        }
    }

    fn note_of(&self, attempted: &Attempted) -> Note {
        let shared = &self.courier.shared;
        let backend = shared.database.backend();
        let delivery = &attempted.claimed.delivery;
        let meaning = attempted.answer.meaning();
        tell(delivery, &meaning);
        let at = shared.now();
        let ended = |error| Ended {
            delivery_id: &delivery.delivery_id,
            n: delivery.attempts,
            token: &attempted.token,
            http_status: attempted.answer.http_status(),
            error,
            at,
        };
        match &meaning {
            Meaning::Delivered => {
                let mut statements = deliveries::delivered(backend, &ended(None));
                // Only what was queued anew can have failed for good before.
                if delivery.attempts > attempted.claimed.tries {
                    let key = failed(delivery, "").key();
                    statements.push(alerts::resolve(backend, &key, at));
                }
                Note {
                    statements,
                    outcome: "delivered",
                    alerts: false,
                }
            }
            Meaning::Gone => {
                self.courier.is_gone.store(true, Ordering::Release);
                let url = self.courier.endpoint.url();
                let ended = ended(Some("answered 410: the endpoint is gone"));
                let mut statements = deliveries::end_endpoint(backend, url, &ended);
                let alert = gone(url, self.courier.endpoint.host());
                statements.extend(alerts::raise(backend, &alert, &About::default(), at));
                Note {
                    statements,
                    outcome: "gone",
                    alerts: true,
                }
            }
            Meaning::Missed {
                error,
                retry_after_ms,
            } => {
                let next = self.next(&attempted.claimed, *retry_after_ms, at);
                let mut statements = deliveries::missed(backend, &ended(Some(error)), next);
                if next.is_none() {
                    let about = About {
                        order_id: Some(delivery.order_id.clone()),
                        order_no: Some(delivery.order_no.clone()),
                        ..About::default()
                    };
                    let alert = failed(delivery, error);
                    statements.extend(alerts::raise(backend, &alert, &about, at));
                }
                Note {
                    statements,
                    outcome: if next.is_some() { "missed" } else { "failed" },
                    alerts: next.is_none(),
                }
            }
        }
    }

    fn next(
        &self,
        claimed: &Claimed,
        retry_after_ms: Option<i64>,
        now: UnixMillis,
    ) -> Option<UnixMillis> {
        let missed = Missed {
            attempts: claimed.tries,
            first_attempt_at: claimed.delivery.first_attempt_at.unwrap_or(now),
            now,
            retry_after_ms,
        };
        missed.next(&self.courier.shared.schedule_ms, jitter())
    }
}

fn tell(delivery: &StoredDelivery, meaning: &Meaning) {
    let (webhook_id, attempt) = (&delivery.webhook_id, delivery.attempts);
    match meaning {
        Meaning::Delivered => tracing::debug!(webhook_id, attempt, "a webhook was delivered"),
        Meaning::Gone => {
            tracing::warn!(
                webhook_id,
                attempt,
                "the endpoint of webhooks is gone (410)"
            );
        }
        Meaning::Missed { error, .. } => {
            tracing::warn!(webhook_id, attempt, error, "a webhook was not taken");
        }
    }
}

fn failed(delivery: &StoredDelivery, error: &str) -> Alert {
    Alert {
        kind: AlertKind::DeliveryFailed,
        severity: Severity::Action,
        subject: delivery.delivery_id.clone(),
        episode: "once".to_owned(),
        message: format!(
            "The webhook {} of order {} was not taken for a day: {error}.",
            delivery.kind, delivery.order_no
        ),
    }
}

/// The key has a digest: an address may be long, and a secret.
fn gone(url: &str, host: &str) -> Alert {
    Alert {
        kind: AlertKind::EndpointGone,
        severity: Severity::Action,
        subject: hex::encode(Sha256::digest(url)),
        episode: "once".to_owned(),
        message: format!(
            "The receiver of webhooks at {host} answered 410: nothing is sent there any more."
        ),
    }
}
