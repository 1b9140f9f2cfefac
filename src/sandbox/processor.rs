//! The sandbox itself: its ledger and its file, and the one way to change them.

use super::book::{Book, Calls};
use super::change::{Change, Landed};
use super::change_refund::Refunded;
use super::directives::Script;
use super::journal::{Journal, OpenError};
use super::record::{ChargeRequest, Record, RefundRequest};
use crate::channels::signing::SigningKey;
use crate::clock::SharedClock;
use secrecy::SecretString;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
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
    /// Locked while the book is, so that lines stand in the order of the changes.
    journal: Mutex<Journal>,
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
                journal: Mutex::new(journal),
                client,
                callback_permits: Semaphore::new(CALLBACKS_AT_ONCE),
                runtime: Handle::current(),
            }),
        };
        sandbox.resume();
        Ok(sandbox)
    }

    /// A submit lands, and what its script wants later is set going.
    pub(super) fn land(&self, request: ChargeRequest, script: &Script) -> Option<Landed> {
        let landed = self.change(|change| change.land(request, script))?;
        if let Landed::New(charge) = &landed {
            self.pay_later(charge, script);
        }
        Some(landed)
    }

    /// A refund arrives, and is settled later if its script wants that.
    pub(super) fn refund(&self, key: &str, request: RefundRequest) -> Option<Refunded> {
        let refunded = self.change(|change| change.refund(key, request))?;
        if let Refunded::New(refund) = &refunded {
            let place = (key.to_owned(), refund.request.refund_no.clone());
            self.settle_refund_later(place);
        }
        Some(refunded)
    }

    /// Makes a change in one step and writes its lines before anyone sees it; callbacks that it asks for are
    /// set going. `None`: the file cannot be written any more, and nothing may be answered.
    pub(super) fn change<T>(&self, act: impl FnOnce(&mut Change<'_>) -> T) -> Option<T> {
        let now_ms = self.now_ms();
        let mut book = self.book();
        let mut change = Change {
            book: &mut book,
            now_ms,
            records: Vec::new(),
        };
        let result = act(&mut change);
        let records = change.records;
        let journal = self.inner.journal.lock();
        let written = journal
            .unwrap_or_else(PoisonError::into_inner)
            .append(&records);
        drop(book);
        written.ok()?;
        for record in records {
            if let Record::Notice(notice) = record {
                self.deliver_later(notice);
            }
        }
        Some(result)
    }

    /// Counts a call.
    pub(super) fn count(&self, key: &str, count: fn(&mut Calls)) -> Calls {
        self.book().count(key, count)
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
}
