//! The runtime that is played with: opened, crashed and opened again on one database.

use crate::clock::Hours;
use crate::step::Policies;
use crate::support::ScratchDatabase;
use crate::vault::Vault;
use oncepay::config::Settings;
use oncepay::domain::order::Order;
use oncepay::domain::{Currency, Money, OrderNo};
use oncepay::store::orders;
use oncepay::{Gateway, Runtime};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const CHANNEL: &str = "vault";
/// What every order costs.
pub(crate) const PRICE: i64 = 1_000;
/// How long a row must stand still to count as quiet, and how often it is looked at.
const LOOK: Duration = Duration::from_millis(4);
const QUIET_LOOKS: u32 = 2;
/// Only a hang runs into it.
const LOOKS_MAX: u32 = 5_000;

pub(crate) fn money(amount: i64) -> Money {
    Money::new(amount, Currency::parse("CNY").expect("a currency"))
}

pub(crate) fn number(order: u8) -> OrderNo {
    OrderNo(format!("o{order}"))
}

fn settings(folder: &Path, database: &str, policies: Policies) -> Settings {
    let (late, on_refund) = (policies.late_success.word(), policies.on_refund.word());
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
schedule = ["60s", "120s", "300s"]
startup_spread = "0ms"
startup_grace = "10s"
max_submits = 2
[ledger]
on_refund = "{on_refund}"
[channels.vault]
kind = "http"
base_url = "http://127.0.0.1:9/none"
secret = "whsec_dGVzdC1zZWNyZXQtb2YtdGhlLXNhbmRib3gtcHJvY2Vzc29y"
late_success = "{late}"
[alerts]
from = "oncepay@example.com"
to = ["ops@example.com"]
"#
    );
    let mut settings = Settings::from_text(&text).expect("the settings are good");
    settings.data_dir = folder.join("data");
    settings
}

/// See the module.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    database: ScratchDatabase,
    policies: Policies,
    pub(crate) vault: Arc<Vault>,
    pub(crate) hours: Hours,
    runtime: Option<Runtime>,
}

impl Stage {
    pub(crate) async fn open(policies: Policies) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let database = ScratchDatabase::make(folder.path()).await;
        let mut stage = Self {
            folder,
            database,
            policies,
            vault: Vault::open(policies.one_charge_per_key),
            hours: Hours::start(),
            runtime: None,
        };
        stage.start().await;
        stage
    }

    async fn start(&mut self) {
        let settings = settings(self.folder.path(), &self.database.url, self.policies);
        let builder = Runtime::builder(settings)
            .channel(Arc::<Vault>::clone(&self.vault))
            .clock(Arc::new(self.hours.clone()));
        self.runtime = Some(builder.start().await.expect("the runtime starts"));
    }

    /// It ends without ceremony, whatever is under way, and is started again.
    pub(crate) async fn crash(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.abandon();
        }
        self.hours = self.hours.of_the_next_run();
        self.start().await;
    }

    pub(crate) async fn close(mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.stop().await;
        }
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("it runs")
    }

    pub(crate) fn gateway(&self) -> &Gateway {
        self.runtime().gateway()
    }

    pub(crate) fn data_dir(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    /// All orders, oldest first.
    pub(crate) async fn orders(&self) -> Vec<Order> {
        let filter = orders::OrderFilter {
            limit: 100,
            ..orders::OrderFilter::default()
        };
        let read = &self.runtime().database().read;
        let mut all = orders::list(read, &filter).await.expect("orders are read");
        all.reverse();
        all
    }

    /// Waits until nothing moves any more by itself.
    pub(crate) async fn quiet(&self) {
        let mut before = Vec::new();
        let mut same = 0;
        for _ in 0..LOOKS_MAX {
            tokio::time::sleep(LOOK).await;
            let now = self.orders().await;
            if now == before {
                same += 1;
                if same >= QUIET_LOOKS {
                    return;
                }
            } else {
                same = 0;
                before = now;
            }
        }
    }
}
