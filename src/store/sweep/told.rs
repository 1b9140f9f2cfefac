//! Grants that ops were told of and that had not come when they were last looked at.

use super::Suspect;
use crate::domain::order::AlertKind;
use crate::store::StoreError;
use entities::alerts;
use sea_orm::{ColumnTrait, DatabaseConnection, EntityTrait, QueryFilter, QuerySelect};

/// The orders and kinds whose alert stands, which an earlier run may have raised.
///
/// # Errors
/// When the database does not answer.
pub async fn told(read: &DatabaseConnection) -> Result<Vec<(Suspect, String)>, StoreError> {
    let standing: Vec<(String, Option<String>, Option<String>)> = alerts::Entity::find()
        .select_only()
        .column(alerts::Column::Key)
        .column(alerts::Column::OrderId)
        .column(alerts::Column::OrderNo)
        .filter(alerts::Column::Kind.eq(AlertKind::PaidNotFulfilled.as_str()))
        .filter(alerts::Column::Status.ne("resolved"))
        .into_tuple()
        .all(read)
        .await?;
    let told = standing
        .into_iter()
        .filter_map(|(key, order_id, order_no)| {
            // Its subject is the order's id and the kind.
            let subject = key.split('|').nth(1)?.to_owned();
            let kind = subject.strip_prefix(&format!("{}/", order_id?))?;
            Some((Suspect::order(order_no?), kind.to_owned()))
        });
    Ok(told.collect())
}
