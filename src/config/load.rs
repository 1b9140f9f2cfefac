//! Where a configuration comes from: the file, then the environment, then flags.

use super::problem::ConfigError;
use super::{Settings, first_start, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The file that is read when none is named.
pub const DEFAULT_FILE: &str = "oncepay.toml";
const PREFIX: &str = "ONCEPAY_";

/// Everything outside that a configuration is made of.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// `--config`; it must exist. Without it `oncepay.toml`, if it is there.
    pub file: Option<PathBuf>,
    /// The variables of the process.
    pub environment: BTreeMap<String, String>,
    /// Full paths and values, such as `server.listen`; they win over everything.
    pub flags: Vec<(String, String)>,
    /// Without a configuration file: make keys and a sandbox's secret if there are none. `serve` alone does.
    pub may_create: bool,
}

impl Sources {
    /// This process: the named file, its environment.
    #[must_use]
    pub fn of_process(file: Option<PathBuf>) -> Self {
        Self {
            file,
            environment: std::env::vars_os()
                .filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
            flags: Vec::new(),
            may_create: false,
        }
    }

    /// The file that will be read; `None`: there is no configuration.
    #[must_use]
    pub fn file_in_use(&self) -> Option<PathBuf> {
        let default = Path::new(DEFAULT_FILE);
        self.file
            .clone()
            .or_else(|| default.exists().then(|| default.to_owned()))
    }
}

/// A configuration, and what a start without a file has made.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub settings: Settings,
    /// Only without a configuration file.
    pub first_start: Option<super::FirstStart>,
}

impl Settings {
    /// Reads, merges, parses and checks. Without a file it is the start that needs no configuration.
    pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
        match sources.file_in_use() {
            Some(file) => {
                let settings = from_table(read(&file)?, sources)?;
                Ok(Loaded {
                    settings,
                    first_start: None,
                })
            }
            None => first_start::load(sources),
        }
    }

    /// Parses the text of a file alone: no environment, no flags.
    pub fn from_text(text: &str) -> Result<Self, ConfigError> {
        let table = text
            .parse::<Table>()
            .map_err(|error| ConfigError::syntax("configuration", text, &error))?;
        from_table(table, &Sources::default())
    }
}

/// Lays environment and flags over the table, then parses it.
pub(super) fn from_table(mut table: Table, sources: &Sources) -> Result<Settings, ConfigError> {
    let overlaid = overlay(&mut table, sources)?;
    let environment = |name: &str| sources.environment.get(name).cloned();
    parse::settings(table, &overlaid, &environment)
}

/// Lays environment and flags over the table; the paths that were set.
pub(super) fn overlay(
    table: &mut Table,
    sources: &Sources,
) -> Result<BTreeSet<String>, ConfigError> {
    let mut overlaid = BTreeSet::new();
    let variables = sources.environment.iter().filter_map(|(name, value)| {
        let path = name.strip_prefix(PREFIX)?;
        path.contains("__").then(|| {
            let steps = path.split("__").map(str::to_ascii_lowercase).collect();
            (name.clone(), steps, value.clone())
        })
    });
    let flags = sources.flags.iter().map(|(path, value)| {
        let steps = path.split('.').map(str::to_owned).collect();
        (path.clone(), steps, value.clone())
    });
    for (name, steps, value) in variables.chain(flags) {
        let steps: Vec<String> = steps;
        let path = set(table, &steps, value)
            .ok_or_else(|| ConfigError::one(name, "names a key below one that is not a table"))?;
        overlaid.insert(path);
    }
    Ok(overlaid)
}

/// Sets the value at the end of the steps, making tables on the way; the path as it is spelt in the table.
fn set(table: &mut Table, steps: &[String], value: String) -> Option<String> {
    let (step, rest) = steps.split_first()?;
    let key = spelt(table, step);
    if rest.is_empty() {
        table.insert(key.clone(), Value::String(value));
        return Some(key);
    }
    let below = table
        .entry(key.clone())
        .or_insert_with(|| Value::Table(Table::new()));
    let path = set(below.as_table_mut()?, rest, value)?;
    Some(format!("{key}.{path}"))
}

/// A variable's name knows no case and no dashes: a key that is there already gives the spelling.
fn spelt(table: &Table, step: &str) -> String {
    let plain = |key: &str| key.to_ascii_lowercase().replace('-', "_");
    table
        .keys()
        .find(|key| plain(key) == plain(step))
        .cloned()
        .unwrap_or_else(|| step.to_owned())
}

pub(super) fn read(file: &Path) -> Result<Table, ConfigError> {
    let at = file.display().to_string();
    let text = std::fs::read_to_string(file)
        .map_err(|error| ConfigError::one(&at, format!("cannot be read: {error}")))?;
    text.parse()
        .map_err(|error| ConfigError::syntax(&at, &text, &error))
}
