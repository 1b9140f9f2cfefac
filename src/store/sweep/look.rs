//! All that the tables say about one order's grants, as it stood at one moment.

use super::Suspect;
use crate::domain::UnixMillis;
use crate::domain::order::{Entitlement, OrderStatus};
use crate::store::single::Single;
use crate::store::{StoreError, mapping};
use entities::{fulfilments, ledger_entries, orders, refunds};
use sea_orm::{ColumnTrait, DatabaseConnection, EntityTrait, QueryFilter, QuerySelect};

/// How often an order that moves meanwhile is read again.
const READS_MAX: usize = 3;

/// What is on record about the grants of an order.
#[derive(Debug, Clone)]
pub struct OnRecord {
    pub order_no: String,
    pub order: Option<OrderOnRecord>,
    pub fulfilments: Vec<FulfilmentOnRecord>,
    pub entries: Vec<EntryOnRecord>,
}

#[derive(Debug, Clone)]
pub struct OrderOnRecord {
    pub order_id: String,
    pub status: OrderStatus,
    pub version: i64,
    pub account: Option<String>,
    pub withheld: bool,
    pub paid_at: Option<UnixMillis>,
    pub entitlements: Vec<Entitlement>,
}

/// A grant in the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FulfilmentOnRecord {
    pub kind: String,
    /// `PENDING`, `DONE` or `FAILED`.
    pub status: String,
    pub created_at: UnixMillis,
    pub updated_at: UnixMillis,
}

/// A movement of an account for this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryOnRecord {
    pub account: String,
    pub kind: String,
    pub quantity: i64,
    /// It is the grant itself, and not what refunds have taken of it.
    pub is_grant: bool,
}

/// Reads it all; `None` if the order moves all the time: the next sweep looks again.
///
/// # Errors
/// When the database does not answer, or a row cannot be understood.
pub async fn look(
    read: &DatabaseConnection,
    suspect: &Suspect,
) -> Result<Option<OnRecord>, StoreError> {
    for _ in 0..READS_MAX {
        let before = order(read, &suspect.order_no).await?;
        let fulfilments = fulfilments(read, &suspect.order_no).await?;
        let entries = entries(read, suspect, before.as_ref()).await?;
        let after = order(read, &suspect.order_no).await?;
        // Grants and revocations move the version in the same write.
        let version = |order: &Option<OrderOnRecord>| order.as_ref().map(|order| order.version);
        if version(&before) == version(&after) {
            return Ok(Some(OnRecord {
                order_no: suspect.order_no.clone(),
                order: after,
                fulfilments,
                entries,
            }));
        }
    }
    Ok(None)
}

async fn order(
    read: &DatabaseConnection,
    order_no: &str,
) -> Result<Option<OrderOnRecord>, StoreError> {
    let row = orders::Entity::find()
        .filter(orders::Column::OrderNo.eq(order_no))
        .single(read)
        .await?;
    row.map(|row| {
        Ok(OrderOnRecord {
            status: mapping::status(&row.status)?,
            entitlements: mapping::from_json("entitlements", &row.entitlements)?,
            order_id: row.order_id,
            version: row.version,
            account: row.account,
            withheld: row.withheld,
            paid_at: row.paid_at.map(UnixMillis),
        })
    })
    .transpose()
}

async fn fulfilments(
    read: &DatabaseConnection,
    order_no: &str,
) -> Result<Vec<FulfilmentOnRecord>, StoreError> {
    let rows = fulfilments::Entity::find()
        .filter(fulfilments::Column::OrderNo.eq(order_no))
        .all(read)
        .await?;
    let rows = rows.into_iter().map(|row| FulfilmentOnRecord {
        kind: row.kind,
        status: row.status,
        created_at: UnixMillis(row.created_at),
        updated_at: UnixMillis(row.updated_at),
    });
    Ok(rows.collect())
}

async fn entries(
    read: &DatabaseConnection,
    suspect: &Suspect,
    order: Option<&OrderOnRecord>,
) -> Result<Vec<EntryOnRecord>, StoreError> {
    let own = order.and_then(|order| order.account.as_ref());
    let accounts: Vec<&String> = own.into_iter().chain(&suspect.account).collect();
    if accounts.is_empty() {
        return Ok(Vec::new());
    }
    let grant = format!("order:{}", suspect.order_no);
    let mut sources = vec![grant.clone()];
    if let Some(order) = order {
        sources.extend(sources_of_refunds(read, &suspect.order_no, &order.order_id).await?);
    }
    let rows = ledger_entries::Entity::find()
        .filter(ledger_entries::Column::Account.is_in(accounts))
        .filter(ledger_entries::Column::Source.is_in(&sources))
        .all(read)
        .await?;
    let rows = rows.into_iter().map(|row| EntryOnRecord {
        is_grant: row.source == grant,
        account: row.account,
        kind: row.kind,
        quantity: row.quantity,
    });
    Ok(rows.collect())
}

/// The names that entries of the order's refunds may bear. A refund that failed after it had succeeded, and moves the
/// account once more, names its later entries after its versions.
async fn sources_of_refunds(
    read: &DatabaseConnection,
    order_no: &str,
    order_id: &str,
) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String, bool, String, i64)> = refunds::Entity::find()
        .select_only()
        .columns([
            refunds::Column::RefundNo,
            refunds::Column::Accepted,
            refunds::Column::Status,
            refunds::Column::Version,
        ])
        .filter(refunds::Column::OrderId.eq(order_id))
        .into_tuple()
        .all(read)
        .await?;
    let mut sources = Vec::new();
    for (refund_no, accepted, status, version) in rows {
        let taken = format!("refund:{order_no}:{refund_no}");
        let given_again = format!("{taken}:reversed");
        let settled = ["SUCCEEDED", "FAILED"].contains(&status.as_str());
        for version in 2..=version {
            if accepted && settled {
                sources.push(format!("{taken}:{version}"));
                sources.push(format!("{given_again}:{version}"));
            }
        }
        sources.push(given_again);
        sources.push(taken);
    }
    Ok(sources)
}
