//! The sweep: every few minutes over our own tables, for what does not add up. What was missed is queued again, what
//! stays is told once, and all of it is counted.

mod judge;
mod rounds;

pub use judge::{Finding, Outbox, Wrong, judge};

use super::OutboxBell;
use crate::clock::SharedClock;
use crate::domain::UnixMillis;
use crate::domain::order::{Alert, AlertKind, Severity};
use crate::store::alerts::{self, About};
use crate::store::sweep::Suspect;
use crate::store::sweep::look::look;
use crate::store::sweep::requeue::Missed;
use crate::store::sweep::told::told;
use crate::store::{Database, Journal, StoreError};
use crate::telemetry::Metrics;
use rounds::Rounds;
use sea_orm::Statement;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// After a start the workers of the outbox come first.
const FIRST_AFTER: Duration = Duration::from_secs(5);
const EVERY: Duration = Duration::from_secs(300);
/// How long a grant may take: the first attempts of the outbox are over by then.
pub const GRACE_MS: i64 = 600_000;
/// They pass the journal between the decisions of orders, not before them all.
const STATEMENTS_PER_WRITE: usize = 200;

/// What one sweep has found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    pub paid_not_fulfilled: usize,
    pub fulfilled_not_paid: usize,
    pub duplicate_entitlement: usize,
    /// Grants that were put into the outbox again.
    pub queued: usize,
}

/// What is about to be written.
#[derive(Default)]
struct Mending {
    statements: Vec<Statement>,
    queued: usize,
}

/// What sweeps need, and how far they are.
pub struct Sweep {
    database: Database,
    journal: Journal,
    clock: SharedClock,
    metrics: Metrics,
    outbox: OutboxBell,
    rounds: Rounds,
    /// What was found and not mended when it was last looked at, by order.
    found: BTreeMap<Suspect, BTreeSet<Finding>>,
    /// What earlier runs have told of is among it.
    remembers: bool,
}

impl Sweep {
    #[must_use]
    pub fn new(
        database: Database,
        journal: Journal,
        clock: SharedClock,
        metrics: Metrics,
        outbox: OutboxBell,
    ) -> Self {
        Self {
            database,
            journal,
            clock,
            metrics,
            outbox,
            rounds: Rounds::default(),
            found: BTreeMap::new(),
            remembers: false,
        }
    }

