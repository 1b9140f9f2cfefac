//! The sandbox's ledger in memory.

use super::record::{Charge, Notice, Record, Refund};
use std::collections::{BTreeMap, HashMap};

/// How many calls a key has received since the sandbox started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Calls {
    pub(super) submits: u32,
    pub(super) queries: u32,
    pub(super) closes: u32,
    pub(super) refunds: u32,
    pub(super) refund_queries: u32,
}

/// Everything that the sandbox knows.
#[derive(Debug, Default)]
pub(super) struct Book {
    pub(super) charges: HashMap<String, Charge>,
    /// By key and refund number.
    pub(super) refunds: BTreeMap<(String, String), Refund>,
    pub(super) calls: HashMap<String, Calls>,
    /// Those that were not acknowledged yet.
    pub(super) notices: HashMap<String, Notice>,
    /// Signed requests about a key.
    pub(super) requests: u64,
}

impl Book {
    /// Takes up a line of the file.
    pub(super) fn replay(&mut self, record: Record) {
        match record {
            Record::Charge(charge) => {
                let key = charge.request.idempotency_key.clone();
                self.charges.insert(key, charge);
            }
            Record::Refund(refund) => {
                let key = refund.idempotency_key.clone();
                let refund_no = refund.request.refund_no.clone();
                self.refunds.insert((key, refund_no), refund);
            }
            Record::Notice(notice) => {
                self.notices.insert(notice.id.clone(), notice);
            }
            Record::NoticeDone(id) => {
                self.notices.remove(&id);
            }
        }
    }

    /// Counts a signed call about a key and returns the counts with it.
    pub(super) fn count(&mut self, key: &str, count: fn(&mut Calls)) -> Calls {
        self.requests = self.requests.saturating_add(1);
        let calls = self.calls.entry(key.to_owned()).or_default();
        count(calls);
        *calls
    }

    /// How the subject of this key's charge scripts it; the default for a key without a charge.
    pub(super) fn script(&self, key: &str) -> super::directives::Script {
        let subject = self.charges.get(key).map(|it| it.request.subject.as_str());
        super::directives::Script::parse(subject.unwrap_or_default())
    }
}
