//! A movement of an account that belongs to no order, in rows.

use super::postings::MovementRow;
use crate::store::journal::AccountWrite;
use entities::{balances, holds, ledger_entries};

/// Everything that one decision about an account writes.
#[derive(Debug)]
pub(in crate::store) struct AccountRows {
    pub(in crate::store) movement: MovementRow,
    pub(in crate::store) entry: Option<ledger_entries::Model>,
    pub(in crate::store) hold: Option<holds::Model>,
}

/// The rows of this write.
pub(in crate::store) fn prepare_account(write: &AccountWrite) -> AccountRows {
    let at = write.at.0;
    let decision = &write.decision_id.0;
    AccountRows {
        movement: MovementRow {
            row: balances::Model {
                account: write.account.clone(),
                kind: write.kind.clone(),
                balance: write.quantity,
                held: write.held,
                valid_until: None,
                negative_since: (write.quantity < 0).then_some(at),
                version: 1,
                last_decision: decision.clone(),
                updated_at: at,
            },
            expected_version: Some(write.expected_version.unwrap_or(0)),
        },
        entry: write.entry.as_ref().map(|entry| ledger_entries::Model {
            seq: 0,
            account: write.account.clone(),
            source: entry.source.clone(),
            kind: write.kind.clone(),
            entry_id: entry.entry_id.clone(),
            at,
            quantity: write.quantity,
            balance_after: 0,
            period_from: None,
            period_until: None,
            note: entry.note.clone(),
            decision_id: decision.clone(),
        }),
        hold: write.hold.as_ref().map(|hold| holds::Model {
            account: write.account.clone(),
            hold_no: hold.hold_no.clone(),
            kind: write.kind.clone(),
            quantity: hold.quantity,
            captured: hold.captured,
            status: hold.status.as_str().to_owned(),
            expires_at: hold.expires_at.map(|at| at.0),
            created_at: hold.created_at.0,
            updated_at: at,
        }),
    }
}
