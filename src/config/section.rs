//! Reading a table key by key: each value is checked where it is read, and what nobody read is unknown.

use super::duration;
use super::problem::Problem;
use super::secret::{self, Lookup};
use secrecy::SecretString;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use toml::{Table, Value};

/// What is collected while a configuration is read.
pub(super) struct Report<'a> {
    problems: RefCell<Vec<Problem>>,
    /// Paths whose value came from the environment: there, everything is text at first.
    from_environment: &'a BTreeSet<String>,
    environment: Lookup<'a>,
}

impl<'a> Report<'a> {
    pub(super) fn new(from_environment: &'a BTreeSet<String>, environment: Lookup<'a>) -> Self {
        Self {
            problems: RefCell::default(),
            from_environment,
            environment,
        }
    }

    pub(super) fn add(&self, path: impl Into<String>, message: impl Into<String>) {
        self.problems.borrow_mut().push(Problem {
            path: path.into(),
            message: message.into(),
        });
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems.into_inner()
    }
}

/// A table that is being read.
pub(super) struct Section<'a> {
    path: String,
    table: Table,
    known: Vec<&'static str>,
    report: &'a Report<'a>,
}

impl<'a> Section<'a> {
    pub(super) fn root(table: Table, report: &'a Report<'a>) -> Self {
        Self::at(String::new(), table, report)
    }

    fn at(path: String, table: Table, report: &'a Report<'a>) -> Self {
        Self {
            path,
            table,
            known: Vec::new(),
            report,
        }
    }

    /// The full path of a key of this section.
    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    pub(super) fn refuse(&self, key: &str, message: impl Into<String>) {
        self.report.add(self.path_of(key), message);
    }

    /// Whether this key has been refused already.
    pub(super) fn was_refused(&self, key: &str) -> bool {
        let path = self.path_of(key);
        let problems = self.report.problems.borrow();
        problems.iter().any(|problem| problem.path == path)
    }

    fn take(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        let value = self.table.remove(key)?;
        let text = match &value {
            Value::String(text) if self.report.from_environment.contains(&self.path_of(key)) => {
                text
            }
            _ => return Some(value),
        };
        Some(typed(text).unwrap_or(value))
    }

    /// A string. From the environment, digits are text too.
    pub(super) fn text(&mut self, key: &'static str) -> Option<String> {
        self.known.push(key);
        match self.table.remove(key)? {
            Value::String(text) => Some(text),
            other => self.wrong(key, "a string", &other),
        }
    }

    /// A string that `parse` understands; `allowed` completes "allowed is …".
    pub(super) fn parsed<T>(
        &mut self,
        key: &'static str,
        allowed: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(key)?;
        let parsed = parse(&text);
        if parsed.is_none() {
            self.refuse(key, format!("`{text}` is refused; allowed is {allowed}"));
        }
        parsed
    }

    pub(super) fn integer(&mut self, key: &'static str, range: RangeInclusive<i64>) -> Option<i64> {
        let allowed = format!("a whole number from {} to {}", range.start(), range.end());
        match self.take(key)? {
            Value::Integer(number) if range.contains(&number) => Some(number),
            other => self.wrong(key, &allowed, &other),
        }
    }

    pub(super) fn flag(&mut self, key: &'static str) -> Option<bool> {
        match self.take(key)? {
            Value::Boolean(flag) => Some(flag),
            other => self.wrong(key, "true or false", &other),
        }
    }

    /// Milliseconds, at least `least`.
    pub(super) fn duration_ms(&mut self, key: &'static str, least: i64) -> Option<i64> {
        self.known.push(key);
        let value = self.table.remove(key)?;
        self.millis(key, &value, least)
    }

    /// Milliseconds of each rung of a ladder that has at least one.
    pub(super) fn ladder_ms(&mut self, key: &'static str) -> Option<Vec<i64>> {
        let rungs = match self.take(key)? {
            Value::Array(rungs) => rungs,
            other => {
                return self.wrong(key, "a list of durations such as [\"1m\", \"5m\"]", &other);
            }
        };
        if rungs.is_empty() {
            self.refuse(key, "is empty; at least one duration is needed");
        }
        rungs.iter().map(|rung| self.millis(key, rung, 1)).collect()
    }

