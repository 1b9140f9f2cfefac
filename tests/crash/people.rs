//! Everything comes to rest: payers pay or the merchant closes, operators decide what is theirs to decide, by the
//! processor's own account, and nothing is left open.

use crate::dice::Dice;
use crate::support::{Charge, MERCHANT, OPERATOR, RefundThere};
use crate::till::Till;
use crate::world::World;
use entities::{orders, refunds};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, EntityTrait, QueryFilter, Statement,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A mail that was refused waits half a minute, and two minutes after that.
const PATIENCE: Duration = Duration::from_secs(300);
/// How often it is looked whether anything is open still.
const LOOK: Duration = Duration::from_millis(150);
/// A person looks at a case less often: machines may still be at it.
const PERSON: Duration = Duration::from_secs(1);
const OPEN: [&str; 6] = [
    "UNPAID",
    "PROCESSING",
    "PENDING",
    "UNKNOWN",
    "MANUAL",
    "REFUNDING",
];
/// What else must have come to its end.
const UNFINISHED: &str = "SELECT \
    (SELECT COUNT(*) FROM refunds WHERE status NOT IN ('SUCCEEDED', 'FAILED')) \
    + (SELECT COUNT(*) FROM fulfilments WHERE status <> 'DONE') \
    + (SELECT COUNT(*) FROM deliveries WHERE status = 'PENDING') \
    + (SELECT COUNT(*) FROM alerts WHERE mailed_at IS NULL AND mail_due_at IS NOT NULL)";

/// See the module.
pub(crate) async fn settle(world: &World, till: &mut Till, dice: &mut Dice) {
    let connection = world.shop.database.connect().await;
    let until = Instant::now() + PATIENCE;
    let mut looked = Instant::now();
    loop {
        let everything = till.waiting().len();
        let on_the_way = till.ask(dice, everything);
        till.hear(on_the_way, dice).await;
        let (charges, returned, callbacks) = world.processor.books().await;
        let open = open_orders(&connection).await;
        if looked.elapsed() > PERSON {
            looked = Instant::now();
            let there: BTreeMap<_, _> = charges.iter().map(|it| (&*it.order_no, it)).collect();
            for order in &open {
                decide(world, order, there.get(&*order.order_no).copied(), dice).await;
            }
            refunds_in_manual(world, &connection, &returned).await;
        }
        let unfinished = count(&connection, UNFINISHED).await;
        let waiting = till.waiting();
        if open.is_empty() && unfinished == 0 && callbacks == 0 && waiting.is_empty() {
            break;
        }
        let told = || waiting.iter().map(|place| &till.errands[*place]).take(10);
        assert!(
            Instant::now() < until,
            "it never comes to rest: {unfinished} rows, {callbacks} callbacks, {:?}\n{open:#?}",
            told().collect::<Vec<_>>()
        );
        tokio::time::sleep(LOOK).await;
    }
    connection.close().await.expect("it closes");
}

async fn open_orders(connection: &DatabaseConnection) -> Vec<orders::Model> {
    let open = orders::Entity::find().filter(orders::Column::Status.is_in(OPEN));
    open.all(connection).await.expect("orders are read")
}

/// One number.
pub(crate) async fn count(connection: &DatabaseConnection, sql: &str) -> i64 {
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let row = connection.query_one_raw(statement).await;
    let row = row.expect("the query runs").expect("it has a row");
    row.try_get_by_index(0).expect("a number")
}

/// What people do about an order that does not end by itself.
async fn decide(world: &World, order: &orders::Model, there: Option<&Charge>, dice: &mut Dice) {
    let path = format!("/v1/orders/{}", order.order_id);
    let waits_for_its_payer = there.is_some_and(|it| it.status == "PENDING");
    match order.status.as_str() {
        "PENDING" if waits_for_its_payer && dice.one_in(2) => {
            world.processor.pay(&order.order_no).await;
        }
        "PENDING" => {
            let close = format!("{path}/close");
            world.shop.ask("POST", &close, MERCHANT, None).await;
        }
        "MANUAL" => {
            let is_charged = there.is_some_and(|it| it.charged_times > 0);
            // A closed order that is paid after all comes back to people once: by then its money is there.
            if waits_for_its_payer && dice.one_in(2) {
                world.processor.pay(&order.order_no).await;
                return;
            }
            let decision = if is_charged { "PAID" } else { "NOT_PAID" };
            let body = json!({"decision": decision, "basis": "the processor's account",
                "expected_version": order.version, "channel_trade_no": there.filter(|_| is_charged).map(|it| &it.trade_no)});
            // Refused when it has moved meanwhile: then it is looked at again.
            world.shop.review(&order.order_id, OPERATOR, &body).await;
        }
        _ => {}
    }
}

async fn refunds_in_manual(
    world: &World,
    connection: &DatabaseConnection,
    returned: &[RefundThere],
) {
    let manual = refunds::Entity::find().filter(refunds::Column::Status.eq("MANUAL"));
    for refund in manual.all(connection).await.expect("refunds are read") {
        let there = returned.iter().find(|it| it.refund_no == refund.refund_no);
        let decision = match there.map(|it| it.status.as_str()) {
            Some("SUCCEEDED") => "SUCCEEDED",
            Some(_) => "FAILED",
            None => "RETRY",
        };
        let body = json!({"decision": decision, "basis": "the processor's account",
            "expected_version": refund.version});
        let path = format!(
            "/v1/orders/{}/refunds/{}/reviews",
            refund.order_id, refund.refund_no
        );
        world.shop.ask("POST", &path, OPERATOR, Some(&body)).await;
    }
}
