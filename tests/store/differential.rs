//! The grouped journal against the naive one: whatever is written, the answers and the rows are the same.

use crate::money::{Money, Movement, money, movement};
use crate::rows::rows;
use crate::stage::{Stage, create, order, to};
use oncepay::domain::order::{Alert, AlertKind, Order, OrderStatus, Payment, Severity};
use oncepay::domain::{OrderId, UnixMillis};
use oncepay::store::journal::{AccountWrite, CallbackRecord, IdempotencyRecord, JournalKind};
use oncepay::store::{Committed, JournalError, Urgency, Write};
use proptest::prelude::*;

/// One random decision, in few enough words that they meet each other.
#[derive(Debug, Clone)]
struct Step {
    order: u8,
    /// 0 creates; else the version that the decision expects.
    version: u8,
    status: usize,
    keeps_version: bool,
    unless_replaced: bool,
    trade: Option<u8>,
    alert: Option<u8>,
    resolves: bool,
    notice: Option<(u8, bool)>,
    key: Option<(u8, u8)>,
    money: Money,
}

fn step() -> impl Strategy<Value = Step> {
    (
        (0..6_u8, 0..5_u8, 0..11_usize, prop::bool::weighted(0.1)),
        any::<bool>(),
        (
            prop::option::weighted(0.3, 0..8_u8),
            prop::option::weighted(0.3, 0..6_u8),
            prop::bool::weighted(0.2),
        ),
        (
            prop::option::weighted(0.3, (0..6_u8, any::<bool>())),
            prop::option::weighted(0.2, (0..3_u8, 0..2_u8)),
        ),
        money(),
    )
        .prop_map(
            |(
                (order, version, status, keeps_version),
                unless_replaced,
                (trade, alert, resolves),
                (notice, key),
                money,
            )| Step {
                order,
                version,
                status,
                keeps_version,
                unless_replaced,
                trade,
                alert,
                resolves,
                notice,
                key,
                money,
            },
        )
}

impl Step {
    fn order(&self) -> Order {
        let mut order = order(&format!("A-{}", self.order));
        order.order_id = OrderId(format!("ord_{}", self.order));
        order.status = OrderStatus::ALL[self.status];
        order.version = i64::from(self.version).max(1);
        order.event_seq = u32::from(self.version);
        // Fixed at creation, so that it follows from the order.
        let replaced = (self.order % 2 == 1).then(|| format!("A-{}", self.order - 1));
        order.replaces = replaced.map(|no| no.as_str().into());
        order
    }

    fn write(&self, n: usize) -> Write {
        let order = self.order();
        let mut write = if self.version == 0 {
            create(order)
        } else {
            let mut write = to(&order, order.status);
            if self.keeps_version {
                write.order.version -= 1;
                write.order.event_seq -= 1;
                write.events.clear();
                write.order.callback_count = 9;
            }
            write
        };
        write.at = UnixMillis(10_000 + i64::try_from(n).unwrap());
        write.unless_replaced = self.version > 0 && self.unless_replaced;
        write.resolves_alerts = self.resolves;
        write.payments.extend(self.trade.map(|trade| Payment {
            trade_no: format!("T{trade}"),
            money: write.order.money,
            own: trade % 2 == 0,
            at: write.at,
        }));
        write.order.payments.clone_from(&write.payments);
        write.alerts.extend(self.alert.map(|alert| Alert {
            kind: AlertKind::ALL[usize::from(alert)],
            severity: if alert == 3 {
                Severity::Info
            } else {
                Severity::Action
            },
            subject: write.order.order_id.0.clone(),
            episode: (alert % 2).to_string(),
            message: "m".into(),
        }));
        write.callback = self.notice.map(|(key, repeat)| CallbackRecord {
            channel: "sandbox".into(),
            key: format!("n-{key}"),
            status: "PAID".into(),
            repeat,
            digest: "d".into(),
        });
        write.idempotency = self.key.map(|(key, digest)| IdempotencyRecord {
            owner: "shop".into(),
            route: "r".into(),
            key: format!("k-{key}"),
            payload_digest: format!("p-{digest}"),
            order_no: write.order.order_no.clone(),
        });
        self.money.add_to(&mut write, n);
        write
    }
}

