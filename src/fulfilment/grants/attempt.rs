//! One attempt at a grant: outside first, if that is where its kind is granted, then in the books.

use super::outside;
use crate::domain::OrderNo;
use crate::domain::order::decide::stands;
use crate::domain::order::{Entitlement, EntitlementStatus, Order};
use crate::fulfilment::fulfiller::Fulfillers;
use crate::fulfilment::shared::Shared;
use crate::store::fulfilments::ClaimedGrant;
use crate::store::orders;
use std::time::Duration;

/// How long the order's actor may take: it repeats by itself while the database is away.
const COMMIT_MAX: Duration = Duration::from_secs(20);
/// Characters that are kept of what went wrong.
const ERROR_MAX: usize = 500;

/// How an attempt has ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// It is granted, or there is nothing to grant any more.
    Done,
    /// The order is not paid any more, or in dispute: there is nothing to be done now.
    Waits,
    /// A refund came in the middle: what was told outside is outdated already.
    Again,
}

/// Makes the grant; why it was not made, for people.
pub(super) async fn make(
    shared: &Shared,
    fulfillers: &Fulfillers,
    claimed: &ClaimedGrant,
) -> Result<Made, String> {
    let order_no = OrderNo(claimed.order_no.clone());
    let told = match fulfillers.of(&claimed.kind) {
        None => None,
        Some(fulfiller) => {
            let order = orders::by_no(&shared.database.read, &order_no).await;
            let order = order.map_err(|error| short(&error.to_string()))?;
            match order {
                None => None,
                Some(order) => outside::settle(fulfiller, &order, &claimed.kind).await?,
            }
        }
    };
    let granted = shared.gateway.fulfil(&order_no, &claimed.kind, told);
    match tokio::time::timeout(COMMIT_MAX, granted).await {
        Ok(Ok(order)) => Ok(made(&order, &claimed.kind, told)),
        Ok(Err(error)) => Err(short(&error.to_string())),
        Err(_elapsed) => Err("the database did not commit in time".to_owned()),
    }
}

fn made(order: &Order, kind: &str, told: Option<i64>) -> Made {
    let Some(entitlement) = entitlement(order, kind) else {
        return Made::Done;
    };
    let waits = match entitlement.status {
        EntitlementStatus::Pending | EntitlementStatus::Frozen => {
            !entitlement.granted && !order.withheld
        }
        EntitlementStatus::Granted | EntitlementStatus::Revoked => false,
    };
    if waits {
        Made::Waits
    } else if told.is_some_and(|told| told != stands(order, entitlement)) {
        Made::Again
    } else {
        Made::Done
    }
}

pub(super) fn entitlement<'a>(order: &'a Order, kind: &str) -> Option<&'a Entitlement> {
    let mut entitlements = order.entitlements.iter();
    entitlements.find(|entitlement| entitlement.kind == kind)
}

pub(super) fn short(text: &str) -> String {
    text.chars().take(ERROR_MAX).collect()
}
