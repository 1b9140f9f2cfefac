//! A key as the API shows it.

use crate::moment::rfc3339;
use crate::store::keys::StoredKey;
use crate::web::keyring::ConfiguredKey;
use crate::web::words::KeySourceWord;
use serde::Serialize;
use utoipa::ToSchema;

/// A key without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Key)]
pub(crate) struct KeyView {
    pub(crate) name: String,
    #[schema(value_type = crate::web::role::Role)]
    pub(crate) role: String,
    pub(crate) scopes: Vec<String>,
    #[schema(value_type = KeySourceWord)]
    pub(crate) source: &'static str,
    #[schema(required = true, format = DateTime)]
    pub(crate) created_at: Option<String>,
    #[schema(required = true, format = DateTime)]
    pub(crate) revoked_at: Option<String>,
    /// The key itself; in the answer that makes it, and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) key: Option<String>,
}

pub(super) fn view(key: StoredKey) -> KeyView {
    KeyView {
        name: key.name,
        role: key.role,
        scopes: key.scopes,
        source: "database",
        created_at: Some(rfc3339(key.created_at)),
        revoked_at: key.revoked_at.map(rfc3339),
        key: None,
    }
}

pub(super) fn configured_view(key: &ConfiguredKey) -> KeyView {
    KeyView {
        name: key.caller.name.clone(),
        role: key.caller.role.as_str().to_owned(),
        scopes: key.caller.scopes.clone(),
        source: "configuration",
        created_at: None,
        revoked_at: None,
        key: None,
    }
}
