//! What a request does to an account.

use super::{Balance, Found, Hold, HoldStatus, Refusal, Request, debit_source};
use crate::domain::UnixMillis;

/// One movement of one balance, committed in one write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    pub kind: String,
    /// What the balance moves by.
    pub quantity: i64,
    /// What is held back moves by this.
    pub held: i64,
    /// The entry of a `quantity` that is not 0: its source and its words.
    pub entry: Option<(String, Option<String>)>,
    /// The hold as it will stand.
    pub hold: Option<Hold>,
}

/// What a request comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The entry with this source, as it was booked.
    Entry {
        source: String,
    },
    Hold(Hold),
}

/// What is to be committed, and what the request comes to then. A refusal may have something to commit too: a
/// capture that comes too late finds that the hold has expired, and says so in its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    pub movement: Option<Movement>,
    pub outcome: Result<Outcome, Refusal>,
}

impl Decided {
    const fn nothing(outcome: Result<Outcome, Refusal>) -> Self {
        Self {
            movement: None,
            outcome,
        }
    }

    /// The hold as it stands, since nothing is left to do.
    fn stands(hold: &Hold) -> Self {
        Self::nothing(Ok(Outcome::Hold(hold.clone())))
    }
}

/// Decides about a request. `overdraft` is how far below zero the account may spend.
#[must_use]
pub fn decide(found: &Found, request: &Request, now: UnixMillis, overdraft: i64) -> Decided {
    match request {
        Request::Debit {
            debit_no,
            kind,
            quantity,
            reason,
        } => {
            let source = debit_source(debit_no);
            if let Some(entry) = &found.entry {
                let same = entry.kind == *kind && entry.quantity.checked_neg() == Some(*quantity);
                return Decided::nothing(if same {
                    Ok(Outcome::Entry { source })
                } else {
                    Err(Refusal::DebitConflict)
                });
            }
            debit(found.balance, overdraft, (kind, *quantity), source, reason)
        }
        Request::Hold {
            hold_no,
            kind,
            quantity,
            expires_in_s,
        } => {
            let asked = Hold {
                hold_no: hold_no.clone(),
                kind: kind.clone(),
                quantity: *quantity,
                captured: 0,
                status: HoldStatus::Held,
                expires_at: Some(now.plus(expires_in_s.saturating_mul(1_000))),
                created_at: now,
            };
            match &found.hold {
                Some(hold) if !is_same(hold, &asked) => {
                    Decided::nothing(Err(Refusal::HoldConflict))
                }
                Some(hold) if hold.is_due(now) => expired(hold, Ok(())),
                Some(hold) => Decided::stands(hold),
                None => hold_back(found.balance, overdraft, asked),
            }
        }
        Request::Capture { hold_no, quantity } => match own(found, hold_no) {
            Err(refusal) => Decided::nothing(Err(refusal)),
            Ok(hold) => capture(hold, *quantity, now),
        },
        Request::Release { hold_no } => match own(found, hold_no) {
            Err(refusal) => Decided::nothing(Err(refusal)),
            Ok(hold) => release(hold, now),
        },
        Request::Expire { hold_no } => match own(found, hold_no) {
            Err(refusal) => Decided::nothing(Err(refusal)),
            Ok(hold) if hold.is_due(now) => expired(hold, Ok(())),
            Ok(hold) => Decided::stands(hold),
        },
    }
}

fn debit(
    balance: Balance,
    overdraft: i64,
    (kind, quantity): (&str, i64),
    source: String,
    reason: &Option<String>,
) -> Decided {
    let fits = suffices(balance, overdraft, quantity);
    if !fits || balance.balance.checked_sub(quantity).is_none() {
        return Decided::nothing(Err(Refusal::InsufficientBalance));
    }
    Decided {
        movement: Some(Movement {
            kind: kind.to_owned(),
            quantity: quantity.saturating_neg(),
            held: 0,
            entry: Some((source.clone(), reason.clone())),
            hold: None,
        }),
        outcome: Ok(Outcome::Entry { source }),
    }
}

