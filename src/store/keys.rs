//! API keys: stored as hashes, found by the hash of what a request brings.

use super::StoreError;
use crate::domain::UnixMillis;
use sea_orm::{DatabaseConnection, DbBackend, Statement};

/// A key as stored. `digest` is `sha256:<hex>` of the whole `opk_…` text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    pub name: String,
    /// `merchant`, `viewer`, `operator` or `admin`.
    pub role: String,
    pub scopes: Vec<String>,
    pub digest: String,
    pub created_at: UnixMillis,
    pub revoked_at: Option<UnixMillis>,
}

/// All keys, revoked ones too.
pub async fn all(read: &DatabaseConnection) -> Result<Vec<StoredKey>, StoreError> {
    todo!("{read:?}")
}

/// Adds a key, or replaces the revoked one of this name; no row affected if the name is in use.
pub fn add(backend: DbBackend, key: &StoredKey) -> Statement {
    todo!("{backend:?} {key:?}")
}

/// Revokes a key; one row affected if it was there and live.
pub fn revoke(backend: DbBackend, name: &str, at: UnixMillis) -> Statement {
    todo!("{backend:?} {name} {at:?}")
}
