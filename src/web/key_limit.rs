//! How often one API key may ask: `limits.requests_per_key`.

use super::allowance::{Allowance, Allowances};
use crate::config::Rate;

/// One allowance for each key's name. There are as many as keys, so that none needs to be forgotten.
#[derive(Debug, Default)]
pub(super) struct KeyLimit {
    allowances: Option<Allowances<String>>,
}

impl KeyLimit {
    /// Without a rate there is no limit.
    pub(super) fn new(rate: Option<Rate>) -> Self {
        Self {
            allowances: rate.map(|rate| Allowances::new("key", rate)),
        }
    }

    /// Counts one request under this name.
    pub(super) fn take(&self, name: &str) -> Option<Allowance> {
        let allowances = self.allowances.as_ref()?;
        Some(allowances.take(&name.to_owned()))
    }
}
