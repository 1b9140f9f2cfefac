//! What a fulfiller of the merchant's own is told, and kept from doing harm.

use super::attempt::{entitlement, short};
use crate::domain::order::decide::stands;
use crate::domain::order::{Entitlement, EntitlementStatus, Order};
use crate::fulfilment::fulfiller::{Fulfiller, FulfillerError, Grant, Revocation};
use std::sync::Arc;
use std::time::Duration;

/// How long a fulfiller may take.
const TAKES_MAX: Duration = Duration::from_secs(30);

/// Brings what stands outside to what stands here, as of this order. The quantity that stands outside then; `None`
/// if there is nothing to be done there.
pub(super) async fn settle(
    fulfiller: &Arc<dyn Fulfiller>,
    order: &Order,
    kind: &str,
) -> Result<Option<i64>, String> {
    let Some(entitlement) = entitlement(order, kind) else {
        return Ok(None);
    };
    let left = stands(order, entitlement);
    let fulfiller = Arc::clone(fulfiller);
    if entitlement.outside {
        let revocation = revocation(order, entitlement, left);
        called(async move { fulfiller.revoke(&revocation).await }).await?;
        return Ok(Some(left));
    }
    let waits = entitlement.status == EntitlementStatus::Pending && !entitlement.granted;
    if !waits || !order.status.is_paid() || order.withheld {
        return Ok(None);
    }
    if left > 0 {
        let grant = grant(order, entitlement, left);
        called(async move { fulfiller.grant(&grant).await }).await?;
    }
    Ok(Some(left))
}

fn grant(order: &Order, entitlement: &Entitlement, quantity: i64) -> Grant {
    Grant {
        id: format!("ful:{}:{}", order.order_no, entitlement.kind),
        order_no: order.order_no.0.clone(),
        order_id: order.order_id.0.clone(),
        account: order.account.clone(),
        kind: entitlement.kind.clone(),
        quantity,
    }
}

fn revocation(order: &Order, entitlement: &Entitlement, left: i64) -> Revocation {
    let (order_no, kind, version) = (&order.order_no, &entitlement.kind, order.version);
    Revocation {
        id: format!("rev:{order_no}:{kind}:{version}"),
        order_no: order.order_no.0.clone(),
        order_id: order.order_id.0.clone(),
        account: order.account.clone(),
        kind: entitlement.kind.clone(),
        revoked: entitlement.quantity.saturating_sub(left),
        left,
        version,
    }
}

/// In a task of its own: it may panic, and it may never end.
async fn called(
    call: impl Future<Output = Result<(), FulfillerError>> + Send + 'static,
) -> Result<(), String> {
    let mut task = tokio::spawn(call);
    match tokio::time::timeout(TAKES_MAX, &mut task).await {
        Ok(Ok(Ok(()))) => Ok(()),
        Ok(Ok(Err(error))) => Err(short(&error.to_string())),
        Ok(Err(_panic)) => Err("the fulfiller panicked".to_owned()),
        Err(_elapsed) => {
            task.abort();
            Err(format!(
                "the fulfiller took longer than {} s",
                TAKES_MAX.as_secs()
            ))
        }
    }
}
