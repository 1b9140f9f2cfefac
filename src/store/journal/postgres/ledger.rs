//! The texts of the ledger: balances move by what is given, and entries tell where they stand then.

use super::super::rows::{names, replacing};
use super::table::{Parameter, rows};
use super::text::{epoch, of_x};
use entities::{balances, holds, ledger_entries};

/// Where the balances stand that movements have changed.
const MOVED: &str = "moved";
/// Whether the decision of movement `x`, which belongs to an order, stands in it.
const ORDER_STANDS: &str = "((x.guard_order, x.last_decision) IN \
                            (SELECT order_id, last_decision FROM done)) IS TRUE";

/// Balances that are there move. That of an order moves with it; another one only at the version that was decided
/// about, and once for one source: the place of its entry is looked at where it will be written.
pub(super) fn moves() -> String {
    format!(
        "UPDATE balances SET balance = balances.balance + x.balance, held = balances.held + x.held, \
         valid_until = {VALID_UNTIL}, negative_since = CASE WHEN balances.balance + x.balance < 0 \
         THEN coalesce(balances.negative_since, x.updated_at) END, version = balances.version + 1, \
         last_decision = x.last_decision, updated_at = x.updated_at FROM {} \
         WHERE balances.account = x.account AND balances.kind = x.kind AND {} \
         AND (x.expected_version IS NULL OR x.expected_version = balances.version)",
        rows(Parameter::Movements),
        may_move(),
    )
}

/// Balances that are not there yet begin.
pub(super) fn begins() -> String {
    let columns = names::<balances::Entity>(&[]);
    format!(
        "INSERT INTO balances ({}) SELECT {} FROM {} WHERE {} AND coalesce(x.expected_version, 0) = 0 \
         AND NOT EXISTS (SELECT 1 FROM balances AS b WHERE b.account = x.account AND b.kind = x.kind)",
        columns.join(", "),
        of_x(&columns),
        rows(Parameter::Movements),
        may_move(),
    )
}

fn may_move() -> String {
    format!(
        "((x.guard_order IS NULL AND {} AND (x.source IS NULL OR NOT EXISTS (SELECT 1 FROM ledger_entries AS e \
         WHERE e.account = x.account AND e.source = x.source))) OR {})",
        epoch(),
        ORDER_STANDS
    )
}

/// One entry for each movement that stands; `period_from` comes as the length of the period, `balance_after` and
/// `period_until` as what later entries of the same write move. They are numbered in the order of their ids.
pub(super) fn entries() -> String {
    let columns = names::<ledger_entries::Entity>(&["seq"]);
    let values: Vec<_> = columns
        .iter()
        .map(|name| match *name {
            "balance_after" => "b.balance - x.balance_after".to_owned(),
            "period_from" => format!(
                "CASE WHEN x.period_from >= 0 THEN {PERIOD_END} - x.period_from \
                 WHEN x.period_from < 0 THEN {PERIOD_END} END"
            ),
            "period_until" => format!(
                "CASE WHEN x.period_from >= 0 THEN {PERIOD_END} \
                 WHEN x.period_from < 0 THEN {PERIOD_END} - x.period_from END"
            ),
            given => format!("x.{given}"),
        })
        .collect();
    format!(
        "INSERT INTO ledger_entries ({}) SELECT {} FROM {} JOIN {} AS b ON b.account = x.account \
         AND b.kind = x.kind AND b.last_decision = x.decision_id ORDER BY x.entry_id",
        columns.join(", "),
        values.join(", "),
        rows(Parameter::Entries),
        MOVED,
    )
}

pub(super) fn holds() -> String {
    let columns = names::<holds::Entity>(&[]);
    format!(
        "INSERT INTO holds ({}) SELECT {} FROM {} WHERE ((x.account, x.kind, x.guard_decision) IN \
         (SELECT account, kind, last_decision FROM {})) IS TRUE{}",
        columns.join(", "),
        of_x(&columns),
        rows(Parameter::Holds),
        MOVED,
        replacing::<holds::Entity>(
            "account, hold_no",
            &["account", "hold_no", "kind", "created_at"]
        ),
    )
}

/// Where a subscription ends after an entry.
const PERIOD_END: &str = "(b.valid_until - coalesce(x.period_until, 0))";

/// What is added to a subscription that still runs follows it; what is taken away shortens it. Periods never overlap.
const VALID_UNTIL: &str = "CASE WHEN x.valid_until IS NULL THEN balances.valid_until \
     WHEN x.valid_until < x.updated_at OR balances.valid_until > x.updated_at \
     THEN coalesce(balances.valid_until, x.updated_at) + x.valid_until - x.updated_at \
     ELSE x.valid_until END";
