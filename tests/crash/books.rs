//! Our ledger: every row that is compared, read at once.

use entities::{
    alerts, balances, deliveries, ledger_entries, order_events, orders, payments, refunds,
};
use sea_orm::{DatabaseConnection, EntityTrait, QuerySelect};
use std::collections::BTreeMap;

/// One row for each order, with what belongs to it.
#[derive(Debug)]
pub(crate) struct Ours {
    pub(crate) order: orders::Model,
    pub(crate) payments: Vec<payments::Model>,
    pub(crate) refunds: Vec<refunds::Model>,
    /// Entries of its grant and of what was taken back.
    pub(crate) granted: Vec<i64>,
    pub(crate) revoked: i64,
    /// Events that brought it to `PAID` from where it was not paid.
    pub(crate) became_paid: usize,
}

/// See the module.
pub(crate) struct Books {
    pub(crate) orders: BTreeMap<String, Ours>,
    /// By account.
    pub(crate) balances: BTreeMap<String, balances::Model>,
    pub(crate) entries: Vec<ledger_entries::Model>,
    pub(crate) alerts: Vec<alerts::Model>,
    /// Webhooks that were not delivered.
    pub(crate) undelivered: Vec<String>,
}

const UNPAID: [&str; 7] = [
    "UNPAID",
    "PROCESSING",
    "PENDING",
    "UNKNOWN",
    "MANUAL",
    "FAILED",
    "CLOSED",
];

impl Books {
    pub(crate) async fn read(connection: &DatabaseConnection) -> Self {
        let orders = orders::Entity::find()
            .all(connection)
            .await
            .expect("orders");
        let mut all: BTreeMap<String, Ours> = BTreeMap::new();
        let mut numbers = BTreeMap::new();
        for order in orders {
            numbers.insert(order.order_id.clone(), order.order_no.clone());
            let ours = Ours {
                payments: Vec::new(),
                refunds: Vec::new(),
                granted: Vec::new(),
                revoked: 0,
                became_paid: 0,
                order,
            };
            all.insert(ours.order.order_no.clone(), ours);
        }
        let mut books = Self {
            orders: all,
            balances: BTreeMap::new(),
            entries: Vec::new(),
            alerts: alerts::Entity::find()
                .all(connection)
                .await
                .expect("alerts"),
            undelivered: Vec::new(),
        };
        books.read_money(connection, &numbers).await;
        books.read_accounts(connection).await;
        let told = deliveries::Entity::find()
            .select_only()
            .columns([deliveries::Column::WebhookId, deliveries::Column::Status])
            .into_tuple::<(String, String)>();
        let told = told.all(connection).await.expect("deliveries");
        let undelivered = told.into_iter().filter(|(_, status)| status != "DELIVERED");
        books.undelivered = undelivered.map(|(id, _)| id).collect();
        books
    }

    async fn read_money(
        &mut self,
        connection: &DatabaseConnection,
        numbers: &BTreeMap<String, String>,
    ) {
        let payments = payments::Entity::find().all(connection).await;
        for payment in payments.expect("payments") {
            let ours = self.orders.get_mut(&numbers[&payment.order_id]);
            ours.expect("its order").payments.push(payment);
        }
        let refunds = refunds::Entity::find().all(connection).await;
        for refund in refunds.expect("refunds") {
            let ours = self.orders.get_mut(&numbers[&refund.order_id]);
            ours.expect("its order").refunds.push(refund);
        }
        let events = order_events::Entity::find()
            .select_only()
            .columns([
                order_events::Column::OrderId,
                order_events::Column::FromStatus,
                order_events::Column::ToStatus,
            ])
            .into_tuple::<(String, Option<String>, String)>();
        for (order_id, from, to) in events.all(connection).await.expect("events") {
            let was_unpaid = from.is_none_or(|from| UNPAID.contains(&&*from));
            if was_unpaid && to == "PAID" {
                let ours = self.orders.get_mut(&numbers[&order_id]);
                ours.expect("its order").became_paid += 1;
            }
        }
    }

    async fn read_accounts(&mut self, connection: &DatabaseConnection) {
        let balances = balances::Entity::find().all(connection).await;
        for balance in balances.expect("balances") {
            self.balances.insert(balance.account.clone(), balance);
        }
        let entries = ledger_entries::Entity::find().all(connection).await;
        self.entries = entries.expect("entries");
        for entry in &self.entries {
            let (what, rest) = entry.source.split_once(':').unwrap_or_default();
            let order_no = rest.split(':').next().unwrap_or_default();
            match (what, self.orders.get_mut(order_no)) {
                ("order", Some(ours)) => ours.granted.push(entry.quantity),
                ("refund", Some(ours)) => ours.revoked -= entry.quantity,
                _ => {}
            }
        }
    }
}
