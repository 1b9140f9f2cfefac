//! `oncepay audit verify`: whether the audit log is as it was written.

use super::args::{Audit, Cli};
use super::problem::Problem;
use super::{out, place};
use crate::config::kept;
use crate::store::audit::Head;
use crate::store::audit_check::{Verified, verify};
use serde_json::json;
use std::process::ExitCode;

pub(super) async fn run(cli: &Cli, action: &Audit) -> Result<ExitCode, Problem> {
    let Audit::Verify { head: known } = action;
    let settings = place::settings(cli)?;
    let database = place::open(&settings).await?;
    let file = settings.data_dir.join(kept::AUDIT_KEY);
    let key = kept::read_audit_key(&settings.data_dir)
        .map_err(|error| Problem::file(&file, &error))?
        .ok_or_else(|| {
            Problem::Plain(format!(
                "the log's key is not at {}: without the key that it was written with it cannot be verified",
                file.display()
            ))
        })?;
    let verified = verify(&database.read, &key, known.as_ref()).await?;
    Ok(told(cli, &verified))
}

fn told(cli: &Cli, verified: &Verified) -> ExitCode {
    match verified {
        Verified::Whole(head) if cli.json => {
            out::json(&json!({"whole": true, "rows": head.seq, "head": head.to_string()}));
        }
        Verified::Whole(head) => out::line(format_args!(
            "The audit log is whole: {} rows, head {head}",
            head.seq
        )),
        Verified::Broken(broken) if cli.json => out::json(&json!({
            "whole": false, "seq": broken.seq, "problem": broken.kind.as_str(), "detail": broken.to_string(),
        })),
        Verified::Broken(broken) => {
            out::line(format_args!("The audit log is not whole: {broken}."))
        }
    }
    match verified {
        Verified::Whole(_) => ExitCode::SUCCESS,
        Verified::Broken(_) => ExitCode::FAILURE,
    }
}

/// A head as the daily mail and `audit verify` print it.
pub(super) fn head(text: &str) -> Result<Head, String> {
    let parsed = text.trim().split_once(':').and_then(|(seq, mac)| {
        let seq = seq.parse::<i64>().ok().filter(|seq| *seq >= 0)?;
        let whole = mac.len() == 64 && mac.bytes().all(|digit| digit.is_ascii_hexdigit());
        whole.then(|| Head {
            seq,
            mac: mac.to_ascii_lowercase(),
        })
    });
    parsed.ok_or_else(|| {
        "allowed is SEQ:MAC as the daily mail prints it, MAC of 64 hexadecimal digits".to_owned()
    })
}
