//! A database of its own for each test, a journal on it, and orders to write.

use oncepay::clock::{SystemClock, new_id};
use oncepay::domain::order::{
    Event, EventDetail, EventKind, Fingerprint, Order, OrderStatus, Payment,
};
use oncepay::domain::{Currency, EventId, Money, OrderId, OrderNo, UnixMillis};
use oncepay::store::audit::AuditKey;
use oncepay::store::journal::JournalKind;
use oncepay::store::{
    Committed, Database, DatabaseSettings, Journal, JournalError, Urgency, Write,
};
use std::future::Future;

/// Where a story plays.
pub(crate) struct Stage {
    pub(crate) database: Database,
    pub(crate) journal: Journal,
    pub(crate) kind: JournalKind,
    pub(crate) settings: DatabaseSettings,
    pub(crate) epoch: i64,
    _folder: tempfile::TempDir,
}

/// The settings of a fresh database, and the folder that it may live in.
pub(crate) async fn fresh(postgres: Option<&str>) -> (DatabaseSettings, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let url = match postgres {
        None => format!("sqlite://{}/data/oncepay.db", folder.path().display()),
        Some(server) => fresh_postgres(server).await,
    };
    (DatabaseSettings { url, readers: 2 }, folder)
}

async fn fresh_postgres(server: &str) -> String {
    use sea_orm::ConnectionTrait;
    let name = new_id("t");
    let admin = sea_orm::Database::connect(server).await.unwrap();
    admin
        .execute_unprepared(&format!("CREATE DATABASE {name}"))
        .await
        .unwrap();
    admin.close().await.unwrap();
    let (before, _) = server.rsplit_once('/').unwrap();
    format!("{before}/{name}")
}

pub(crate) fn postgres() -> Option<String> {
    std::env::var("ONCEPAY_TEST_POSTGRES").ok()
}

/// Plays a story with both journals on every database at hand.
pub(crate) fn play<F: Future<Output = ()>>(story: impl Fn(Stage) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let servers = [None, postgres()];
    let places = servers
        .iter()
        .take(if servers[1].is_some() { 2 } else { 1 });
    for place in places {
        for kind in [JournalKind::Naive, JournalKind::Grouped] {
            println!("{kind:?} on {place:?}");
            runtime.block_on(async {
                story(Stage::open(place.as_deref(), kind).await).await;
            });
        }
    }
}

impl Stage {
    pub(crate) async fn open(postgres: Option<&str>, kind: JournalKind) -> Self {
        let (settings, folder) = fresh(postgres).await;
        let database = Database::open(&settings).await.unwrap();
        let epoch = database.next_epoch(UnixMillis(1)).await.unwrap();
        Self {
            journal: Journal::start(
                &database,
                epoch,
                kind,
                SystemClock::start(),
                AuditKey::new([7; 32]),
            ),
            database,
            kind,
            settings,
            epoch,
            _folder: folder,
        }
    }

    pub(crate) async fn commit(&self, write: Write) -> Result<Committed, JournalError> {
        self.journal.commit(write, Urgency::Assured).await
    }

    /// The journal says that nothing waits any more. It counts after it has answered: soon, and not before.
    pub(crate) async fn waits_no_more(&self) {
        while self.journal.health().oldest_wait_ms > 0 {
            tokio::task::yield_now().await;
        }
    }

    pub(crate) async fn done(&self, write: Write) -> Order {
        let order = write.order.clone();
        assert_eq!(self.commit(write).await, Ok(Committed::Done));
        order
    }

    /// Commits these at once, so that they meet in one batch, and answers in their order.
    pub(crate) async fn together(
        &self,
        writes: Vec<Write>,
    ) -> Vec<Result<Committed, JournalError>> {
        let mut tasks = Vec::new();
        for write in writes {
            let journal = self.journal.clone();
            tasks.push(tokio::spawn(async move {
                journal.commit(write, Urgency::Assured).await
            }));
        }
        let mut answers = Vec::new();
        for task in tasks {
            answers.push(task.await.unwrap());
        }
        answers
    }

    pub(crate) async fn read(&self, order: &Order) -> Order {
        oncepay::store::orders::by_id(&self.database.read, &order.order_id)
            .await
            .unwrap()
            .unwrap()
    }

    /// The one number that this statement yields.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        number(&self.database.read, sql).await
    }

    pub(crate) async fn execute(&self, sql: &str) {
        use sea_orm::ConnectionTrait;
        self.database.write.execute_unprepared(sql).await.unwrap();
    }
}

pub(crate) async fn number(db: &sea_orm::DatabaseConnection, sql: &str) -> i64 {
    use sea_orm::ConnectionTrait;
    let statement = sea_orm::Statement::from_string(db.get_database_backend(), sql);
    let row = db.query_one_raw(statement).await.unwrap().unwrap();
    row.try_get_by_index(0).unwrap()
}

pub(crate) fn cny(amount: i64) -> Money {
    Money::new(amount, Currency::parse("CNY").unwrap())
}

/// A new order as its create would have it.
pub(crate) fn order(order_no: &str) -> Order {
    let fingerprint = Fingerprint {
        channel: "sandbox".into(),
        merchant: "m-1".into(),
        live: false,
    };
    let (order_id, order_no) = (OrderId(new_id("ord")), OrderNo::from(order_no));
    let at = UnixMillis(1_000);
    Order {
        method: "direct".into(),
        subject: "VIP+ 月卡".into(),
        status: OrderStatus::Processing,
        version: 1,
        expires_at: UnixMillis(7_201_000),
        ..Order::unborn(order_id, order_no, fingerprint, cny(1999), at)
    }
}

fn event(kind: EventKind, from: Option<OrderStatus>, to: OrderStatus) -> Event {
    Event {
        kind,
        by: "api:shop".into(),
        from,
        to,
        detail: EventDetail::default(),
        digest: None,
    }
}

fn write(expected_version: Option<i64>, order: Order, events: Vec<Event>) -> Write {
    Write {
        decision_id: EventId(new_id("evt")),
        expected_version,
        wake_at: order
            .status
            .is_in_flight()
            .then_some(UnixMillis(order.updated_at.0 + 3_000)),
        at: order.updated_at,
        order,
        events,
        payments: vec![],
        alerts: vec![],
        resolves_alerts: false,
        resolved_alerts: Vec::new(),
        refunds: Vec::new(),
        postings: Vec::new(),
        fulfilments: Vec::new(),
        deliveries: Vec::new(),
        audit: None,
        daily_limit: None,
        subscription_period_ms: 0,
        callback: None,
        idempotency: None,
        unless_replaced: false,
    }
}

/// The create of this order.
pub(crate) fn create(mut order: Order) -> Write {
    order.event_seq = 1;
    let events = vec![event(EventKind::Created, None, order.status)];
    write(None, order, events)
}

/// The decision that moves this order on.
pub(crate) fn to(order: &Order, status: OrderStatus) -> Write {
    let mut next = order.clone();
    next.status = status;
    next.version += 1;
    next.event_seq += 1;
    next.updated_at = UnixMillis(order.updated_at.0 + 10);
    let events = vec![event(EventKind::Callback, Some(order.status), status)];
    write(Some(order.version), next, events)
}

/// The decision that finds this order paid by this trade.
pub(crate) fn paid_by(order: &Order, trade_no: &str) -> Write {
    let mut write = to(order, OrderStatus::Paid);
    let payment = Payment {
        trade_no: trade_no.into(),
        money: order.money,
        own: true,
        at: write.at,
    };
    write.order.paid_at = Some(write.at);
    write.order.payments.push(payment.clone());
    write.payments.push(payment);
    write
}
