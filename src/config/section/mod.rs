//! Reading a table key by key: each value is checked where it is read, and what nobody read is unknown.

mod report;
mod values;

pub(super) use report::Report;

use toml::{Table, Value};

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
        self.report.add(self.path_of(key), message.into());
    }

    /// Whether this key has been refused already.
    pub(super) fn was_refused(&self, key: &str) -> bool {
        self.report.has(&self.path_of(key))
    }

    /// A key whose feature does not exist yet: refused rather than ignored.
    pub(super) fn not_yet(&mut self, key: &'static str) {
        if self.table.remove(key).is_some() {
            self.refuse(key, "is not available in this version; take it out");
        }
    }

    /// A table with keys of its own; an empty one if it is absent.
    pub(super) fn section(&mut self, key: &'static str) -> Section<'a> {
        let value = self.take(key);
        let table = value.and_then(|value| self.table_in(key, value));
        Section::at(self.path_of(key), table.unwrap_or_default(), self.report)
    }

    /// A table of named tables.
    pub(super) fn named(&mut self, key: &'static str) -> Vec<(String, Section<'a>)> {
        let mut outer = self.section(key);
        let entries = std::mem::take(&mut outer.table).into_iter();
        entries
            .filter_map(|(name, value)| {
                let table = outer.table_in(&name, value)?;
                let path = outer.path_of(&name);
                Some((name, Section::at(path, table, outer.report)))
            })
            .collect()
    }

    /// A list of tables, `[[key]]`.
    pub(super) fn listed(&mut self, key: &'static str) -> Vec<Section<'a>> {
        let Some(value) = self.take(key) else {
            return Vec::new();
        };
        let Some(values) = value.as_array() else {
            return self
                .wrong(key, "a list of tables", &value)
                .unwrap_or_default();
        };
        let tables = values.iter().enumerate().filter_map(|(n, value)| {
            let name = format!("{key}[{n}]");
            let table = self.table_in(&name, value.clone())?;
            Some(Section::at(self.path_of(&name), table, self.report))
        });
        tables.collect()
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

    fn table_in(&self, key: &str, value: Value) -> Option<Table> {
        match value {
            Value::Table(table) => Some(table),
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_) => self.wrong(key, "a table", &value),
        }
    }

    fn take_as_written(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.table.remove(key)
    }

    /// A value; a text of the environment becomes what the file's language would make of it.
    fn take(&mut self, key: &'static str) -> Option<Value> {
        let value = self.take_as_written(key)?;
        let from_environment = self.report.is_from_environment(&self.path_of(key));
        let text = value.as_str().filter(|_| from_environment);
        Some(text.and_then(typed).unwrap_or(value))
    }

    fn wrong<T>(&self, key: &str, allowed: &str, found: &Value) -> Option<T> {
        let shown = if found.is_table() {
            "a table".to_owned()
        } else {
            format!("`{found}`")
        };
        self.refuse(key, format!("{shown} is refused; allowed is {allowed}"));
        None
    }
}

/// What a text means as a value of the file's language, if it is one.
fn typed(text: &str) -> Option<Value> {
    let line = format!("value = {text}");
    line.parse::<Table>().ok()?.remove("value")
}
