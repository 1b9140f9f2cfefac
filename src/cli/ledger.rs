//! `oncepay ledger`.

use super::args::{Cli, Ledger};
use super::problem::Problem;
use super::{out, place};
use crate::store::ledger::{Checked, DIFFERENCES_MAX, Difference, check};
use serde_json::{Value, json};
use std::process::ExitCode;

pub(super) async fn run(cli: &Cli, action: Ledger) -> Result<ExitCode, Problem> {
    match action {
        Ledger::Check => {
            let database = place::open(&place::settings(cli)?).await?;
            let checked = check(&database.read).await?;
            if cli.json {
                out::json(&document(&checked));
            } else {
                tell(&checked);
            }
            Ok(if checked.differences.is_empty() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            })
        }
    }
}

fn document(checked: &Checked) -> Value {
    let difference = |difference: &Difference| {
        json!({
            "account": difference.account,
            "kind": difference.kind,
            "balance": difference.balance,
            "balance_of_entries": difference.balance_of_entries,
            "held": difference.held,
            "held_of_holds": difference.held_of_holds,
        })
    };
    json!({
        "balances": checked.balances,
        "entries": checked.entries,
        "differences": checked.differences.iter().map(difference).collect::<Vec<_>>(),
    })
}

fn tell(checked: &Checked) {
    let Checked {
        balances,
        entries,
        differences,
    } = checked;
    if differences.is_empty() {
        out::line(format_args!(
            "Every balance is the sum of its entries, and what is held the sum of the holds \
             (balances: {balances}, entries: {entries})."
        ));
        return;
    }
    let row = |difference: &Difference| {
        vec![
            difference.account.clone(),
            difference.kind.clone(),
            difference.balance.to_string(),
            difference.balance_of_entries.to_string(),
            difference.held.to_string(),
            difference.held_of_holds.to_string(),
        ]
    };
    let headings = ["ACCOUNT", "KIND", "BALANCE", "ENTRIES", "HELD", "HOLDS"];
    out::table(&headings, &differences.iter().map(row).collect::<Vec<_>>());
    let more = if differences.len() == DIFFERENCES_MAX {
        " at least"
    } else {
        ""
    };
    out::line(format_args!(
        "Of {balances} balances{more} {} differ from their {entries} entries or their holds. Nothing was changed: \
         find out which hand has written there, then book the difference.",
        differences.len()
    ));
}
