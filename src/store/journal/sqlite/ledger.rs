//! The ledger, row by row.

use super::super::balance::{entered, moved};
use super::cells::{Write, text};
use crate::store::mapping::{AccountRows, MovementRow, PostingRows};
use entities::{balances, ledger_entries};
use rusqlite::{Result, Row};

/// The movements of an order: it stands already, and they are made whatever the balances are.
pub(super) fn postings(write: &Write<'_>, rows: &PostingRows) -> Result<()> {
    for movement in &rows.movements {
        let Some(moved) = moves(write, movement)? else {
            continue;
        };
        for entry in &rows.entries {
            if entry.kind == moved.kind {
                enter(write, entry, &moved)?;
            }
        }
        let holds = rows.holds.iter().filter(|row| row.kind == moved.kind);
        write.rows(&write.texts.hold, holds)?;
    }
    Ok(())
}

/// The movement of an account, if its balance is as it expects and its source has not moved it yet.
pub(super) fn of_account(write: &Write<'_>, rows: &AccountRows) -> Result<bool> {
    if let Some(entry) = &rows.entry {
        let source = [text(&entry.account), text(&entry.source)];
        if write.is_there(&write.texts.is_booked, source)? {
            return Ok(false);
        }
    }
    let Some(moved) = moves(write, &rows.movement)? else {
        return Ok(false);
    };
    if let Some(entry) = &rows.entry {
        enter(write, entry, &moved)?;
    }
    write.rows(&write.texts.hold, &rows.hold)?;
    Ok(true)
}

/// The balance as it stands after the movement; `None` if it is not as expected.
fn moves(write: &Write<'_>, movement: &MovementRow) -> Result<Option<balances::Model>> {
    let key = [text(&movement.row.account), text(&movement.row.kind)];
    let found = write.find(&write.texts.balance, key, read)?;
    let Some(next) = moved(found.as_ref(), movement) else {
        return Ok(None);
    };
    write.row(&write.texts.moved, &next)?;
    Ok(Some(next))
}

/// A row of `balances`, in the order of its columns.
fn read(row: &Row<'_>) -> Result<balances::Model> {
    Ok(balances::Model {
        account: row.get(0)?,
        kind: row.get(1)?,
        balance: row.get(2)?,
        held: row.get(3)?,
        valid_until: row.get(4)?,
        negative_since: row.get(5)?,
        version: row.get(6)?,
        last_decision: row.get(7)?,
        updated_at: row.get(8)?,
    })
}

/// The database numbers it.
fn enter(write: &Write<'_>, entry: &ledger_entries::Model, moved: &balances::Model) -> Result<()> {
    let (entry, number) = (entered(entry, moved), write.texts.number);
    let written = write.row_and(&write.texts.entry, &entry, number, []);
    written.map(drop)
}