fn hold_back(balance: Balance, overdraft: i64, hold: Hold) -> Decided {
    let fits = suffices(balance, overdraft, hold.quantity);
    if !fits || balance.held.checked_add(hold.quantity).is_none() {
        return Decided::nothing(Err(Refusal::InsufficientBalance));
    }
    moved(hold.quantity, hold)
}

/// What is held was available when it was put aside: taking it needs nothing more, whatever the balance has become.
fn capture(hold: &Hold, quantity: i64, now: UnixMillis) -> Decided {
    match hold.status {
        HoldStatus::Held if hold.is_due(now) => expired(hold, Err(Refusal::HoldExpired)),
        HoldStatus::Held if quantity > hold.quantity => {
            Decided::nothing(Err(Refusal::CaptureExceedsHold))
        }
        HoldStatus::Held => {
            let captured = Hold {
                captured: quantity,
                status: HoldStatus::Captured,
                ..hold.clone()
            };
            Decided {
                movement: Some(Movement {
                    kind: hold.kind.clone(),
                    quantity: quantity.saturating_neg(),
                    held: hold.quantity.saturating_neg(),
                    entry: Some((format!("hold:{}", hold.hold_no), None)),
                    hold: Some(captured.clone()),
                }),
                outcome: Ok(Outcome::Hold(captured)),
            }
        }
        HoldStatus::Captured if hold.captured == quantity => Decided::stands(hold),
        HoldStatus::Captured => Decided::nothing(Err(Refusal::HoldConflict)),
        HoldStatus::Released => Decided::nothing(Err(Refusal::HoldEnded)),
        HoldStatus::Expired => Decided::nothing(Err(Refusal::HoldExpired)),
    }
}

/// One that has expired is free already, which is all that a release wants.
fn release(hold: &Hold, now: UnixMillis) -> Decided {
    match hold.status {
        HoldStatus::Held if hold.is_due(now) => expired(hold, Ok(())),
        HoldStatus::Held => ended(hold, HoldStatus::Released),
        HoldStatus::Released | HoldStatus::Expired => Decided::stands(hold),
        HoldStatus::Captured => Decided::nothing(Err(Refusal::HoldEnded)),
    }
}

/// The hold expires, and the request comes to this.
fn expired(hold: &Hold, outcome: Result<(), Refusal>) -> Decided {
    let decided = ended(hold, HoldStatus::Expired);
    match outcome {
        Ok(()) => decided,
        Err(refusal) => Decided {
            outcome: Err(refusal),
            ..decided
        },
    }
}

fn ended(hold: &Hold, status: HoldStatus) -> Decided {
    let freed = hold.quantity.saturating_neg();
    moved(
        freed,
        Hold {
            status,
            ..hold.clone()
        },
    )
}

/// Moves what is held back alone.
fn moved(held: i64, hold: Hold) -> Decided {
    Decided {
        movement: Some(Movement {
            kind: hold.kind.clone(),
            quantity: 0,
            held,
            entry: None,
            hold: Some(hold.clone()),
        }),
        outcome: Ok(Outcome::Hold(hold)),
    }
}

const fn suffices(balance: Balance, overdraft: i64, quantity: i64) -> bool {
    balance.available().saturating_add(overdraft) >= quantity
}

/// The same number again means the same: what is held, how much of it and for how long.
fn is_same(hold: &Hold, asked: &Hold) -> bool {
    let length = |hold: &Hold| hold.expires_at.map(|at| at.since(hold.created_at));
    (&hold.kind, hold.quantity, length(hold)) == (&asked.kind, asked.quantity, length(asked))
}

/// The hold of this number, if it is the account's own: one of an order is nobody's to touch.
fn own<'a>(found: &'a Found, hold_no: &str) -> Result<&'a Hold, Refusal> {
    let hold = found.hold.as_ref();
    hold.filter(|hold| hold.hold_no == hold_no && hold.expires_at.is_some())
        .ok_or(Refusal::NoSuchHold)
}
