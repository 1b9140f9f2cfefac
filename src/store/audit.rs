//! The audit log as a chain: the code of each row covers the row and the code of the one before it.

use super::StoreError;
use super::journal::AuditRecord;
use crate::domain::UnixMillis;
use entities::audit_log;
use hmac::{Hmac, KeyInit, Mac};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QueryOrder};
use sha2::Sha256;

/// The code before the first row.
const BEFORE_ALL: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The key of the chain. Who has not got it can neither alter a row nor add one.
#[derive(Clone)]
pub struct AuditKey([u8; 32]);

impl AuditKey {
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl std::fmt::Debug for AuditKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("AuditKey")
    }
}

/// The newest row of the chain: who keeps it elsewhere can tell later that none was cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// 0 before the first row.
    pub seq: i64,
    /// 64 hex digits.
    pub mac: String,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            seq: 0,
            mac: BEFORE_ALL.to_owned(),
        }
    }
}

impl std::fmt::Display for Head {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.seq, self.mac)
    }
}

/// A row that has no place in the chain yet.
#[derive(Debug, Clone)]
pub(in crate::store) struct AuditRow {
    unsealed: audit_log::Model,
}

impl AuditRow {
    pub(in crate::store) fn new(record: &AuditRecord, decision: &str, at: UnixMillis) -> Self {
        Self {
            unsealed: audit_log::Model {
                seq: 0,
                at: at.0,
                actor: record.actor.clone(),
                action: record.action.to_owned(),
                subject: record.subject.clone(),
                detail: record.detail.clone(),
                decision_id: decision.to_owned(),
                mac: String::new(),
            },
        }
    }

    /// The row as it follows `head`.
    pub(in crate::store) fn sealed(&self, key: &AuditKey, head: &Head) -> audit_log::Model {
        let mut row = audit_log::Model {
            seq: head.seq.saturating_add(1),
            ..self.unsealed.clone()
        };
        row.mac = mac(key, &head.mac, &row);
        row
    }
}

/// The code of a row that follows one with the code `before`: 64 hex digits.
pub(in crate::store) fn mac(key: &AuditKey, before: &str, row: &audit_log::Model) -> String {
    let Ok(mut hmac) = Hmac::<Sha256>::new_from_slice(&key.0) else {
        // An HMAC takes a key of any length.
        return String::new();
    };
    let (seq, at) = (row.seq.to_string(), row.at.to_string());
    let fields = [
        before,
        &seq,
        &at,
        &row.actor,
        &row.action,
        &row.subject,
        &row.detail,
        &row.decision_id,
    ];
    for field in fields {
        // With its length, so that no two rows have the same bytes.
        hmac.update(&u64::try_from(field.len()).unwrap_or(u64::MAX).to_be_bytes());
        hmac.update(field.as_bytes());
    }
    hex::encode(hmac.finalize().into_bytes())
}

/// The newest row of the chain.
///
/// # Errors
/// When the database does not answer.
pub async fn head<C: ConnectionTrait>(db: &C) -> Result<Head, StoreError> {
    Ok(newest(db).await?)
}

pub(in crate::store) async fn newest<C: ConnectionTrait>(db: &C) -> Result<Head, DbErr> {
    let row = audit_log::Entity::find()
        .order_by_desc(audit_log::Column::Seq)
        .one(db)
        .await?;
    Ok(row.map_or_else(Head::default, |row| Head {
        seq: row.seq,
        mac: row.mac,
    }))
}
