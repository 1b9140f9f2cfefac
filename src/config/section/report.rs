//! What is collected while a configuration is read.

use crate::config::problem::Problem;
use crate::config::secret::Lookup;
use crate::scrub::scrub;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Problems so far, and where values came from.
pub(in crate::config) struct Report<'a> {
    problems: RefCell<Vec<Problem>>,
    /// Paths whose value came from the environment: there, everything is text at first.
    from_environment: &'a BTreeSet<String>,
    pub(super) environment: Lookup<'a>,
}

impl<'a> Report<'a> {
    pub(in crate::config) fn new(
        from_environment: &'a BTreeSet<String>,
        environment: Lookup<'a>,
    ) -> Self {
        Self {
            problems: RefCell::default(),
            from_environment,
            environment,
        }
    }

    /// A value in the wrong place may be a secret: what is quoted of it is scrubbed.
    pub(super) fn add(&self, path: String, message: String) {
        let message = scrub(&message, &[]);
        self.problems.borrow_mut().push(Problem { path, message });
    }

    pub(super) fn has(&self, path: &str) -> bool {
        let problems = self.problems.borrow();
        problems.iter().any(|problem| problem.path == path)
    }

    pub(super) fn is_from_environment(&self, path: &str) -> bool {
        self.from_environment.contains(path)
    }

    pub(in crate::config) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        for problem in &mut problems {
            // A key that nobody knows may be a secret as well.
            problem.path = scrub(&problem.path, &[]);
        }
        problems
    }
}
