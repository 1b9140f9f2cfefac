//! Where programs and the seller of reports meet: a gateway, a database, and what both can look at.

use super::agents::{CONFIRM, Gateway};
use super::reports::{Ahead, Desk, Got, Place, Reports};
use super::support::{ScratchDatabase, eventually};
use sea_orm::{ConnectionTrait, Statement};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tempfile::TempDir;

pub(crate) struct Market {
    pub(crate) folder: TempDir,
    pub(crate) database: ScratchDatabase,
    pub(crate) gateway: Gateway,
    pub(crate) desk: Arc<Desk>,
    pub(crate) clock: Arc<Ahead>,
    /// More lines of the channel's section, and sections after it.
    pub(crate) more: String,
}

impl Market {
    pub(crate) async fn set() -> Self {
        Self::set_with("").await
    }

    pub(crate) async fn set_with(more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            database: ScratchDatabase::make(folder.path()).await,
            folder,
            gateway: Gateway::open(),
            desk: Arc::default(),
            clock: Ahead::start(),
            more: more.to_owned(),
        }
    }

    /// The seller's configuration, but for its places.
    pub(crate) fn configured(&self) -> String {
        format!("{}{}", self.gateway.section(), self.more)
    }

    pub(crate) async fn open(&self) -> Reports {
        self.open_at(&self.database.url).await
    }

    /// Opens with the database at this address.
    pub(crate) async fn open_at(&self, database: &str) -> Reports {
        let place = Place {
            folder: self.folder.path(),
            database,
            more: &self.configured(),
            port: 0,
        };
        Reports::open(&place, &self.desk, self.clock.clone()).await
    }

    pub(crate) fn written(&self) -> usize {
        self.desk.written.load(Ordering::SeqCst)
    }

    pub(crate) async fn is_confirmed(&self, trade_no: &str, times: usize) {
        eventually("it is confirmed", || async {
            let calls = self.gateway.calls(CONFIRM, trade_no);
            (calls >= times)
                .then_some(())
                .ok_or_else(|| calls.to_string())
        })
        .await;
    }

    /// The texts that a query finds.
    pub(crate) async fn texts(&self, sql: &str) -> Vec<String> {
        let connection = self.database.connect().await;
        let statement = Statement::from_string(connection.get_database_backend(), sql);
        let rows = connection.query_all_raw(statement).await.unwrap();
        let texts = rows.iter().map(|row| row.try_get_by_index(0).unwrap());
        let texts = texts.collect();
        connection.close().await.unwrap();
        texts
    }

    /// What the query finds becomes these texts.
    pub(crate) async fn becomes(&self, sql: &str, texts: &[&str]) {
        eventually(&format!("{sql} finds {texts:?}"), || async {
            let found = self.texts(sql).await;
            (found == texts)
                .then_some(())
                .ok_or_else(|| format!("{found:?}"))
        })
        .await;
    }

    /// The status of each trade, in their order.
    pub(crate) async fn trades_become(&self, statuses: &[&str]) {
        let sql = "SELECT status FROM metered_trades ORDER BY trade_no";
        self.becomes(sql, statuses).await;
    }

    /// The status of each alert about a payment, the oldest first.
    pub(crate) async fn alerts_become(&self, statuses: &[&str]) {
        let sql = "SELECT status FROM alerts WHERE kind = 'pay_per_use' AND severity = 'action' ORDER BY alert_id";
        self.becomes(sql, statuses).await;
    }
}

/// What it says and which offer it makes, if it makes one.
pub(crate) fn is(got: &Got, status: u16, code: &str) {
    assert_eq!(got.status.as_u16(), status, "{got:?}");
    assert!(
        got.body.contains(&format!("\"code\":\"{code}\"")),
        "{got:?}"
    );
    assert_eq!(got.needed.is_some(), status == 402, "{got:?}");
}
