//! The ledger's tables: entries, balances and holds.

use crate::domain::UnixMillis;
use crate::domain::ledger::{Balance, Entry, Found, Hold, Movement, Request};
use crate::domain::order::Posting;
use std::collections::{BTreeMap, HashMap};

/// One movement of an account.
#[derive(Debug)]
pub(in crate::simulator) struct Booked {
    pub(in crate::simulator) source: String,
    pub(in crate::simulator) kind: String,
    pub(in crate::simulator) quantity: i64,
}

#[derive(Debug, Default)]
pub(in crate::simulator) struct Account {
    pub(in crate::simulator) entries: Vec<Booked>,
    pub(in crate::simulator) balances: BTreeMap<String, (Balance, i64)>,
    holds: Vec<Hold>,
}

#[derive(Debug, Default)]
pub(in crate::simulator) struct Accounts {
    all: HashMap<String, Account>,
}

impl Accounts {
    pub(in crate::simulator) fn get(&self, account: &str) -> Option<&Account> {
        self.all.get(account)
    }

    pub(in crate::simulator) fn all(&self) -> impl Iterator<Item = (&String, &Account)> {
        self.all.iter()
    }

    /// Whether the account has moved for this source and kind already.
    pub(super) fn has_moved(&self, posting: &Posting) -> bool {
        posting.quantity != 0
            && self
                .all
                .get(&posting.account)
                .is_some_and(|account| account.has_entry(&posting.source, &posting.kind))
    }

    /// What an order moves is added to whatever the balance is.
    pub(super) fn post(&mut self, posting: &Posting) {
        let account = self.all.entry(posting.account.clone()).or_default();
        let held = posting
            .held
            .map_or(0, |held| held.after.saturating_sub(held.before));
        account.shift(&posting.kind, posting.quantity, held);
        if posting.quantity != 0 {
            account.entries.push(Booked {
                source: posting.source.clone(),
                kind: posting.kind.clone(),
                quantity: posting.quantity,
            });
        }
    }

    /// What a request finds, and the version of the balance that it finds.
    pub(in crate::simulator) fn found(&self, name: &str, request: &Request) -> (Found, i64) {
        let Some(account) = self.all.get(name) else {
            return (Found::default(), 0);
        };
        let (kind, source, hold_no) = match request {
            Request::Debit { debit_no, kind, .. } => (Some(kind), Some(debit_no), None),
            Request::Hold { hold_no, kind, .. } => (Some(kind), None, Some(hold_no)),
            Request::Capture { hold_no, .. }
            | Request::Release { hold_no }
            | Request::Expire { hold_no } => (None, None, Some(hold_no)),
        };
        let hold = account
            .holds
            .iter()
            .find(|hold| Some(&hold.hold_no) == hold_no);
        let kind = kind.or(hold.map(|hold| &hold.kind));
        let balance = kind.and_then(|kind| account.balances.get(kind));
        let (balance, version) = balance.copied().unwrap_or_default();
        let source = source.map(|no| crate::domain::ledger::debit_source(no));
        let booked =
            source.and_then(|source| account.entries.iter().find(|entry| entry.source == source));
        let entry = booked.map(|booked| Entry {
            entry_id: String::new(),
            at: UnixMillis(0),
            kind: booked.kind.clone(),
            quantity: booked.quantity,
            source: booked.source.clone(),
            balance_after: 0,
        });
        let found = Found {
            balance,
            entry,
            hold: hold.cloned(),
        };
        (found, version)
    }

    /// Makes a movement. False if the balance has moved since, or the account for this source already.
    pub(in crate::simulator) fn make(
        &mut self,
        name: &str,
        movement: Movement,
        expected_version: Option<i64>,
        once: bool,
    ) -> bool {
        let account = self.all.entry(name.to_owned()).or_default();
        let version = account
            .balances
            .get(&movement.kind)
            .map_or(0, |(_, version)| *version);
        if expected_version.is_some_and(|expected| expected != version) {
            return false;
        }
        if let Some((source, _)) = &movement.entry {
            if once && account.has_entry(source, &movement.kind) {
                return false;
            }
            account.entries.push(Booked {
                source: source.clone(),
                kind: movement.kind.clone(),
                quantity: movement.quantity,
            });
        }
        account.shift(&movement.kind, movement.quantity, movement.held);
        if let Some(hold) = movement.hold {
            account.holds.retain(|kept| kept.hold_no != hold.hold_no);
            account.holds.push(hold);
        }
        true
    }
}

impl Account {
    fn has_entry(&self, source: &str, kind: &str) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|entry| entry.source == source && entry.kind == kind)
    }

    fn shift(&mut self, kind: &str, quantity: i64, held: i64) {
        let (balance, version) = self.balances.entry(kind.to_owned()).or_default();
        balance.balance = balance.balance.saturating_add(quantity);
        balance.held = balance.held.saturating_add(held);
        *version = version.saturating_add(1);
    }
}