    /// Sweeps shortly after the start and then every five minutes, for ever.
    pub async fn keep_on(mut self) {
        tokio::time::sleep(FIRST_AFTER).await;
        loop {
            match self.once().await {
                Ok(swept) => tracing::debug!(?swept, "swept"),
                Err(error) => {
                    tracing::warn!(%error, "the sweep was cut short; the next one goes on")
                }
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    /// One sweep.
    ///
    /// # Errors
    /// When the database does not answer, or a row cannot be understood.
    pub async fn once(&mut self) -> Result<Swept, StoreError> {
        let now = self.clock.wall();
        let mut found = BTreeMap::new();
        let mut mending = Mending::default();
        for suspect in self.suspects().await? {
            let known = self.found.get(&suspect);
            let Some(seen) = look(&self.database.read, &suspect).await? else {
                // It moves: what was found about it stands until it is looked at again.
                if let Some(known) = known {
                    found.insert(suspect, known.clone());
                }
                continue;
            };
            let findings: BTreeSet<Finding> = judge(&seen, now, GRACE_MS).into_iter().collect();
            for finding in &findings {
                let is_new = known.is_none_or(|known| !known.contains(finding));
                if is_new {
                    tracing::warn!(order.no = seen.order_no, kind = finding.kind, wrong = ?finding.wrong, "does not add up");
                }
                let missed = Missed::of(&seen, &finding.kind);
                if let (Some(missed), Wrong::PaidNotFulfilled(outbox)) = (missed, finding.wrong) {
                    self.mend(&mut mending, &missed, outbox, is_new);
                }
            }
            for kind in come_since(known, &findings) {
                if let Some(missed) = Missed::of(&seen, &kind) {
                    let key = alert(&missed).key();
                    let resolve = alerts::resolve(self.database.backend(), &key, now);
                    mending.statements.push(resolve);
                }
            }
            if !findings.is_empty() {
                found.insert(suspect, findings);
            }
            if mending.statements.len() >= STATEMENTS_PER_WRITE {
                self.write(&mut mending).await;
            }
        }
        self.write(&mut mending).await;
        if mending.queued > 0 {
            self.outbox.ring();
        }
        self.found = found;
        let swept = self.counted(mending.queued);
        self.metrics.set_swept(
            swept.paid_not_fulfilled,
            swept.fulfilled_not_paid,
            swept.duplicate_entitlement,
        );
        Ok(swept)
    }

    /// What was found before, and what there is to look at in this sweep.
    async fn suspects(&mut self) -> Result<BTreeSet<Suspect>, StoreError> {
        if !self.remembers {
            self.remember().await?;
            self.remembers = true;
        }
        let mut suspects = self.found.keys().cloned().collect();
        let (read, clock) = (&self.database.read, self.clock.as_ref());
        self.rounds.go_on(read, clock, &mut suspects).await?;
        Ok(suspects)
    }

    /// A grant that an earlier run told of may have come since: then its alert is over.
    async fn remember(&mut self) -> Result<(), StoreError> {
        for (suspect, kind) in told(&self.database.read).await? {
            let wrong = Wrong::PaidNotFulfilled(Outbox::Late);
            self.found
                .entry(suspect)
                .or_default()
                .insert(Finding { wrong, kind });
        }
        Ok(())
    }

    /// Queues again what was missed, and tells of what has had its time since it was queued.
    fn mend(&self, mending: &mut Mending, missed: &Missed<'_>, outbox: Outbox, is_new: bool) {
        let (backend, now) = (self.database.backend(), self.clock.wall());
        match outbox {
            Outbox::Missed | Outbox::GivenUp => {
                mending.statements.extend(missed.queue(backend, now));
                mending.queued = mending.queued.saturating_add(1);
            }
            Outbox::Late => {}
        }
        match outbox {
            Outbox::Late | Outbox::GivenUp if is_new => {
                mending.statements.extend(self.told(missed, now));
            }
            Outbox::Late | Outbox::GivenUp | Outbox::Missed => {}
        }
    }

    async fn write(&self, mending: &mut Mending) {
        let statements = std::mem::take(&mut mending.statements);
        if statements.is_empty() {
            return;
        }
        if let Err(error) = self.journal.run(statements).await {
            tracing::warn!(%error, "what was missed cannot be queued yet; the next sweep does it");
        }
    }

    fn told(&self, missed: &Missed<'_>, now: UnixMillis) -> Vec<Statement> {
        let about = About {
            order_id: Some(missed.order_id.to_owned()),
            order_no: Some(missed.order_no.to_owned()),
            ..About::default()
        };
        alerts::raise(self.database.backend(), &alert(missed), &about, now)
    }

    fn counted(&self, queued: usize) -> Swept {
        let count = |is: fn(&Wrong) -> bool| {
            let findings = self.found.values().flatten();
            findings.filter(|finding| is(&finding.wrong)).count()
        };
        Swept {
            paid_not_fulfilled: count(|wrong| matches!(wrong, Wrong::PaidNotFulfilled(_))),
            fulfilled_not_paid: count(|wrong| *wrong == Wrong::FulfilledNotPaid),
            duplicate_entitlement: count(|wrong| *wrong == Wrong::DuplicateEntitlement),
            queued,
        }
    }
}

/// The one alert about this grant, as the worker of grants names it: whoever is first, it is the same.
fn alert(missed: &Missed<'_>) -> Alert {
    Alert {
        kind: AlertKind::PaidNotFulfilled,
        severity: Severity::Action,
        subject: format!("{}/{}", missed.order_id, missed.kind),
        episode: "once".to_owned(),
        message: format!(
            "Order {} is paid, and its {} has not been granted.",
            missed.order_no, missed.kind
        ),
    }
}

/// Kinds that were not fulfilled when they were last looked at, and are now.
fn come_since(known: Option<&BTreeSet<Finding>>, findings: &BTreeSet<Finding>) -> Vec<String> {
    let missing = |finding: &&Finding| matches!(finding.wrong, Wrong::PaidNotFulfilled(_));
    let still: BTreeSet<&String> = findings
        .iter()
        .filter(missing)
        .map(|finding| &finding.kind)
        .collect();
    let before = known.into_iter().flatten().filter(missing);
    let come = before.filter(|finding| !still.contains(&finding.kind));
    come.map(|finding| finding.kind.clone()).collect()
}
