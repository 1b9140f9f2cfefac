//! The ledger of an account: sequences of requests, each decided over what the ones before it have left.

use super::bytes::Bytes;
use oncepay::domain::UnixMillis;
use oncepay::domain::ledger::{
    Balance, Decided, Entry, Found, Hold, HoldStatus, Movement, QUANTITY_MAX, Request,
    debit_source, decide,
};
use std::collections::BTreeMap;

const KINDS: [&str; 2] = ["credits", "minutes"];
const NUMBERS: [&str; 4] = ["a", "b", "c", "d"];

/// An account as its rows would have it.
#[derive(Default)]
struct Account {
    balances: BTreeMap<String, Balance>,
    entries: BTreeMap<String, Entry>,
    holds: BTreeMap<String, Hold>,
    now: i64,
    overdraft: i64,
}

pub(crate) fn hold(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut account = Account {
        overdraft: bytes.whole().max(0),
        now: 1_800_000_000_000,
        ..Account::default()
    };
    for _ in 0..64 {
        if bytes.is_empty() {
            break;
        }
        account.step(&mut bytes);
    }
}

impl Account {
    fn step(&mut self, bytes: &mut Bytes<'_>) {
        match bytes.below(8) {
            0 => self.order_moves(bytes),
            1 => self.now += 1_000 * i64::from(bytes.byte()),
            _ => {
                let request = request(bytes);
                self.ask(&request);
            }
        }
    }

    /// A grant or a refund moves the balance, whatever is held.
    fn order_moves(&mut self, bytes: &mut Bytes<'_>) {
        let balance = self.balances.entry((*bytes.pick(&KINDS)).to_owned());
        let balance = &mut balance.or_default().balance;
        *balance = balance.saturating_add(bytes.whole());
    }

    fn ask(&mut self, request: &Request) {
        let found = self.found(request);
        let now = UnixMillis(self.now);
        let decided = decide(&found, request, now, self.overdraft);
        let again = decide(&found, request, now, self.overdraft);
        assert_eq!(decided, again, "not the same twice");
        self.judge(&found, request, &decided);
        if let Some(movement) = decided.movement {
            self.take(&movement);
        }
        for kind in KINDS {
            let held = self.holds.values();
            let held = held.filter(|hold| hold.kind == kind && hold.status == HoldStatus::Held);
            let sum: i64 = held.map(|hold| hold.quantity).sum();
            assert_eq!(
                self.balance(kind).held,
                sum,
                "what is held is the sum of the holds"
            );
        }
        let repeated = decide(&self.found(request), request, now, self.overdraft);
        if decided.outcome.is_ok() {
            assert_eq!(repeated.movement, None, "{request:?} moves twice");
            assert_eq!(
                repeated.outcome, decided.outcome,
                "another answer the second time"
            );
        }
    }

    fn judge(&self, found: &Found, request: &Request, decided: &Decided) {
        let Some(movement) = &decided.movement else {
            return;
        };
        assert_eq!(movement.entry.is_some(), movement.quantity != 0);
        assert!(
            movement.quantity <= 0,
            "nobody gives by asking: {movement:?}"
        );
        let was = found.hold.as_ref();
        if let (Some(was), Some(is)) = (was, &movement.hold) {
            assert_eq!(was.status, HoldStatus::Held, "an end ends for ever");
            assert_ne!(is.status, HoldStatus::Held);
            assert_eq!(movement.held, -was.quantity, "all of it is freed");
            assert!((0..=was.quantity).contains(&is.captured));
            assert_eq!(
                movement.quantity, -is.captured,
                "what is captured is what is taken"
            );
        }
        let spends = match request {
            Request::Debit { quantity, .. } | Request::Hold { quantity, .. } if was.is_none() => {
                *quantity
            }
            _ => return,
        };
        let left = i128::from(found.balance.balance) - i128::from(found.balance.held);
        let left = left + i128::from(self.overdraft);
        assert!(i128::from(spends) <= left, "{request:?} of {left}");
        assert!(decided.outcome.is_ok(), "moved and refused: {decided:?}");
    }

    fn found(&self, request: &Request) -> Found {
        let (hold_no, kind, entry) = match request {
            Request::Debit { debit_no, kind, .. } => {
                let entry = self.entries.get(&debit_source(debit_no)).cloned();
                (None, Some(kind), entry)
            }
            Request::Hold { hold_no, kind, .. } => (Some(hold_no), Some(kind), None),
            Request::Capture { hold_no, .. }
            | Request::Release { hold_no }
            | Request::Expire { hold_no } => (Some(hold_no), None, None),
        };
        let hold = hold_no.and_then(|hold_no| self.holds.get(hold_no)).cloned();
        let kind = kind.or(hold.as_ref().map(|hold| &hold.kind));
        Found {
            balance: kind.map(|kind| self.balance(kind)).unwrap_or_default(),
            entry,
            hold,
        }
    }

    fn balance(&self, kind: &str) -> Balance {
        self.balances.get(kind).copied().unwrap_or_default()
    }

    fn take(&mut self, movement: &Movement) {
        let balance = self.balances.entry(movement.kind.clone()).or_default();
        balance.balance = balance.balance.saturating_add(movement.quantity);
        balance.held += movement.held;
        if let Some((source, _)) = &movement.entry {
            let entry = Entry {
                entry_id: String::new(),
                at: UnixMillis(self.now),
                kind: movement.kind.clone(),
                quantity: movement.quantity,
                source: source.clone(),
                balance_after: balance.balance,
            };
            let before = self.entries.insert(source.clone(), entry);
            assert!(before.is_none(), "{source} is booked twice");
        }
        if let Some(hold) = &movement.hold {
            self.holds.insert(hold.hold_no.clone(), hold.clone());
        }
    }
}

fn request(bytes: &mut Bytes<'_>) -> Request {
    let number = (*bytes.pick(&NUMBERS)).to_owned();
    let kind = (*bytes.pick(&KINDS)).to_owned();
    let quantity = bytes.whole().clamp(1, QUANTITY_MAX);
    match bytes.below(5) {
        0 => Request::Debit {
            debit_no: number,
            kind,
            quantity,
            reason: None,
        },
        1 => Request::Hold {
            hold_no: number,
            kind,
            quantity,
            expires_in_s: 1 + i64::from(bytes.byte()),
        },
        2 => Request::Capture {
            hold_no: number,
            quantity,
        },
        3 => Request::Release { hold_no: number },
        _ => Request::Expire { hold_no: number },
    }
}
