//! The API keys that are in force, in memory: those of the configuration and those of the database.

use super::allowance::Allowance;
use super::key_limit::KeyLimit;
use super::role::{Act, Role};
use crate::config::{KeySettings, Rate};
use crate::domain::UnixMillis;
use crate::store::keys::StoredKey;
use crate::store::{Database, StoreError, keys};
use secrecy::ExposeSecret;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use subtle::ConstantTimeEq;

/// How soon a key that a command has added or revoked counts here.
const REFRESH_EVERY: Duration = Duration::from_secs(3);

/// Who sent a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The name of the key; it owns idempotency keys.
    pub name: String,
    pub role: Role,
    pub scopes: Vec<String>,
}

/// What lets a merchant's key refund.
const REFUNDS: &str = "refunds";

impl Caller {
    /// Whether this key may do it.
    pub(crate) fn may(&self, act: Act) -> bool {
        let scoped = act == Act::RefundOrder && self.role == Role::Merchant;
        self.role.may(act) && (!scoped || self.scopes.iter().any(|scope| scope == REFUNDS))
    }
}

type ByDigest = HashMap<String, Caller>;

/// The keys in force. Clones share them.
#[derive(Debug, Clone)]
pub struct KeyRing {
    configured: Arc<Vec<ConfiguredKey>>,
    in_force: Arc<RwLock<Arc<ByDigest>>>,
    limit: Arc<KeyLimit>,
}

/// A key of the configuration; its secret is forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredKey {
    pub digest: String,
    pub caller: Caller,
}

/// `sha256:<hex>` of a key's whole text.
#[must_use]
pub fn digest(key: &str) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(key.as_bytes())))
}

impl KeyRing {
    /// A ring of the configuration's keys. One with an unknown role is left out: the configuration was checked.
    #[must_use]
    pub fn new(settings: &[KeySettings]) -> Self {
        let configured: Vec<ConfiguredKey> = settings.iter().filter_map(configured).collect();
        let ring = Self {
            configured: Arc::new(configured),
            in_force: Arc::default(),
            limit: Arc::default(),
        };
        ring.put_in_force(&[]);
        ring
    }

    /// The same ring, in which one key may ask so often.
    #[must_use]
    pub fn limited(mut self, rate: Option<Rate>) -> Self {
        self.limit = Arc::new(KeyLimit::new(rate));
        self
    }

    /// Counts one request of this caller.
    pub(super) fn take(&self, caller: &Caller) -> Option<Allowance> {
        self.limit.take(&caller.name)
    }

    /// The keys of the configuration.
    #[must_use]
    pub fn configured(&self) -> &[ConfiguredKey] {
        &self.configured
    }

    /// Whose key this is, if it is in force.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<Caller> {
        let digest = digest(key);
        let in_force = self.in_force.read().unwrap_or_else(PoisonError::into_inner);
        let (stored, caller) = in_force.get_key_value(&digest)?;
        bool::from(stored.as_bytes().ct_eq(digest.as_bytes())).then(|| caller.clone())
    }

    /// Reads the database's keys again.
    pub async fn refresh(&self, database: &Database) -> Result<(), StoreError> {
        let stored = keys::all(&database.read).await?;
        self.put_in_force(&stored);
        Ok(())
    }

    /// Reads the database's keys again and again, for as long as this future is polled. While the database is
    /// away, the keys that were read last stay in force.
    pub async fn keep_fresh(self, database: Database) {
        loop {
            if let Err(error) = self.refresh(&database).await {
                tracing::warn!(%error, "the API keys could not be read; the last ones stay in force");
            }
            tokio::time::sleep(REFRESH_EVERY).await;
        }
    }

    fn put_in_force(&self, stored: &[StoredKey]) {
        let live = stored.iter().filter(|key| key.revoked_at.is_none());
        let mut by_digest: ByDigest = live.filter_map(stored_entry).collect();
        for key in self.configured.iter() {
            by_digest.insert(key.digest.clone(), key.caller.clone());
        }
        let mut in_force = self
            .in_force
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *in_force = Arc::new(by_digest);
    }
}

fn configured(settings: &KeySettings) -> Option<ConfiguredKey> {
    Some(ConfiguredKey {
        digest: digest(settings.key.expose_secret()),
        caller: Caller {
            name: settings.name.clone(),
            role: Role::parse(&settings.role)?,
            scopes: settings.scopes.clone(),
        },
    })
}

fn stored_entry(key: &StoredKey) -> Option<(String, Caller)> {
    let caller = Caller {
        name: key.name.clone(),
        role: Role::parse(&key.role)?,
        scopes: key.scopes.clone(),
    };
    Some((key.digest.clone(), caller))
}

/// A fresh key of this role, and the row that remembers its digest alone.
pub fn issue(
    name: &str,
    role: Role,
    scopes: Vec<String>,
    at: UnixMillis,
) -> Result<(String, StoredKey), getrandom::Error> {
    // 32 random bytes: 256 bits cannot be guessed, and their hex is twice the 32 characters that a key needs.
    let mut secret = [0_u8; 32];
    getrandom::fill(&mut secret)?;
    let key = format!("opk_{role}_{}", hex::encode(secret));
    let stored = StoredKey {
        name: name.to_owned(),
        role: role.as_str().to_owned(),
        scopes,
        digest: digest(&key),
        created_at: at,
        revoked_at: None,
    };
    Ok((key, stored))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_in_force_until_it_is_revoked() {
        let (key, mut stored) = issue("shop", Role::Merchant, vec![], UnixMillis(1)).unwrap();
        assert!(key.starts_with("opk_merchant_"));
        let ring = KeyRing::new(&[]);
        assert_eq!(ring.find(&key), None);
        ring.put_in_force(std::slice::from_ref(&stored));
        assert_eq!(ring.find(&key).unwrap().name, "shop");
        assert_eq!(ring.find(&format!("{key}0")), None);
        stored.revoked_at = Some(UnixMillis(2));
        ring.put_in_force(&[stored]);
        assert_eq!(ring.find(&key), None);
    }
}
