//! The outbox, one statement for each row.

use crate::store::mapping::OrderRows;
use crate::store::single::Single;
use entities::{deliveries, fulfilments};
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ActiveValue, ColumnTrait, DatabaseTransaction, DbErr, EntityTrait,
    IntoActiveModel, QueryFilter,
};

pub(super) async fn rows(write: &DatabaseTransaction, decision: &OrderRows) -> Result<(), DbErr> {
    for row in &decision.fulfilments.queued {
        queue(write, row).await?;
    }
    for row in &decision.fulfilments.done {
        fulfilments::Entity::update_many()
            .set(fulfilments::ActiveModel {
                status: ActiveValue::Set(row.status.clone()),
                leased_by: ActiveValue::Set(None),
                updated_at: ActiveValue::Set(row.updated_at),
                ..Default::default()
            })
            .filter(fulfilments::Column::OrderNo.eq(row.order_no.as_str()))
            .filter(fulfilments::Column::Kind.eq(row.kind.as_str()))
            .exec(write)
            .await?;
    }
    for row in &decision.deliveries {
        let there = OnConflict::column(deliveries::Column::WebhookId)
            .do_nothing()
            .to_owned();
        deliveries::Entity::insert(row.clone().into_active_model().reset_all())
            .on_conflict(there)
            .exec_without_returning(write)
            .await?;
    }
    Ok(())
}

/// A grant that was done or given up is to be made once more.
async fn queue(write: &DatabaseTransaction, row: &fulfilments::Model) -> Result<(), DbErr> {
    let key = (row.order_no.clone(), row.kind.clone());
    let Some(found) = fulfilments::Entity::find_by_id(key).single(write).await? else {
        fulfilments::Entity::insert(row.clone().into_active_model().reset_all())
            .exec_without_returning(write)
            .await?;
        return Ok(());
    };
    let again = fulfilments::Model {
        order_id: found.order_id,
        created_at: found.created_at,
        ..row.clone()
    };
    fulfilments::Entity::update_many()
        .set(again.into_active_model().reset_all())
        .filter(fulfilments::Column::OrderNo.eq(row.order_no.as_str()))
        .filter(fulfilments::Column::Kind.eq(row.kind.as_str()))
        .exec(write)
        .await?;
    Ok(())
}
