//! Single values of a section.

use super::{Section, typed};
use crate::config::{duration, secret};
use secrecy::SecretString;
use std::ops::RangeInclusive;
use toml::Value;

impl Section<'_> {
    /// A string. From the environment, digits are text too.
    pub(in crate::config) fn text(&mut self, key: &'static str) -> Option<String> {
        let value = self.take_as_written(key)?;
        let text = value.as_str().map(str::to_owned);
        text.or_else(|| self.wrong(key, "a string", &value))
    }

    /// A string that `parse` understands; `allowed` completes "allowed is …".
    pub(in crate::config) fn parsed<T>(
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

    pub(in crate::config) fn integer(
        &mut self,
        key: &'static str,
        range: RangeInclusive<i64>,
    ) -> Option<i64> {
        let allowed = format!("a whole number from {} to {}", range.start(), range.end());
        let value = self.take(key)?;
        let number = value.as_integer().filter(|number| range.contains(number));
        number.or_else(|| self.wrong(key, &allowed, &value))
    }

    pub(in crate::config) fn flag(&mut self, key: &'static str) -> Option<bool> {
        let value = self.take(key)?;
        let flag = value.as_bool();
        flag.or_else(|| self.wrong(key, "true or false", &value))
    }

    /// Whether the value is a text, where a table may stand too. It is left for whoever reads it.
    pub(in crate::config) fn is_text(&self, key: &str) -> bool {
        self.table.get(key).is_some_and(Value::is_str)
    }

    /// Milliseconds, at least `least`.
    pub(in crate::config) fn duration_ms(&mut self, key: &'static str, least: i64) -> Option<i64> {
        let value = self.take_as_written(key)?;
        self.millis(key, &value, least)
    }

    /// Milliseconds of each rung of a ladder that has at least one.
    pub(in crate::config) fn ladder_ms(&mut self, key: &'static str) -> Option<Vec<i64>> {
        let value = self.take(key)?;
        let Some(rungs) = value.as_array() else {
            let allowed = "a list of durations such as [\"1m\", \"5m\"]";
            return self.wrong(key, allowed, &value);
        };
        if rungs.is_empty() {
            self.refuse(key, "is empty; at least one duration is needed");
        }
        rungs.iter().map(|rung| self.millis(key, rung, 1)).collect()
    }

    fn millis(&self, key: &str, value: &Value, least: i64) -> Option<i64> {
        let more = if least > 0 { ", more than 0" } else { "" };
        let allowed = format!("{}{more}", duration::FORM);
        let millis = value.as_str().and_then(duration::parse_ms);
        let millis = millis.filter(|millis| *millis >= least);
        millis.or_else(|| self.wrong(key, &allowed, value))
    }

    /// A list; in the environment it may also be written with commas.
    pub(in crate::config) fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        let allowed = "a list of strings";
        let from_environment = self.report.is_from_environment(&self.path_of(key));
        let value = self.take(key)?;
        if let Some(text) = value.as_str().filter(|_| from_environment) {
            return Some(text.split(',').map(|part| part.trim().to_owned()).collect());
        }
        let Some(values) = value.as_array() else {
            return self.wrong(key, allowed, &value);
        };
        let text = |value: &Value| {
            let text = value.as_str().map(str::to_owned);
            text.or_else(|| self.wrong(key, allowed, value))
        };
        values.iter().map(text).collect()
    }

    /// A secret; what is said about it never quotes it.
    pub(in crate::config) fn secret(&mut self, key: &'static str) -> Option<SecretString> {
        let value = self.take_as_written(key)?;
        let resolved = secret::resolve(&value, self.report.environment);
        resolved.map_or_else(
            |message| {
                self.refuse(key, message);
                None
            },
            Some,
        )
    }

    /// A list of secrets; one alone may stand for itself.
    pub(in crate::config) fn secrets(&mut self, key: &'static str) -> Option<Vec<SecretString>> {
        let value = self.take_as_written(key)?;
        let values = value.as_array().cloned().unwrap_or_else(|| vec![value]);
        let resolved = values
            .iter()
            .map(|value| secret::resolve(value, self.report.environment))
            .collect::<Result<_, _>>();
        resolved.map_or_else(
            |message| {
                self.refuse(key, message);
                None
            },
            Some,
        )
    }

    /// Whole numbers by name, such as amounts by currency.
    pub(in crate::config) fn amounts(&mut self, key: &'static str) -> Vec<(String, i64)> {
        let inner = self.section(key);
        let entries = inner.table.iter();
        entries
            .filter_map(|(name, value)| {
                let from_text = value.as_str().and_then(typed);
                let number = from_text.as_ref().unwrap_or(value).as_integer();
                let number = number.filter(|number| *number >= 0);
                let allowed = "a whole number";
                Some((
                    name.clone(),
                    number.or_else(|| inner.wrong(name, allowed, value))?,
                ))
            })
            .collect()
    }
}
