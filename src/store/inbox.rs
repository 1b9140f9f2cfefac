//! The inbox of callbacks: what was notified, how often, and orphans (verified, ours by number, and unknown).

use super::StoreError;
use super::alerts::{About, raise};
use super::insert::insert_where;
use crate::domain::order::{Alert, AlertKind, Severity};
use crate::domain::{OrderId, UnixMillis};
use entities::{callbacks, orphans};
use sea_orm::sea_query::{Asterisk, Expr, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, DatabaseConnection, DbBackend, EntityTrait, ExprTrait, IntoActiveModel,
    QueryFilter, QuerySelect, QueryTrait, Statement,
};

/// At most so many orphans are kept; more are counted and answered the same.
pub const ORPHANS_MAX: u64 = 10_000;

/// A verified notice about an order number that we do not know.
#[derive(Debug, Clone)]
pub struct Orphan {
    pub channel: String,
    pub key: String,
    pub status: String,
    pub order_no: String,
    /// The channel's own name of the charge, or else its number of the trade, where the notice tells one.
    pub channel_trade_no: Option<String>,
    pub digest: String,
    pub at: UnixMillis,
}

/// The (key, status) of every notice on record for this order.
pub async fn seen(
    read: &DatabaseConnection,
    order_id: &OrderId,
) -> Result<Vec<(String, String)>, StoreError> {
    Ok(callbacks::Entity::find()
        .select_only()
        .column(callbacks::Column::CallbackKey)
        .column(callbacks::Column::Status)
        .filter(callbacks::Column::OrderId.eq(order_id.as_str()))
        .into_tuple()
        .all(read)
        .await?)
}

/// The order numbers that orphans bear.
pub async fn orphan_order_nos(read: &DatabaseConnection) -> Result<Vec<String>, StoreError> {
    Ok(orphans::Entity::find()
        .select_only()
        .column(orphans::Column::OrderNo)
        .distinct()
        .into_tuple()
        .all(read)
        .await?)
}

/// How the channel calls the charge of this number, where its orphans tell one name and no other.
pub async fn orphan_reference(
    read: &DatabaseConnection,
    channel: &str,
    order_no: &str,
) -> Result<Option<String>, StoreError> {
    let mut names: Vec<String> = orphans::Entity::find()
        .select_only()
        .column(orphans::Column::ChannelTradeNo)
        .distinct()
        .filter(orphans::Column::Channel.eq(channel))
        .filter(orphans::Column::OrderNo.eq(order_no))
        .filter(orphans::Column::ChannelTradeNo.is_not_null())
        .into_tuple()
        .all(read)
        .await?;
    let name = names.pop();
    Ok(name.filter(|_| names.is_empty()))
}

/// Statements that keep an orphan (raising the count of one that is there) and raise its one alert.
///
/// When [`ORPHANS_MAX`] are kept, an unknown one is not.
pub fn keep_orphan(backend: DbBackend, orphan: &Orphan) -> Vec<Statement> {
    let mut statements = vec![count_again(backend, orphan), insert(backend, orphan)];
    let about = About {
        order_id: None,
        channel: Some(orphan.channel.clone()),
        order_no: Some(orphan.order_no.clone()),
        channel_trade_no: orphan.channel_trade_no.clone(),
    };
    statements.extend(raise(backend, &alert(orphan), &about, orphan.at));
    statements
}

fn count_again(backend: DbBackend, orphan: &Orphan) -> Statement {
    orphans::Entity::update_many()
        .col_expr(
            orphans::Column::SeenCount,
            Expr::col(orphans::Column::SeenCount).add(1),
        )
        .col_expr(orphans::Column::LastSeenAt, Expr::value(orphan.at.0))
        .filter(orphans::Column::Channel.eq(orphan.channel.as_str()))
        .filter(orphans::Column::CallbackKey.eq(orphan.key.as_str()))
        .filter(orphans::Column::Status.eq(orphan.status.as_str()))
        .build(backend)
}

fn insert(backend: DbBackend, orphan: &Orphan) -> Statement {
    let row = orphans::Model {
        channel: orphan.channel.clone(),
        callback_key: orphan.key.clone(),
        status: orphan.status.clone(),
        order_no: orphan.order_no.clone(),
        channel_trade_no: orphan.channel_trade_no.clone(),
        digest: orphan.digest.clone(),
        seen_count: 1,
        first_seen_at: orphan.at.0,
        last_seen_at: orphan.at.0,
    };
    let kept = Query::select()
        .expr(Expr::col(Asterisk).count())
        .from(orphans::Entity)
        .to_owned();
    let room = Expr::expr(SimpleExpr::from(kept)).lt(ORPHANS_MAX);
    insert_where(row.into_active_model(), room, backend)
}

fn alert(orphan: &Orphan) -> Alert {
    Alert {
        kind: AlertKind::OrphanCallback,
        severity: Severity::Action,
        subject: orphan.channel.clone(),
        episode: orphan.order_no.clone(),
        message: format!(
            "{} sent a notice of status {} about order {}, which is unknown here.",
            orphan.channel, orphan.status, orphan.order_no
        ),
    }
}
