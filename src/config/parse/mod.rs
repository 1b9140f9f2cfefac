//! From a table to settings: every key is read once, by the part that owns it.

mod alerts;
mod channels;
mod checks;
mod fulfilment;
mod keys;
mod ledger;
mod limits;
mod retention;
mod server;

pub(super) use keys::list as key_list;

use super::problem::ConfigError;
use super::secret::Lookup;
use super::section::{Report, Section};
use super::{SandboxSettings, Settings, check, defaults};
use crate::domain::Currency;
use std::collections::{BTreeMap, BTreeSet};
use toml::Table;

/// Parses the merged table; all problems at once. Dangerous pairs are looked for once every value is good, since a
/// default that stands in for a bad value would be blamed for things that nobody wrote.
pub(super) fn settings(
    table: Table,
    from_environment: &BTreeSet<String>,
    environment: Lookup<'_>,
) -> Result<Settings, ConfigError> {
    let report = Report::new(from_environment, environment);
    let settings = read(Section::root(table, &report));
    let problems = report.into_problems();
    if !problems.is_empty() {
        return Err(ConfigError { problems });
    }
    check::pairs(&settings)?;
    Ok(settings)
}

fn read(mut root: Section<'_>) -> Settings {
    let (server, data_dir) = server::server(root.section("server"));
    let channels = channels::all(root.named("channels"));
    let sandbox = sandbox(root.section("sandbox"));
    let settings = Settings {
        database: server::database(root.section("database")),
        checks: checks::checks(root.section("checks")),
        callbacks_deadline_ms: callbacks(root.section("callbacks")),
        alerts: alerts::alerts(root.section("alerts")),
        limits: limits::limits(root.section("limits")),
        second_person_above: review(root.section("review")),
        fulfilment: fulfilment::fulfilment(root.section("fulfilment")),
        ledger: ledger::ledger(root.section("ledger")),
        retention: retention::retention(root.section("retention")),
        keys: keys::list(root.listed("keys")),
        server,
        channels,
        sandbox,
        data_dir,
    };
    root.not_yet("reconcile");
    root.finish();
    settings.with_sandbox_where_named()
}

fn sandbox(mut section: Section<'_>) -> SandboxSettings {
    let settings = SandboxSettings {
        mounted: section.flag("mounted").unwrap_or_default(),
        allow: section.flag("allow").unwrap_or_default(),
    };
    section.finish();
    settings
}

/// Below 50 ms no commit is sure to be in time; above 30 s every channel has given up.
fn callbacks(mut section: Section<'_>) -> i64 {
    let deadline_ms = section.duration_ms("deadline", 1);
    if deadline_ms.is_some_and(|millis| !(50..=30_000).contains(&millis)) {
        section.refuse("deadline", "allowed is a duration from 50ms to 30s");
    }
    section.finish();
    deadline_ms.unwrap_or(defaults::CALLBACKS_DEADLINE_MS)
}

fn review(mut section: Section<'_>) -> BTreeMap<Currency, i64> {
    let limits = limits::by_currency(&mut section, "second_person_above");
    section.finish();
    limits
}