/// An answer without the words of the database. Which of several constraints a write has broken first is the database's
/// choice; each by itself has a story of its own.
fn kind(answer: Result<Committed, JournalError>) -> String {
    match answer {
        Err(JournalError::Refused(_)) | Ok(Committed::Conflict(_)) => "refused".to_owned(),
        other => format!("{other:?}"),
    }
}

async fn outcome(
    place: Option<&str>,
    journal: JournalKind,
    work: Vec<Work>,
) -> (Vec<String>, Vec<String>) {
    let stage = Stage::open(place, journal).await;
    let mut answers = Vec::new();
    for some in runs(work) {
        answers.extend(together(&stage, some).await.into_iter().map(kind));
    }
    stage.journal.close().await;
    (answers, rows(&stage.database.read).await)
}

/// A batch lets decisions pass others that have to wait for a place in the next one. Which of them comes first matters to
/// none, but to a create whose account has a limit for the day: it depends on every order of the account. Such creates
/// are handed over by themselves.
fn runs(work: Vec<Work>) -> Vec<Vec<Work>> {
    let mut runs: Vec<Vec<Work>> = Vec::new();
    let mut was_limited = None;
    for one in work {
        let is_limited = match &one {
            Work::Order(write) => write.expected_version.is_none() && write.daily_limit.is_some(),
            Work::Account(_) => false,
        };
        if was_limited != Some(is_limited) {
            runs.push(Vec::new());
            was_limited = Some(is_limited);
        }
        runs.last_mut().unwrap().push(one);
    }
    runs
}

/// Hands all of it to the journal at once, in this order.
async fn together(stage: &Stage, work: Vec<Work>) -> Vec<Result<Committed, JournalError>> {
    let mut tasks = Vec::new();
    for one in work {
        let journal = stage.journal.clone();
        tasks.push(tokio::spawn(async move {
            match one {
                Work::Order(write) => journal.commit(*write, Urgency::Assured).await,
                Work::Account(write) => journal.commit_account(&write).await,
            }
        }));
    }
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    answers
}

#[derive(Debug, Clone)]
enum Either {
    Order(Step),
    Account(Movement),
}

#[derive(Debug, Clone)]
enum Work {
    Order(Box<Write>),
    Account(Box<AccountWrite>),
}

fn compare(place: Option<&str>, cases: u32) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 40,
        ..ProptestConfig::default()
    };
    let either = prop_oneof![
        4 => step().prop_map(Either::Order),
        1 => movement().prop_map(Either::Account),
    ];
    proptest!(config, |(steps in prop::collection::vec(either, 1..60))| {
        let writes: Vec<_> = steps.iter().enumerate().map(|(n, step)| match step {
            Either::Order(step) => Work::Order(Box::new(step.write(n))),
            Either::Account(movement) => Work::Account(Box::new(movement.write(n))),
        }).collect();
        let naive = runtime.block_on(outcome(place, JournalKind::Naive, writes.clone()));
        let grouped = runtime.block_on(outcome(place, JournalKind::Grouped, writes));
        prop_assert_eq!(naive.0, grouped.0);
        let only = |some: &[String], others: &[String]| {
            let rows = some.iter().filter(|row| !others.contains(row));
            rows.cloned().collect::<Vec<_>>()
        };
        let differ = (only(&naive.1, &grouped.1), only(&grouped.1, &naive.1));
        prop_assert_eq!(differ, (vec![], vec![]), "only naive, only grouped");
    });
}

#[test]
fn both_journals_leave_the_same_rows_on_sqlite() {
    compare(None, 40);
}

#[test]
fn both_journals_leave_the_same_rows_on_postgres() {
    if let Some(server) = crate::stage::postgres() {
        compare(Some(&server), 12);
    }
}
