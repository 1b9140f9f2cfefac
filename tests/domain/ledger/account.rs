//! An account in memory: what the tables keep, moved as the journal moves it.

use oncepay::domain::UnixMillis;
use oncepay::domain::ledger::{
    Balance, Decided, Entry, Found, Hold, HoldStatus, Outcome, Refusal, Request, decide,
};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) balances: BTreeMap<String, Balance>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) holds: BTreeMap<String, Hold>,
    pub(crate) overdraft: i64,
    pub(crate) now: UnixMillis,
}

impl Default for Account {
    fn default() -> Self {
        Self {
            balances: BTreeMap::new(),
            entries: Vec::new(),
            holds: BTreeMap::new(),
            overdraft: 0,
            now: UnixMillis(1_000),
        }
    }
}

impl Account {
    pub(crate) fn balance(&self, kind: &str) -> Balance {
        self.balances.get(kind).copied().unwrap_or_default()
    }

    fn found(&self, request: &Request) -> Found {
        let (kind, source, hold_no) = match request {
            Request::Debit { kind, debit_no, .. } => {
                (Some(kind.clone()), format!("debit:{debit_no}"), "")
            }
            Request::Hold { kind, hold_no, .. } => {
                (Some(kind.clone()), String::new(), hold_no.as_str())
            }
            Request::Capture { hold_no, .. }
            | Request::Release { hold_no }
            | Request::Expire { hold_no } => (None, String::new(), hold_no.as_str()),
        };
        let hold = self.holds.get(hold_no).cloned();
        let kind = kind.or_else(|| hold.as_ref().map(|hold| hold.kind.clone()));
        Found {
            balance: self.balance(&kind.unwrap_or_default()),
            entry: self
                .entries
                .iter()
                .find(|entry| entry.source == source)
                .cloned(),
            hold,
        }
    }

    /// Asks, and keeps what is decided.
    pub(crate) fn ask(&mut self, request: &Request) -> Result<Outcome, Refusal> {
        let Decided { movement, outcome } =
            decide(&self.found(request), request, self.now, self.overdraft);
        if let Some(movement) = movement {
            assert!(
                movement.quantity != 0 || movement.held != 0,
                "a movement that moves nothing"
            );
            assert_eq!(movement.entry.is_some(), movement.quantity != 0);
            let balance = self.balances.entry(movement.kind.clone()).or_default();
            balance.balance += movement.quantity;
            balance.held += movement.held;
            let balance_after = balance.balance;
            if let Some((source, _)) = movement.entry {
                self.book(source, &movement.kind, movement.quantity, balance_after);
            }
            if let Some(hold) = movement.hold {
                self.holds.insert(hold.hold_no.clone(), hold);
            }
        }
        outcome
    }

    fn book(&mut self, source: String, kind: &str, quantity: i64, balance_after: i64) {
        self.entries.push(Entry {
            entry_id: format!("ent_{}", self.entries.len()),
            at: self.now,
            kind: kind.to_owned(),
            quantity,
            source,
            balance_after,
        });
    }

    /// What an order books: a grant, or a revocation.
    pub(crate) fn credit(&mut self, kind: &str, quantity: i64) {
        let balance = self.balances.entry(kind.to_owned()).or_default();
        balance.balance += quantity;
        let balance_after = balance.balance;
        let source = format!("order:{}", self.entries.len());
        self.book(source, kind, quantity, balance_after);
    }

    /// What an order holds back.
    fn ordered(&mut self, hold_no: &str, kind: &str, quantity: i64) {
        self.balances.entry(kind.to_owned()).or_default().held += quantity;
        let hold = Hold {
            hold_no: hold_no.to_owned(),
            kind: kind.to_owned(),
            quantity,
            captured: 0,
            status: HoldStatus::Held,
            expires_at: None,
            created_at: self.now,
        };
        self.holds.insert(hold_no.to_owned(), hold);
    }

    pub(crate) fn tick(&mut self, seconds: i64) {
        self.now = self.now.plus(seconds * 1_000);
    }
}

/// Plays a story. Each line is a request, what it comes to, and then the balance of its kind and what is held of it.
pub(crate) fn play(story: &str) {
    let mut account = Account::default();
    for line in story.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (asked, expected) = line.split_once("->").unwrap();
        let words: Vec<&str> = asked.split_whitespace().collect();
        let (outcome, kind) = step(&mut account, &words);
        let Balance { balance, held } = account.balance(&kind);
        let seen = format!("{outcome} {balance} {held}");
        let tidy = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(tidy(&seen), tidy(expected), "{line}\nin the story{story}");
    }
}

fn step(account: &mut Account, words: &[&str]) -> (String, String) {
    let number = |text: &str| text.parse::<i64>().unwrap();
    let no = |text: &str| text.to_owned();
    let credits = "credits".to_owned();
    let request = match *words {
        ["credit", kind, quantity] => {
            account.credit(kind, number(quantity));
            return (String::new(), kind.to_owned());
        }
        ["ordered", hold_no, kind, quantity] => {
            account.ordered(hold_no, kind, number(quantity));
            return (String::new(), kind.to_owned());
        }
        ["overdraft", quantity] => {
            account.overdraft = number(quantity);
            return (String::new(), credits);
        }
        ["tick", seconds] => {
            account.tick(number(seconds));
            return (String::new(), credits);
        }
        ["debit", debit_no, kind, quantity] => Request::Debit {
            debit_no: no(debit_no),
            kind: kind.to_owned(),
            quantity: number(quantity),
            reason: None,
        },
        ["hold", hold_no, kind, quantity, seconds] => Request::Hold {
            hold_no: no(hold_no),
            kind: kind.to_owned(),
            quantity: number(quantity),
            expires_in_s: number(seconds),
        },
        ["capture", hold_no, quantity] => Request::Capture {
            hold_no: no(hold_no),
            quantity: number(quantity),
        },
        ["release", hold_no] => Request::Release {
            hold_no: no(hold_no),
        },
        ["expire", hold_no] => Request::Expire {
            hold_no: no(hold_no),
        },
        _ => panic!("no step: {words:?}"),
    };
    let kind = match &request {
        Request::Debit { kind, .. } | Request::Hold { kind, .. } => kind.clone(),
        Request::Capture { .. } | Request::Release { .. } | Request::Expire { .. } => credits,
    };
    let outcome = match account.ask(&request) {
        Ok(Outcome::Entry { source }) => source,
        Ok(Outcome::Hold(hold)) => format!("{} {}", hold.status, hold.captured),
        Err(refusal) => refusal.code().to_owned(),
    };
    (outcome, kind)
}
