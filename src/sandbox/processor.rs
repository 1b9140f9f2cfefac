//! The sandbox itself: its ledger, its file, and what happens by itself later.

use super::book::{Book, Calls};
use super::change::{Change, Landed};
use super::change_refund::Refunded;
use super::directives::{RefundOutcome, Script};
use super::journal::{Journal, OpenError};
use super::record::{Charge, ChargeRequest, Notice, Record, RefundRequest};
use crate::channels::signing::SigningKey;
use crate::clock::SharedClock;
use secrecy::SecretString;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// Callbacks that are under way at the same moment.
const CALLBACKS_AT_ONCE: usize = 128;

/// A processor with its ledger; cheap to clone.
#[derive(Clone)]
pub struct Sandbox {
    inner: Arc<Inner>,
}

struct Inner {
    key: SigningKey,
    clock: SharedClock,
    book: Mutex<Book>,
    journal: Journal,
    client: reqwest::Client,
    callback_permits: Semaphore,
    runtime: Handle,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Sandbox(…)")
    }
}

impl Sandbox {
    /// Opens the ledger in `file`, made if it is missing, and takes up what was left to be done. Timers and
    /// callbacks run on the tokio runtime that this is called in.
    ///
    /// # Errors
    /// When the file cannot be used, is in use, or is not a ledger; when the secret has a wrong form.
    pub fn open(file: &Path, secret: &SecretString, clock: SharedClock) -> Result<Self, OpenError> {
        let key = SigningKey::parse(secret).map_err(OpenError::Secret)?;
        let client = super::deliver::client().map_err(OpenError::Client)?;
        let (journal, records) = Journal::open(file)?;
        let mut book = Book::default();
        for record in records {
            book.replay(record);
        }
        let sandbox = Self {
            inner: Arc::new(Inner {
                key,
                clock,
                book: Mutex::new(book),
                journal,
                client,
                callback_permits: Semaphore::new(CALLBACKS_AT_ONCE),
                runtime: Handle::current(),
            }),
        };
        sandbox.resume();
        Ok(sandbox)
    }

    /// A submit lands, and what its script wants later is set going.
    pub(super) fn land(&self, request: ChargeRequest, script: &Script) -> (Landed, u64) {
        let (landed, line) = self.change(|change| change.land(request, script));
        if let Landed::New(charge) = &landed {
            self.pay_later(charge, script);
        }
        (landed, line)
    }

    /// A refund arrives, and is settled later if its script wants that.
    pub(super) fn refund(&self, key: &str, request: RefundRequest) -> (Refunded, u64) {
        let (refunded, line) = self.change(|change| change.refund(key, request));
        if let Refunded::New(refund) = &refunded {
            let place = (key.to_owned(), refund.request.refund_no.clone());
            self.settle_refund_later(place);
        }
        (refunded, line)
    }

    /// Makes a change in one step and queues its lines; callbacks that it asks for are set going. The number
    /// is that of the newest line: once it is durable, everything that was seen is.
    pub(super) fn change<T>(&self, act: impl FnOnce(&mut Change<'_>) -> T) -> (T, u64) {
        let now_ms = self.now_ms();
        let mut book = self.book();
        let mut change = Change {
            book: &mut book,
            now_ms,
            records: Vec::new(),
        };
        let result = act(&mut change);
        let records = change.records;
        for record in &records {
            self.inner.journal.append(record);
        }
        let line = self.inner.journal.newest();
        drop(book);
        for record in records {
            if let Record::Notice(notice) = record {
                self.deliver_later(notice, line);
            }
        }
        (result, line)
    }

    /// Counts a call.
    pub(super) fn count(&self, key: &str, count: fn(&mut Calls)) -> Calls {
        self.book().count(key, count)
    }

    /// Waits until the line is durable; false when the file cannot be written any more.
    pub(super) async fn is_durable(&self, line: u64) -> bool {
        self.inner.journal.durable(line).await.is_ok()
    }

    pub(super) fn book(&self) -> std::sync::MutexGuard<'_, Book> {
        // A panic inside a change would leave a book that is whole all the same: maps of whole values.
        self.inner
            .book
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn key(&self) -> &SigningKey {
        &self.inner.key
    }

    pub(super) fn client(&self) -> &reqwest::Client {
        &self.inner.client
    }

    pub(super) fn callback_permits(&self) -> &Semaphore {
        &self.inner.callback_permits
    }

    pub(super) fn clock(&self) -> &SharedClock {
        &self.inner.clock
    }

    pub(super) fn runtime(&self) -> &Handle {
        &self.inner.runtime
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.inner.clock.wall().0
    }

    fn pay_later(&self, charge: &Charge, script: &Script) {
        let Some(delay) = script.pay_after else {
            return;
        };
        let due = charge.created_at.saturating_add(millis(delay));
        let wait = Duration::from_millis(
            u64::try_from(due.saturating_sub(self.now_ms())).unwrap_or_default(),
        );
        let sandbox = self.clone();
        let key = charge.request.idempotency_key.clone();
        self.runtime().spawn(async move {
            tokio::time::sleep(wait).await;
            sandbox.change(|change| change.pay(&key));
        });
    }

    fn settle_refund_later(&self, place: (String, String)) {
        let script = self.book().script(&place.0);
        let (RefundOutcome::Pending, Some(delay)) = (script.refund, script.refund_after) else {
            return;
        };
        let sandbox = self.clone();
        self.runtime().spawn(async move {
            tokio::time::sleep(delay).await;
            sandbox.change(|change| change.settle_refund(&place));
        });
    }

    fn deliver_later(&self, notice: Notice, line: u64) {
        let sandbox = self.clone();
        self.runtime().spawn(async move {
            if sandbox.is_durable(line).await {
                sandbox.deliver(notice).await;
            }
        });
    }

    /// After a restart: callbacks that were not acknowledged, payments and refunds that were to come.
    fn resume(&self) {
        let (notices, charges, refunds) = {
            let book = self.book();
            let notices: Vec<Notice> = book.notices.values().cloned().collect();
            let charges: Vec<Charge> = book.charges.values().cloned().collect();
            let refunds: Vec<(String, String)> = book.refunds.keys().cloned().collect();
            (notices, charges, refunds)
        };
        for notice in notices {
            self.deliver_later(notice, 0);
        }
        for charge in charges
            .into_iter()
            .filter(|charge| charge.trades.is_empty())
        {
            self.pay_later(&charge, &Script::parse(&charge.request.subject));
        }
        for place in refunds {
            self.settle_refund_later(place);
        }
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
