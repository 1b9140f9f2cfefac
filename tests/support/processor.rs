//! The sandbox as a process of its own, and what its ledger says.

use super::watch::OnStage;
use super::{Running, eventually, free_port, patient_client};
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;
use tempfile::TempDir;

/// A payment processor that tests can look into.
pub struct Processor {
    pub running: Running,
    pub port: u16,
    pub secret: String,
    environment: Vec<(String, String)>,
    folder: TempDir,
    /// Gone at the very end: a stage that cannot be left is told of too.
    _story: OnStage,
}

/// What the processor really did about one order.
#[derive(Debug, Clone, Deserialize)]
pub struct Charge {
    pub order_no: String,
    pub idempotency_key: String,
    pub trade_no: String,
    pub amount: i64,
    pub status: String,
    pub submits: u64,
    pub queries: u64,
    pub closes: u64,
    pub charged_times: u64,
}

/// How many calls about one key were on the wire since the processor started, charged or not.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Calls {
    pub idempotency_key: String,
    pub submits: u64,
    pub queries: u64,
    pub closes: u64,
    pub refunds: u64,
    pub refund_queries: u64,
}

/// A refund that the processor really made.
#[derive(Debug, Clone, Deserialize)]
pub struct RefundThere {
    pub order_no: String,
    pub refund_no: String,
    pub trade_no: String,
    pub amount: i64,
    pub status: String,
    pub channel_refund_no: String,
}

#[derive(Debug, Deserialize)]
struct Ledger {
    charges: Vec<Charge>,
    refunds: Vec<RefundThere>,
    calls: Vec<Calls>,
    callbacks_waiting: u64,
}

impl Processor {
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// One with more in its environment.
    pub async fn start_with(environment: &[(String, String)]) -> Self {
        let story = OnStage::enters();
        let folder = tempfile::tempdir().expect("a folder");
        let port = free_port();
        let secret = "whsec_dGVzdC1zZWNyZXQtb2YtdGhlLXNhbmRib3gtcHJvY2Vzc29y".to_owned();
        std::fs::write(folder.path().join("secret"), &secret).expect("the secret is written");
        let running = Self::run(&folder, port, environment);
        let processor = Self {
            running,
            port,
            secret,
            environment: environment.to_vec(),
            folder,
            _story: story,
        };
        processor.is_up().await;
        processor
    }

    fn run(folder: &TempDir, port: u16, environment: &[(String, String)]) -> Running {
        let path = |name: &str| folder.path().join(name).display().to_string();
        let listen = format!("127.0.0.1:{port}");
        let arguments = [
            "sandbox",
            "--listen",
            &listen,
            "--file",
            &path("ledger"),
            "--secret-file",
            &path("secret"),
        ];
        let log = folder.path().join("log");
        Running::start(folder.path(), &arguments, environment, &log)
    }

    async fn is_up(&self) {
        eventually("the processor answers", || async {
            self.get_ledger()
                .await
                .map(drop)
                .map_err(|error| error.to_string())
        })
        .await;
    }

    /// The same processor with the same ledger, after a crash or a rest.
    pub async fn restart(&mut self) {
        self.running.kill();
        self.start_again().await;
    }

    /// It comes back after it was killed.
    pub async fn start_again(&mut self) {
        self.running = Self::run(&self.folder, self.port, &self.environment);
        self.is_up().await;
    }

    /// From now on it signs with this secret, and knows no other.
    pub async fn changes_secret(&mut self, secret: &str) {
        secret.clone_into(&mut self.secret);
        std::fs::write(self.folder.path().join("secret"), secret).expect("the secret is written");
        self.restart().await;
    }

    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/sandbox", self.port)
    }

    pub fn ledger_file(&self) -> PathBuf {
        self.folder.path().join("ledger")
    }

    async fn get_ledger(&self) -> Result<Ledger, reqwest::Error> {
        let url = format!("{}/ledger", self.base_url());
        let answer = patient_client().get(url).send().await?;
        let text = answer.error_for_status()?.text().await?;
        Ok(serde_json::from_str(&text).expect("the ledger is JSON"))
    }

    /// Its folder stays when the test ends.
    pub fn keep_folder(&mut self) -> PathBuf {
        self.folder.disable_cleanup(true);
        self.folder.path().to_owned()
    }

    /// Every charge and every refund there is, and how many callbacks are still to be acknowledged.
    pub async fn books(&self) -> (Vec<Charge>, Vec<RefundThere>, u64) {
        let ledger = self.get_ledger().await.expect("the ledger answers");
        (ledger.charges, ledger.refunds, ledger.callbacks_waiting)
    }

    /// What was really charged under this order number, if anything was.
    pub async fn charge(&self, order_no: &str) -> Option<Charge> {
        let ledger = self.get_ledger().await.expect("the ledger answers");
        ledger
            .charges
            .into_iter()
            .find(|charge| charge.order_no == order_no)
    }

    pub async fn charges(&self) -> Vec<Charge> {
        self.get_ledger().await.expect("the ledger answers").charges
    }

    /// The one thing that must hold for every order: charged once.
    pub async fn charged_once(&self, order_no: &str) -> Charge {
        let charge = self
            .charge(order_no)
            .await
            .expect("the processor knows the order");
        assert_eq!(
            charge.charged_times, 1,
            "charged more than once: {charge:?}"
        );
        charge
    }

    /// The calls about this order, charged or not.
    pub async fn calls(&self, order_no: &str) -> Calls {
        let key = format!("pay:order:{order_no}");
        let ledger = self.get_ledger().await.expect("the ledger answers");
        let mut calls = ledger.calls.into_iter();
        calls
            .find(|calls| calls.idempotency_key == key)
            .unwrap_or_default()
    }

    /// What was really refunded of this order, pending and failed refunds among it.
    pub async fn refunds(&self, order_no: &str) -> Vec<RefundThere> {
        let ledger = self.get_ledger().await.expect("the ledger answers");
        let refunds = ledger.refunds.into_iter();
        refunds.filter(|it| it.order_no == order_no).collect()
    }

    pub async fn all_refunds(&self) -> Vec<RefundThere> {
        self.get_ledger().await.expect("the ledger answers").refunds
    }

    /// The payer pays.
    pub async fn pay(&self, order_no: &str) {
        self.control(json!({"pay": format!("pay:order:{order_no}")}))
            .await;
    }

    /// Sends a new notice about the charge as it stands, in so many copies at once.
    pub async fn notify(&self, order_no: &str, copies: u32) {
        let key = format!("pay:order:{order_no}");
        self.control(json!({"notify": {"key": key, "copies": copies}}))
            .await;
    }

    /// Tells the processor to do something beside its script, such as `{"pay": key}`.
    pub async fn control(&self, command: serde_json::Value) {
        let answer = patient_client()
            .post(format!("{}/control", self.base_url()))
            .header("content-type", "application/json")
            .body(command.to_string())
            .send()
            .await
            .expect("the processor answers");
        assert!(answer.status().is_success(), "the processor does {command}");
    }
}
