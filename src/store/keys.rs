//! API keys: stored as hashes, found by the hash of what a request brings.

use super::StoreError;
use super::journal::AuditRecord;
use crate::domain::UnixMillis;
use entities::api_keys;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ActiveValue, ColumnTrait, DatabaseConnection, DbBackend, EntityTrait,
    IntoActiveModel, QueryFilter, QueryOrder, QueryTrait, Statement,
};

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
    let rows = api_keys::Entity::find()
        .order_by_asc(api_keys::Column::Name)
        .all(read)
        .await?;
    rows.into_iter().map(stored).collect()
}

/// Adds a key, or replaces the revoked one of this name; no row affected if the name is in use.
pub fn add(backend: DbBackend, key: &StoredKey) -> Statement {
    let row = api_keys::Model {
        name: key.name.clone(),
        role: key.role.clone(),
        scopes: serde_json::Value::from(key.scopes.clone()).to_string(),
        digest: key.digest.clone(),
        created_at: key.created_at.0,
        revoked_at: key.revoked_at.map(|at| at.0),
    };
    let replaces_revoked = OnConflict::column(api_keys::Column::Name)
        .update_columns([
            api_keys::Column::Role,
            api_keys::Column::Scopes,
            api_keys::Column::Digest,
            api_keys::Column::CreatedAt,
            api_keys::Column::RevokedAt,
        ])
        .action_and_where(api_keys::Column::RevokedAt.is_not_null())
        .to_owned();
    api_keys::Entity::insert(row.into_active_model().reset_all())
        .on_conflict(replaces_revoked)
        .build(backend)
}

/// Revokes a key; one row affected if it was there and live.
pub fn revoke(backend: DbBackend, name: &str, at: UnixMillis) -> Statement {
    api_keys::Entity::update_many()
        .set(api_keys::ActiveModel {
            revoked_at: ActiveValue::Set(Some(at.0)),
            ..Default::default()
        })
        .filter(api_keys::Column::Name.eq(name))
        .filter(api_keys::Column::RevokedAt.is_null())
        .build(backend)
}

/// What the audit log says of a key that was made; never its secret, nor the hash of it.
#[must_use]
pub fn created(actor: String, key: &StoredKey) -> AuditRecord {
    AuditRecord {
        actor,
        action: "key_create",
        subject: key.name.clone(),
        detail: serde_json::json!({"role": key.role, "scopes": key.scopes}).to_string(),
    }
}

/// What the audit log says of a key that was revoked.
#[must_use]
pub fn revoked(actor: String, name: &str) -> AuditRecord {
    AuditRecord {
        actor,
        action: "key_revoke",
        subject: name.to_owned(),
        detail: "{}".to_owned(),
    }
}

fn stored(row: api_keys::Model) -> Result<StoredKey, StoreError> {
    let scopes = serde_json::from_str(&row.scopes)
        .map_err(|error| StoreError::Row(format!("scopes: {error}")))?;
    Ok(StoredKey {
        name: row.name,
        role: row.role,
        scopes,
        digest: row.digest,
        created_at: UnixMillis(row.created_at),
        revoked_at: row.revoked_at.map(UnixMillis),
    })
}
