//! What an order moves in its account's ledger, in rows.

use crate::clock::new_id;
use crate::domain::order::Posting;
use crate::store::journal::Write;
use entities::{balances, holds, ledger_entries};

/// The kind of entitlement that is a period of time.
const SUBSCRIPTION: &str = "subscription";

/// A change of a balance: `row` holds by how much it moves, and how it stands if it is new.
#[derive(Debug)]
pub(in crate::store) struct MovementRow {
    pub(in crate::store) row: balances::Model,
    /// The version that the balance must have, 0 for none; `None` is any.
    pub(in crate::store) expected_version: Option<i64>,
}

/// The movements of one write, their entries, and what is held back.
#[derive(Debug, Default)]
pub(in crate::store) struct PostingRows {
    pub(in crate::store) movements: Vec<MovementRow>,
    /// `balance_after` and the period are the database's to say. Until then `period_from` is the period's length, and
    /// `balance_after` and `period_until` are what later entries of the same write move the balance and its end by.
    pub(in crate::store) entries: Vec<ledger_entries::Model>,
    pub(in crate::store) holds: Vec<holds::Model>,
}

pub(super) fn rows(write: &Write) -> PostingRows {
    let mut rows = PostingRows::default();
    for posting in &write.postings {
        let period_ms = (posting.kind == SUBSCRIPTION && posting.quantity != 0).then(|| {
            write
                .subscription_period_ms
                .saturating_mul(posting.quantity)
        });
        rows.moves(movement(write, posting, period_ms));
        if let Some(entry) = entry(write, posting, period_ms) {
            rows.enters(entry);
        }
        if let Some(hold) = hold(write, posting) {
            rows.holds_back(hold);
        }
    }
    rows
}

/// One decision may move a balance twice: one notice tells of two refunds. A statement over many rows applies one of
/// two changes of a row, whichever it likes, so that each row is changed once.
impl PostingRows {
    fn moves(&mut self, row: balances::Model) {
        let same = |known: &&mut MovementRow| {
            (&known.row.account, &known.row.kind) == (&row.account, &row.kind)
        };
        let Some(known) = self.movements.iter_mut().find(same) else {
            self.movements.push(MovementRow {
                row,
                expected_version: None,
            });
            return;
        };
        let known = &mut known.row;
        known.balance = known.balance.saturating_add(row.balance);
        known.held = known.held.saturating_add(row.held);
        known.negative_since = (known.balance < 0).then_some(row.updated_at);
        known.valid_until = match (known.valid_until, row.valid_until) {
            (Some(first), Some(then)) => {
                Some(first.saturating_add(then).saturating_sub(row.updated_at))
            }
            (one, other) => one.or(other),
        };
    }

    fn enters(&mut self, entry: ledger_entries::Model) {
        let same = |known: &&mut ledger_entries::Model| {
            (&known.account, &known.kind) == (&entry.account, &entry.kind)
        };
        for known in self.entries.iter_mut().filter(same) {
            known.balance_after = known.balance_after.saturating_add(entry.quantity);
            known.period_until = match (known.period_until, entry.period_from) {
                (Some(first), Some(then)) => Some(first.saturating_add(then)),
                (one, other) => one.or(other),
            };
        }
        self.entries.push(entry);
    }

    fn holds_back(&mut self, row: holds::Model) {
        let same = |known: &&mut holds::Model| {
            (&known.account, &known.hold_no) == (&row.account, &row.hold_no)
        };
        match self.holds.iter_mut().find(same) {
            Some(known) => *known = row,
            None => self.holds.push(row),
        }
    }
}

fn movement(write: &Write, posting: &Posting, period_ms: Option<i64>) -> balances::Model {
    let at = write.at.0;
    let held = posting
        .held
        .map_or(0, |held| held.after.saturating_sub(held.before));
    balances::Model {
        account: posting.account.clone(),
        kind: posting.kind.clone(),
        balance: posting.quantity,
        held,
        valid_until: period_ms.map(|period_ms| at.saturating_add(period_ms)),
        negative_since: (posting.quantity < 0).then_some(at),
        version: 1,
        last_decision: write.decision_id.0.clone(),
        updated_at: at,
    }
}

fn entry(
    write: &Write,
    posting: &Posting,
    period_ms: Option<i64>,
) -> Option<ledger_entries::Model> {
    (posting.quantity != 0).then(|| ledger_entries::Model {
        seq: 0,
        account: posting.account.clone(),
        source: posting.source.clone(),
        kind: posting.kind.clone(),
        entry_id: new_id("ent"),
        at: write.at.0,
        quantity: posting.quantity,
        balance_after: 0,
        period_from: period_ms,
        period_until: None,
        note: None,
        decision_id: write.decision_id.0.clone(),
    })
}

/// What an order holds back is a hold of its own, which no merchant's number can name.
fn hold(write: &Write, posting: &Posting) -> Option<holds::Model> {
    let held = posting.held?;
    let is_held = held.after > 0;
    Some(holds::Model {
        account: posting.account.clone(),
        hold_no: format!("order:{}:{}", write.order.order_no, posting.kind),
        kind: posting.kind.clone(),
        quantity: if is_held { held.after } else { held.before },
        captured: 0,
        status: if is_held { "HELD" } else { "RELEASED" }.to_owned(),
        expires_at: None,
        created_at: write.at.0,
        updated_at: write.at.0,
    })
}
