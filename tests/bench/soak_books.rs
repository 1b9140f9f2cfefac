//! The end: what is left open, and whether the processor's ledger, ours and the merchant's say the same.

use crate::soak_load::Tally;
use crate::soak_merchant::Merchant;
use crate::soak_verdict::Finding;
use crate::support::{Processor, Running, Shop};
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// What may still be open when the load ends has been settled by then: the ladders are shorter.
const SETTLED_WITHIN: Duration = Duration::from_secs(60);

const OPEN: [(&str, &str); 5] = [
    (
        "orders in flight",
        "SELECT COUNT(*) FROM orders WHERE wake_at IS NOT NULL",
    ),
    (
        "orders given to a person",
        "SELECT COUNT(*) FROM orders WHERE status = 'MANUAL'",
    ),
    (
        "refunds that are not settled",
        "SELECT COUNT(*) FROM refunds WHERE status NOT IN ('SUCCEEDED', 'FAILED')",
    ),
    (
        "grants not made",
        "SELECT COUNT(*) FROM fulfilments WHERE status <> 'DONE'",
    ),
    (
        "webhooks not delivered",
        "SELECT COUNT(*) FROM deliveries WHERE status <> 'DELIVERED'",
    ),
];

const PAID: &str = "SELECT order_no FROM orders WHERE status IN ('PAID', 'REFUNDING', 'PARTIALLY_REFUNDED', 'REFUNDED')";
const REFUNDED: &str = "SELECT o.order_no || ' ' || r.refund_no || ' ' || r.amount FROM refunds r \
     JOIN orders o ON o.order_id = r.order_id WHERE r.status = 'SUCCEEDED'";

/// Everything that was written down, by each side.
pub struct Books {
    open: Vec<(&'static str, u64)>,
    orders: u64,
    paid: [BTreeSet<String>; 3],
    charged_twice: u64,
    refunded: [BTreeSet<String>; 2],
    commands: Vec<(&'static str, bool)>,
}

impl Books {
    pub async fn close(shop: &mut Shop, processor: &Processor, merchant: &Merchant) -> Self {
        let open = settled(shop).await;
        let database = shop.database.connect().await;
        let ours = texts(&database, PAID).await;
        let refunded = texts(&database, REFUNDED).await;
        database.close().await.expect("it closes");
        let charges = processor.charges().await;
        let refunds_there = processor.all_refunds().await;
        let orders = shop.database.number("SELECT COUNT(*) FROM orders").await;
        let stopped = shop.stop().success();
        Self {
            open,
            orders: u64::try_from(orders).expect("a count"),
            charged_twice: count(charges.iter().filter(|it| it.charged_times > 1)),
            paid: [
                charges
                    .into_iter()
                    .filter(|charge| charge.charged_times > 0)
                    .map(|charge| charge.order_no)
                    .collect(),
                ours,
                merchant.paid(),
            ],
            refunded: [
                refunds_there
                    .into_iter()
                    .filter(|refund| refund.status == "SUCCEEDED")
                    .map(|it| format!("{} {} {}", it.order_no, it.refund_no, it.amount))
                    .collect(),
                refunded,
            ],
            commands: vec![
                ("a stop in order", stopped),
                (
                    "`oncepay ledger check`",
                    command(shop, &["ledger", "check"]),
                ),
                (
                    "`oncepay audit verify`",
                    command(shop, &["audit", "verify"]),
                ),
            ],
        }
    }

    pub fn findings(&self, tally: &Tally) -> Vec<Finding> {
        let [there, here, told] = &self.paid;
        let mut counts: BTreeMap<&str, u64> = self.open.iter().copied().collect();
        counts.insert("requests never answered", tally.unanswered());
        counts.insert(
            "orders answered and not on record",
            tally.orders().abs_diff(self.orders),
        );
        counts.insert("orders charged more than once", self.charged_twice);
        counts.insert(
            "charged there and not paid here, or the other way",
            apart(there, here),
        );
        counts.insert(
            "paid here and not told to the merchant, or the other way",
            apart(here, told),
        );
        let [there, here] = &self.refunded;
        counts.insert(
            "refunded there and not here, or the other way",
            apart(there, here),
        );
        let counts = counts.into_iter();
        let mut findings: Vec<_> = counts.map(|(what, n)| Finding::count(what, n)).collect();
        findings.extend(self.commands.iter().map(|(what, holds)| Finding {
            what: (*what).to_owned(),
            measure: if *holds { "well" } else { "not well" }.to_owned(),
            bound: "well".to_owned(),
            holds: *holds,
        }));
        findings.push(Finding {
            what: "equal in all three ledgers: orders paid; in two: refunds".to_owned(),
            measure: format!("{}; {}", self.paid[1].len(), self.refunded[1].len()),
            bound: "> 0".to_owned(),
            holds: !self.paid[1].is_empty() && !self.refunded[1].is_empty(),
        });
        findings
    }
}

/// Waits until nothing is open, and says what is.
async fn settled(shop: &Shop) -> Vec<(&'static str, u64)> {
    let until = Instant::now() + SETTLED_WITHIN;
    loop {
        let mut open = Vec::new();
        for (what, sql) in OPEN {
            let rows = shop.database.number(sql).await;
            open.push((what, u64::try_from(rows).expect("a count")));
        }
        if Instant::now() > until || open.iter().all(|(_, rows)| *rows == 0) {
            return open;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

async fn texts(database: &DatabaseConnection, sql: &str) -> BTreeSet<String> {
    let statement = Statement::from_string(database.get_database_backend(), sql);
    let rows = database.query_all_raw(statement).await.expect("it answers");
    let texts = rows.iter().map(|row| row.try_get_by_index(0));
    texts.collect::<Result<_, _>>().expect("texts")
}

fn apart(left: &BTreeSet<String>, right: &BTreeSet<String>) -> u64 {
    count(left.symmetric_difference(right))
}

fn count(items: impl Iterator) -> u64 {
    u64::try_from(items.count()).expect("a count")
}

fn command(shop: &Shop, arguments: &[&str]) -> bool {
    let log = shop.folder().join("commands");
    let mut running = Running::start(shop.folder(), arguments, &[], &log);
    let ended = running.ended(Duration::from_secs(600)).success();
    if !ended {
        eprintln!("{arguments:?}:\n{}", running.log());
    }
    ended
}
