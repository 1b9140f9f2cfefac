//! What is wrong with a configuration: every problem with the full path of its key.

use std::fmt;

/// One problem: where, and what is allowed there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The key's full path, such as `channels.sandbox.read_timeout`; or a file's name.
    pub path: String,
    /// What is wrong and what is allowed. Never a secret's value.
    pub message: String,
}

/// A configuration that is refused, with everything that is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    pub problems: Vec<Problem>,
}

impl ConfigError {
    /// A file that cannot be read as TOML: what is wrong and where, without the line, which may hold a secret.
    #[must_use]
    pub(super) fn syntax(path: impl Into<String>, text: &str, error: &toml::de::Error) -> Self {
        let before = error.span().and_then(|span| text.get(..span.start));
        let place = before.map_or_else(String::new, |before| {
            let line = before.matches('\n').count().saturating_add(1);
            let start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
            let column = before.get(start..).unwrap_or_default().chars().count();
            format!("line {line}, column {}: ", column.saturating_add(1))
        });
        Self::one(path, format!("{place}{}", error.message()))
    }

    /// A configuration with this one problem.
    #[must_use]
    pub fn one(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            problems: vec![Problem {
                path: path.into(),
                message: message.into(),
            }],
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the configuration is refused:")?;
        for problem in &self.problems {
            write!(formatter, "\n  {}: {}", problem.path, problem.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}
