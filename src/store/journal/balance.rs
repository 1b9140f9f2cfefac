//! What a movement makes of a balance, and its entry of it.

use crate::store::mapping::MovementRow;
use entities::{balances, ledger_entries};

/// The balance as it stands after the movement; `None` if it is not as the movement expects.
pub(super) fn moved(
    found: Option<&balances::Model>,
    movement: &MovementRow,
) -> Option<balances::Model> {
    let by = &movement.row;
    let version = found.map_or(0, |row| row.version);
    if movement
        .expected_version
        .is_some_and(|expected| expected != version)
    {
        return None;
    }
    let Some(found) = found else {
        return Some(by.clone());
    };
    let balance = found.balance.saturating_add(by.balance);
    Some(balances::Model {
        balance,
        held: found.held.saturating_add(by.held),
        valid_until: valid_until(found, by),
        negative_since: (balance < 0).then(|| found.negative_since.unwrap_or(by.updated_at)),
        version: version.saturating_add(1),
        ..by.clone()
    })
}

/// What is added to a subscription that still runs follows it; what is taken away shortens it.
fn valid_until(found: &balances::Model, by: &balances::Model) -> Option<i64> {
    let Some(fresh) = by.valid_until else {
        return found.valid_until;
    };
    let now = by.updated_at;
    let runs = found.valid_until.is_some_and(|until| until > now);
    if fresh < now || runs {
        let until = found.valid_until.unwrap_or(now);
        return Some(until.saturating_add(fresh).saturating_sub(now));
    }
    Some(fresh)
}

/// The entry with what only the balance tells: how it stands then, and which period of a subscription it is.
pub(super) fn entered(
    entry: &ledger_entries::Model,
    moved: &balances::Model,
) -> ledger_entries::Model {
    let ends = entry
        .period_from
        .zip(moved.valid_until)
        .map(|(length, until)| {
            let until = until.saturating_sub(entry.period_until.unwrap_or_default());
            let other = until.saturating_sub(length);
            (until.min(other), until.max(other))
        });
    ledger_entries::Model {
        balance_after: moved.balance.saturating_sub(entry.balance_after),
        period_from: ends.map(|(from, _)| from),
        period_until: ends.map(|(_, until)| until),
        ..entry.clone()
    }
}
