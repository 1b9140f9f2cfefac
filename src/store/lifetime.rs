//! The end of a database handle, and its epoch as it stands.

use super::{Database, StoreError};
use crate::store::single::Single;
use entities::runtime;
use sea_orm::EntityTrait;

impl Database {
    /// The epoch in force, without taking the next one.
    ///
    /// # Errors
    /// `Database` when it does not answer, `Row` when the row is missing.
    pub async fn epoch(&self) -> Result<i64, StoreError> {
        let row = runtime::Entity::find_by_id(1).single(&self.read).await?;
        row.map(|row| row.epoch)
            .ok_or_else(|| StoreError::Row("the runtime row is missing".to_owned()))
    }

    /// Closes all connections; what fails to close is closed by the end of the process.
    pub async fn close(self) {
        for (name, connection) in [("readers", self.read), ("writer", self.write)] {
            if let Err(error) = connection.close().await {
                tracing::warn!(name, %error, "connections did not close");
            }
        }
    }
}
