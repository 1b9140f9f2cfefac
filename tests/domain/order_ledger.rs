//! A ledger as small as can be: what the postings of decisions come to.

use oncepay::domain::order::Posting;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(crate) struct Ledger {
    balances: BTreeMap<(String, String), i64>,
    held: BTreeMap<(String, String), i64>,
    sources: BTreeSet<(String, String, String)>,
}

impl Ledger {
    /// Takes a posting in; panics where an account would move twice for one source, or hold less than nothing.
    pub(crate) fn take(&mut self, posting: &Posting) {
        let key = (posting.account.clone(), posting.kind.clone());
        if posting.quantity != 0 {
            let source = (key.0.clone(), key.1.clone(), posting.source.clone());
            assert!(self.sources.insert(source), "it moves twice: {posting:?}");
            *self.balances.entry(key.clone()).or_default() += posting.quantity;
        }
        if let Some(held) = posting.held {
            let now = self.held.entry(key).or_default();
            assert_eq!(*now, held.before, "held otherwise: {posting:?}");
            assert!(held.after >= 0, "less than nothing is held: {posting:?}");
            *now = held.after;
        }
    }

    pub(crate) fn balance(&self, kind: &str) -> i64 {
        let key = ("u1".to_owned(), kind.to_owned());
        self.balances.get(&key).copied().unwrap_or_default()
    }

    pub(crate) fn held(&self, kind: &str) -> i64 {
        let key = ("u1".to_owned(), kind.to_owned());
        self.held.get(&key).copied().unwrap_or_default()
    }
}
