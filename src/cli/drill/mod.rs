//! `oncepay drill`: what must hold before going live, played against a sandbox on a server of its own.

mod crash;
mod create;
mod mismatch;
mod notice;
mod part;
mod refund;
mod silence;

use super::args::Cli;
use super::out;
use super::problem::Problem;
use super::rehearsal::{Rehearsal, unless_interrupted};
use serde_json::{Value, json};
use std::process::ExitCode;

/// A crash must not cost a minute of waiting for callbacks that were refused meanwhile.
const CHECKS: &str = "startup_grace = \"500ms\"";

pub(super) async fn run(cli: &Cli) -> Result<ExitCode, Problem> {
    unless_interrupted(play(cli)).await
}

async fn play(cli: &Cli) -> Result<ExitCode, Problem> {
    let mut server = Rehearsal::start("oncepay-drill", CHECKS).await?;
    if !cli.json {
        out::line(format_args!(
            "A server with a sandbox and short deadlines runs at {}.",
            server.base
        ));
    }
    let mut list = PassList::of(cli);
    list.add("duplicate create", create::play(&server).await);
    list.add("duplicate notice", notice::play(&server).await);
    list.add("time-out", silence::no_reply(&server).await);
    list.add("lost request", silence::no_request(&server).await);
    list.add("refund", refund::play(&server).await);
    list.add("mismatch", mismatch::play(&server).await);
    list.add("crash", crash::play(&mut server).await);
    Ok(list.end())
}

/// What was played, and what came of it.
struct PassList {
    json: bool,
    checks: Vec<Value>,
    failed: usize,
}

impl PassList {
    const fn of(cli: &Cli) -> Self {
        Self {
            json: cli.json,
            checks: Vec::new(),
            failed: 0,
        }
    }

    /// Takes up what a part has shown, or why it has not, and says it at once.
    fn add(&mut self, name: &str, shown: Result<String, Problem>) {
        let passed = shown.is_ok();
        let detail = shown.unwrap_or_else(|problem| problem.to_string());
        if !passed {
            self.failed = self.failed.saturating_add(1);
        }
        if !self.json {
            let word = if passed { "pass" } else { "FAIL" };
            out::line(format_args!("{word}  {name:16}  {detail}"));
        }
        self.checks
            .push(json!({"name": name, "passed": passed, "detail": detail}));
    }

    fn end(self) -> ExitCode {
        let passed = self.failed == 0;
        if self.json {
            out::json(&json!({"passed": passed, "checks": self.checks}));
        } else if passed {
            out::line(format_args!("All {} hold.", self.checks.len()));
        } else {
            out::line(format_args!(
                "{} of {} do not hold: do not go live.",
                self.failed,
                self.checks.len()
            ));
        }
        if passed {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}
