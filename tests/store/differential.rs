//! The grouped journal against the naive one: whatever is written, the answers and the rows are the same.

use crate::stage::{Stage, create, order, to};
use entities::{alert_keys, alerts, callbacks, idempotency_keys, order_events, orders, payments};
use oncepay::domain::order::{Alert, AlertKind, Order, OrderStatus, Payment, Severity};
use oncepay::domain::{OrderId, UnixMillis};
use oncepay::store::journal::{CallbackRecord, IdempotencyRecord, JournalKind};
use oncepay::store::{Committed, JournalError, Write};
use proptest::prelude::*;
use sea_orm::EntityTrait;

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
    )
        .prop_map(
            |(
                (order, version, status, keeps_version),
                unless_replaced,
                (trade, alert, resolves),
                (notice, key),
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
        write
    }
}

/// Everything that stands in the tables, without the ids that each journal makes for itself.
async fn rows(stage: &Stage) -> Vec<String> {
    let read = &stage.database.read;
    let mut rows = Vec::new();
    for row in orders::Entity::find().all(read).await.unwrap() {
        rows.push(format!("{row:?}"));
    }
    for mut row in order_events::Entity::find().all(read).await.unwrap() {
        row.event_id.clear();
        rows.push(format!("{row:?}"));
    }
    for mut row in alerts::Entity::find().all(read).await.unwrap() {
        row.alert_id.clear();
        rows.push(format!("{row:?}"));
    }
    for row in payments::Entity::find().all(read).await.unwrap() {
        rows.push(format!("{row:?}"));
    }
    for row in callbacks::Entity::find().all(read).await.unwrap() {
        rows.push(format!("{row:?}"));
    }
    for row in alert_keys::Entity::find().all(read).await.unwrap() {
        rows.push(format!("{row:?}"));
    }
    for row in idempotency_keys::Entity::find().all(read).await.unwrap() {
        rows.push(format!("{row:?}"));
    }
    rows.sort();
    rows
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
    writes: Vec<Write>,
) -> (Vec<String>, Vec<String>) {
    let stage = Stage::open(place, journal).await;
    let answers = stage.together(writes).await;
    let answers = answers.into_iter().map(kind).collect();
    stage.journal.close().await;
    (answers, rows(&stage).await)
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
    proptest!(config, |(steps in prop::collection::vec(step(), 1..60))| {
        let writes: Vec<_> = steps.iter().enumerate().map(|(n, step)| step.write(n)).collect();
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
