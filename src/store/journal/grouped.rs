//! Many decisions in one write.

use super::naive;
use crate::store::mapping::Prepared;
use sea_orm::{DatabaseConnection, DbErr};

pub(super) async fn write(
    connection: &DatabaseConnection,
    epoch: i64,
    batch: &[&Prepared],
) -> Result<Vec<bool>, DbErr> {
    let mut matched = Vec::with_capacity(batch.len());
    for decision in batch {
        matched.push(naive::write(connection, epoch, decision).await?);
    }
    Ok(matched)
}
