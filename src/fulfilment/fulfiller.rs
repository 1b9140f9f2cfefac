//! Grants that are made outside: what a merchant's own program brings for kinds of its own.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use thiserror::Error;

/// What a payer is to get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// `ful:<order_no>:<kind>`: the same for every repetition.
    pub id: String,
    pub order_no: String,
    pub order_id: String,
    pub account: Option<String>,
    pub kind: String,
    /// At least 1: what is not refunded by now.
    pub quantity: i64,
}

/// A refund has taken some of what was granted, or has given it back because it failed in the end. Quantities are
/// totals: what was told twice changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revocation {
    /// `rev:<order_no>:<kind>:<version>`.
    pub id: String,
    pub order_no: String,
    pub order_id: String,
    pub account: Option<String>,
    pub kind: String,
    /// All that was taken so far.
    pub revoked: i64,
    /// What the payer has now of the grant.
    pub left: i64,
    /// The order's version: an older one is old news.
    pub version: i64,
}

/// Why a grant was not made. The text is kept with the order's outbox row and mailed to ops when it lasts.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct FulfillerError(String);

impl FulfillerError {
    #[must_use]
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

/// The future of a grant.
pub type Fulfilling<'a> = Pin<Box<dyn Future<Output = Result<(), FulfillerError>> + Send + 'a>>;

/// Makes grants of some kinds outside: issues a licence, ships a parcel, unlocks an account.
///
/// A grant is made before it is committed: one that fails, panics or takes longer than half a minute is tried again,
/// and one whose commit was lost in a crash is made again. So it must be idempotent by [`Grant::id`].
pub trait Fulfiller: Send + Sync + 'static {
    /// The kinds that it grants; asked for once. The ledger has an entry for them as for any other.
    fn kinds(&self) -> Vec<String>;

    fn grant<'a>(&'a self, grant: &'a Grant) -> Fulfilling<'a>;

    /// After refunds of an order whose grant was made here.
    fn revoke<'a>(&'a self, revocation: &'a Revocation) -> Fulfilling<'a>;
}

/// Who grants which kind outside.
#[derive(Clone, Default)]
pub struct Fulfillers(BTreeMap<String, Arc<dyn Fulfiller>>);

impl Fulfillers {
    /// The last one that names a kind has it; it is asked for its kinds once.
    pub fn add(&mut self, fulfiller: &Arc<dyn Fulfiller>) {
        let kinds = fulfiller.kinds().into_iter();
        self.0
            .extend(kinds.map(|kind| (kind, Arc::clone(fulfiller))));
    }

    pub fn kinds(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    pub(super) fn of(&self, kind: &str) -> Option<&Arc<dyn Fulfiller>> {
        self.0.get(kind)
    }
}

impl std::fmt::Debug for Fulfillers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}
