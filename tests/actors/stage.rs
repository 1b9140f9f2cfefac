//! A runtime of a test's own, and verbs for what happens to it.

use crate::bank::{BANK, Bank};
use crate::clock::TestClock;
use oncepay::actors::{Gateway, NewOrder, Received, Wait};
use oncepay::channels::RawNotice;
use oncepay::config::Settings;
use oncepay::domain::order::{EventKind, Order, OrderStatus};
use oncepay::domain::{Currency, Money, OrderNo};
use oncepay::runtime::Runtime;
use oncepay::store::alerts::StoredAlert;
use oncepay::store::orders::StoredEvent;
use oncepay::store::{alerts, orders};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Only a hang runs into it.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn money() -> Money {
    Money::new(1999, Currency::parse("CNY").unwrap())
}

pub(crate) fn no(order_no: &str) -> OrderNo {
    OrderNo(order_no.to_owned())
}

/// A SQLite file in this folder, where the kind of database does not matter.
pub(crate) fn sqlite(folder: &Path) -> String {
    format!("sqlite://{}", folder.join("oncepay.db").display())
}

/// Settings on this database. `schedule` is a TOML list.
pub(crate) fn settings(folder: &Path, database: &str, schedule: &str) -> Settings {
    let text = format!(
        r#"[server]
listen = "127.0.0.1:0"
public_url = "http://127.0.0.1:1"
ui_deadline = "20s"
[database]
url = "{database}"
[checks]
submit_timeout = "2s"
query_timeout = "2s"
schedule = {schedule}
startup_spread = "1ms"
startup_grace = "0ms"
max_submits = 1
[callbacks]
deadline = "30s"
[channels.unused]
kind = "http"
base_url = "http://127.0.0.1:9/none"
secret = "whsec_dGVzdC1zZWNyZXQtb2YtdGhlLXNhbmRib3gtcHJvY2Vzc29y"
[alerts]
from = "oncepay@example.com"
to = ["ops@example.com"]
"#
    );
    let mut settings = Settings::from_text(&text).expect("the settings are good");
    settings.data_dir = folder.to_owned();
    // A bank that mumbles again and again is what most stories are about: its circuit stays closed.
    let mut bank = settings.channels["unused"].clone();
    bank.merchant = "default".to_owned();
    bank.circuit = None;
    settings.channels.insert(BANK.to_owned(), bank);
    settings
}

/// A running runtime.
pub(crate) struct Stage {
    pub(crate) runtime: Runtime,
}

impl Stage {
    pub(crate) async fn open(settings: Settings, bank: &Arc<Bank>, clock: &Arc<TestClock>) -> Self {
        let builder = Runtime::builder(settings)
            .channel(Arc::<Bank>::clone(bank))
            .clock(Arc::<TestClock>::clone(clock));
        let runtime = builder.start().await.expect("the runtime starts");
        Self { runtime }
    }

    /// Beside another runtime on the same database.
    pub(crate) async fn open_beside(settings: Settings, bank: &Arc<Bank>) -> Self {
        let builder = Runtime::builder(settings)
            .channel(Arc::<Bank>::clone(bank))
            .without_lock();
        let runtime = builder.start().await.expect("the runtime starts");
        Self { runtime }
    }

    pub(crate) fn gateway(&self) -> &Gateway {
        self.runtime.gateway()
    }

    /// Creates the order and does not wait for its result.
    pub(crate) async fn create(&self, order_no: &str) -> Order {
        let answered = self.gateway().create(new_order(order_no), Wait::No).await;
        answered.expect("the order is created").order
    }

    pub(crate) async fn order(&self, order_no: &str) -> Order {
        let read = &self.runtime.database().read;
        let found = orders::by_no(read, &no(order_no)).await;
        found
            .expect("orders can be read")
            .expect("the order is there")
    }

    /// Waits until the order is as `so` says.
    pub(crate) async fn until(&self, order_no: &str, so: impl Fn(&Order) -> bool) -> Order {
        let until = Instant::now() + PATIENCE;
        loop {
            let order = self.order(order_no).await;
            if so(&order) {
                return order;
            }
            assert!(Instant::now() < until, "it never came: {order:#?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn becomes(&self, order_no: &str, status: OrderStatus) -> Order {
        self.until(order_no, |order| order.status == status).await
    }

    pub(crate) async fn history(&self, order_no: &str) -> Vec<StoredEvent> {
        let order = self.order(order_no).await;
        let read = &self.runtime.database().read;
        let events = orders::events(read, &order.order_id).await;
        events.expect("events can be read")
    }

    /// How many events of this kind the order has.
    pub(crate) async fn count(&self, order_no: &str, kind: EventKind) -> usize {
        let history = self.history(order_no).await;
        history
            .iter()
            .filter(|event| event.kind == kind.as_str())
            .count()
    }

    /// Waits until the order has so many events of this kind.
    pub(crate) async fn until_counted(&self, order_no: &str, kind: EventKind, many: usize) {
        let until = Instant::now() + PATIENCE;
        while self.count(order_no, kind).await < many {
            assert!(Instant::now() < until, "fewer than {many} of {kind}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn alerts(&self) -> Vec<StoredAlert> {
        let read = &self.runtime.database().read;
        let listed = alerts::list(read, None, None, 1000).await;
        listed.expect("alerts can be read")
    }

    /// Waits for an alert of this kind.
    pub(crate) async fn until_told(&self, kind: &str) -> StoredAlert {
        let until = Instant::now() + PATIENCE;
        loop {
            let alerts = self.alerts().await;
            if let Some(alert) = alerts.into_iter().find(|alert| alert.kind == kind) {
                return alert;
            }
            assert!(Instant::now() < until, "nobody was told of {kind}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until no order has an actor.
    pub(crate) async fn until_nobody_acts(&self) {
        let until = Instant::now() + PATIENCE;
        loop {
            let (actors, _timers) = self.gateway().census().await;
            if actors == 0 {
                return;
            }
            assert!(Instant::now() < until, "{actors} actors stay");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// A notice of the bank.
    pub(crate) async fn hear(&self, id: &str, status: &str, order_no: &str) -> Received {
        hear(self.gateway(), id, status, order_no).await
    }
}

/// A notice of the bank reaches this gateway.
pub(crate) async fn hear(gateway: &Gateway, id: &str, status: &str, order_no: &str) -> Received {
    let body = format!("{id} {status} {order_no}");
    let headers = BTreeMap::new();
    let notice = RawNotice {
        headers: &headers,
        query: "",
        body: body.as_bytes(),
    };
    gateway.receive(BANK, notice).await
}

pub(crate) fn new_order(order_no: &str) -> NewOrder {
    NewOrder {
        order_no: no(order_no),
        channel: BANK.to_owned(),
        method: "direct".to_owned(),
        money: money(),
        subject: "VIP".to_owned(),
        account: None,
        entitlements: Vec::new(),
        metadata: BTreeMap::new(),
        return_url: None,
        payer: None,
        replaces: None,
        expires_in_s: 864_000,
        by: "api:shop".to_owned(),
        idempotency: None,
    }
}
