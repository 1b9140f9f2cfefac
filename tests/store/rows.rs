//! Everything that stands in the tables, without the ids and numbers that are made for each write anew.

use entities::*;
use sea_orm::{DatabaseConnection, EntityTrait};

macro_rules! all {
    ($read:expr, $rows:expr, $($table:ident $(without $($id:ident)+)?),+ $(,)?) => {
        $(for row in $table::Entity::find().all($read).await.unwrap() {
            $(let row = {
                let mut row = row;
                $(row.$id = Default::default();)+
                row
            };)?
            $rows.push(format!("{row:?}"));
        })+
    };
}

pub(crate) async fn rows(read: &DatabaseConnection) -> Vec<String> {
    let mut rows = Vec::new();
    all!(
        read,
        rows,
        orders,
        order_events without event_id,
        alerts without alert_id,
        alert_keys,
        payments,
        refunds,
        callbacks,
        idempotency_keys,
        balances,
        ledger_entries without seq entry_id,
        holds,
        fulfilments,
        deliveries without delivery_id webhook_id,
        audit_log,
    );
    rows.sort();
    rows
}
