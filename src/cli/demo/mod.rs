//! `oncepay demo`: scripted orders against the sandbox, each timeline printed as it happens.

mod scenes;
mod timeline;

use super::out;
use super::problem::Problem;
use super::rehearsal::{Rehearsal, unless_interrupted};
use scenes::SCENES;
use std::process::ExitCode;

pub(super) async fn run() -> Result<ExitCode, Problem> {
    unless_interrupted(play()).await
}

async fn play() -> Result<ExitCode, Problem> {
    let server = Rehearsal::start("oncepay-demo", "").await?;
    out::line(format_args!(
        "A server with short deadlines runs at {}: a submit is UNKNOWN after 1 s, the user is answered after 4 s.",
        server.base
    ));
    let mut charged_twice = Vec::new();
    for (n, scene) in SCENES.iter().enumerate() {
        let order_no = format!("demo-{}", n.saturating_add(1));
        timeline::play(&server, scene, &order_no).await?;
        if server.charges(&order_no).await? > 1 {
            charged_twice.push(order_no);
        }
    }
    out::line("");
    if charged_twice.is_empty() {
        out::line(format_args!(
            "{} orders; the sandbox's ledger says that none was charged twice.",
            SCENES.len()
        ));
        return Ok(ExitCode::SUCCESS);
    }
    out::line(format_args!(
        "Charged more than once: {}",
        charged_twice.join(", ")
    ));
    Ok(ExitCode::FAILURE)
}
