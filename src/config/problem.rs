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