    fn millis(&self, key: &str, value: &Value, least: i64) -> Option<i64> {
        let allowed = match least {
            0 => duration::FORM.to_owned(),
            _ => format!("{}, more than 0", duration::FORM),
        };
        match value {
            Value::String(text) => match duration::parse_ms(text) {
                Some(millis) if millis >= least => Some(millis),
                Some(_) | None => self.wrong(key, &allowed, value),
            },
            other => self.wrong(key, &allowed, other),
        }
    }

    pub(super) fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        let allowed = "a list of strings";
        let values = match self.take(key)? {
            Value::Array(values) => values,
            // In the environment a list may be written with commas.
            Value::String(text) if self.report.from_environment.contains(&self.path_of(key)) => {
                return Some(text.split(',').map(|part| part.trim().to_owned()).collect());
            }
            other => return self.wrong(key, allowed, &other),
        };
        values
            .into_iter()
            .map(|value| match value {
                Value::String(text) => Some(text),
                other => self.wrong(key, allowed, &other),
            })
            .collect()
    }

    pub(super) fn secret(&mut self, key: &'static str) -> Option<SecretString> {
        self.known.push(key);
        let value = self.table.remove(key)?;
        match secret::resolve(&value, self.report.environment) {
            Ok(secret) => Some(secret),
            Err(message) => {
                self.refuse(key, message);
                None
            }
        }
    }

    /// A table with keys of its own; an empty one if it is absent.
    pub(super) fn section(&mut self, key: &'static str) -> Section<'a> {
        let table = match self.take(key) {
            None => Table::new(),
            Some(Value::Table(table)) => table,
            Some(other) => self.wrong(key, "a table", &other).unwrap_or_default(),
        };
        Section::at(self.path_of(key), table, self.report)
    }

    /// A table of named tables.
    pub(super) fn named(&mut self, key: &'static str) -> Vec<(String, Section<'a>)> {
        let outer = self.section(key);
        let entries = outer.table.clone().into_iter();
        entries
            .filter_map(|(name, value)| match value {
                Value::Table(table) => {
                    let path = outer.path_of(&name);
                    Some((name, Section::at(path, table, outer.report)))
                }
                other => outer.wrong(&name, "a table", &other),
            })
            .collect()
    }

    /// A list of tables, `[[key]]`.
    pub(super) fn listed(&mut self, key: &'static str) -> Vec<Section<'a>> {
        let values = match self.take(key) {
            None => Vec::new(),
            Some(Value::Array(values)) => values,
            Some(other) => self
                .wrong(key, "a list of tables", &other)
                .unwrap_or_default(),
        };
        let at = |n: usize| self.path_of(&format!("{key}[{n}]"));
        values
            .into_iter()
            .enumerate()
            .filter_map(|(n, value)| match value {
                Value::Table(table) => Some(Section::at(at(n), table, self.report)),
                other => self.wrong(&format!("{key}[{n}]"), "a table", &other),
            })
            .collect()
    }

    /// Whole numbers by name, such as amounts by currency.
    pub(super) fn amounts(&mut self, key: &'static str) -> Vec<(String, i64)> {
        let outer = self.section(key);
        let entries = outer.table.clone().into_iter();
        entries
            .filter_map(|(name, value)| {
                let text = value.as_str().and_then(typed);
                match text.unwrap_or(value) {
                    Value::Integer(number) if number >= 0 => Some((name, number)),
                    other => outer.wrong(&name, "a whole number of minor units", &other),
                }
            })
            .collect()
    }

    /// A key whose feature does not exist yet: refused rather than ignored.
    pub(super) fn not_yet(&mut self, key: &'static str) {
        if self.table.remove(key).is_some() {
            self.refuse(key, "is not available in this version; take it out");
        }
    }

    /// Whatever is left was asked for by nobody.
    pub(super) fn finish(self) {
        let mut known = self.known.clone();
        known.sort_unstable();
        for key in self.table.keys() {
            self.refuse(
                key,
                format!("unknown key; known here: {}", known.join(", ")),
            );
        }
    }

    fn wrong<T>(&self, key: &str, allowed: &str, found: &Value) -> Option<T> {
        let shown = match found {
            Value::Table(_) => "a table".to_owned(),
            other => format!("`{other}`"),
        };
        self.refuse(key, format!("{shown} is refused; allowed is {allowed}"));
        None
    }
}

/// What a text of the environment means as a value of the file's language, if it is one.
fn typed(text: &str) -> Option<Value> {
    let line = format!("value = {text}");
    line.parse::<Table>().ok()?.remove("value")
}
