//! Pay per use: trades that were paid, what was delivered for them, and which deliveries the channel knows of.
//!
//! A row is made when a proof was verified, before anything is delivered. It is `DELIVERED` before the answer goes out,
//! and `CONFIRMED` when the channel has taken the confirmation. The number of the trade is the row's key, and so is the
//! number of the offer: neither is delivered twice. A trade that was paid and is for nothing that was offered, or for an
//! offer that is used up, is `UNMATCHED`, for ever: it is kept for the people who give it back.

use super::{StoreError, waiting};
use crate::domain::{Currency, Money, UnixMillis};
use entities::{metered_keys, metered_trades};
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveValue, ColumnTrait, DatabaseConnection, DbBackend, EntityTrait, ExprTrait,
    IntoActiveModel, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Statement,
};

const PAID: &str = "PAID";
const DELIVERED: &str = "DELIVERED";
const CONFIRMED: &str = "CONFIRMED";
const UNMATCHED: &str = "UNMATCHED";

/// A trade by its channel and the channel's number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TradeKey {
    pub channel: String,
    pub trade_no: String,
}

/// A trade whose proof was verified.
#[derive(Debug, Clone)]
pub struct PaidTrade {
    pub key: TradeKey,
    /// The number of the offer, where the channel tells it.
    pub out_trade_no: Option<String>,
    pub resource_id: String,
    pub money: Money,
    /// Of the proof: whoever asks again shows the same.
    pub proof_digest: String,
    pub at: UnixMillis,
    /// When a person is told that nothing was delivered for it.
    pub overdue_at: UnixMillis,
}

/// What was delivered, for whoever asks again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    pub status: u16,
    /// Names and values, in their order.
    pub headers: Vec<(String, String)>,
    /// In base64.
    pub body: String,
}

/// A trade that was paid, as its row has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trade {
    pub key: TradeKey,
    pub out_trade_no: Option<String>,
    pub resource_id: String,
    pub money: Option<Money>,
    /// Of the proof that it was delivered for, or of the first one that was verified.
    pub proof_digest: String,
    /// It is paid, and for nothing that can be delivered.
    pub is_unmatched: bool,
    /// `None`: nothing was delivered for it.
    pub delivered_at: Option<UnixMillis>,
    /// What was delivered, while it is kept.
    pub answer: Option<KeptAnswer>,
    /// Tries to confirm it that have failed.
    pub confirm_count: i64,
}

impl From<metered_trades::Model> for Trade {
    fn from(row: metered_trades::Model) -> Self {
        let status = row.answer_status.and_then(|it| u16::try_from(it).ok());
        let headers = row.answer_headers.as_deref();
        let headers = headers.and_then(|it| serde_json::from_str(it).ok());
        let answer = match (status, headers, row.answer_body) {
            (Some(status), Some(headers), Some(body)) => Some(KeptAnswer {
                status,
                headers,
                body,
            }),
            _ => None,
        };
        let currency = Currency::parse(&row.currency);
        Self {
            key: TradeKey {
                channel: row.channel,
                trade_no: row.trade_no,
            },
            out_trade_no: row.out_trade_no,
            resource_id: row.resource_id,
            money: currency.map(|currency| Money::new(row.amount, currency)),
            proof_digest: row.proof_digest,
            is_unmatched: row.status == UNMATCHED,
            delivered_at: row.delivered_at.map(UnixMillis),
            answer,
            confirm_count: row.confirm_count,
        }
    }
}

/// The trade, if it was paid.
///
/// # Errors
/// When the database does not answer.
pub async fn find(read: &DatabaseConnection, key: &TradeKey) -> Result<Option<Trade>, StoreError> {
    let key = (key.channel.clone(), key.trade_no.clone());
    let row = metered_trades::Entity::find_by_id(key).one(read).await?;
    Ok(row.map(Trade::from))
}

/// Keeps a trade that was paid. No row is affected where the trade or its offer is there already.
pub fn record(backend: DbBackend, paid: &PaidTrade) -> Statement {
    keep(backend, row(paid))
}

/// Keeps a trade that was paid and can buy nothing, and why. No row is affected where the trade is there already.
pub fn record_unmatched(backend: DbBackend, paid: &PaidTrade, why: &str) -> Statement {
    let unmatched = metered_trades::Model {
        status: UNMATCHED.to_owned(),
        due_at: None,
        last_error: Some(why.to_owned()),
        ..row(paid)
    };
    keep(backend, unmatched)
}

fn keep(backend: DbBackend, row: metered_trades::Model) -> Statement {
    metered_trades::Entity::insert(row.into_active_model())
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .build(backend)
}

fn row(paid: &PaidTrade) -> metered_trades::Model {
    metered_trades::Model {
        channel: paid.key.channel.clone(),
        trade_no: paid.key.trade_no.clone(),
        out_trade_no: paid.out_trade_no.clone(),
        resource_id: paid.resource_id.clone(),
        amount: paid.money.amount,
        currency: paid.money.currency.to_string(),
        proof_digest: paid.proof_digest.clone(),
        status: PAID.to_owned(),
        answer_status: None,
        answer_headers: None,
        answer_body: None,
        confirm_count: 0,
        due_at: Some(paid.overdue_at.0),
        last_error: None,
        paid_at: paid.at.0,
        delivered_at: None,
        confirmed_at: None,
    }
}

/// It is delivered for this proof, and the confirmation is due. One row is affected, once for ever.
pub fn delivered(
    backend: DbBackend,
    key: &TradeKey,
    proof_digest: &str,
    answer: Option<&KeptAnswer>,
    at: UnixMillis,
) -> Statement {
    let headers = answer.map(|answer| serde_json::json!(answer.headers).to_string());
    let next = metered_trades::ActiveModel {
        status: ActiveValue::Set(DELIVERED.to_owned()),
        proof_digest: ActiveValue::Set(proof_digest.to_owned()),
        answer_status: ActiveValue::Set(answer.map(|answer| i64::from(answer.status))),
        answer_headers: ActiveValue::Set(headers),
        answer_body: ActiveValue::Set(answer.map(|answer| answer.body.clone())),
        due_at: ActiveValue::Set(Some(at.0)),
        delivered_at: ActiveValue::Set(Some(at.0)),
        ..Default::default()
    };
    change(backend, key, PAID, next)
}

/// It did not go out after all, whatever an earlier write says; a person is told at `overdue_at`.
pub fn not_delivered(backend: DbBackend, key: &TradeKey, overdue_at: UnixMillis) -> Statement {
    let next = metered_trades::ActiveModel {
        status: ActiveValue::Set(PAID.to_owned()),
        answer_status: ActiveValue::Set(None),
        answer_headers: ActiveValue::Set(None),
        answer_body: ActiveValue::Set(None),
        due_at: ActiveValue::Set(Some(overdue_at.0)),
        delivered_at: ActiveValue::Set(None),
        ..Default::default()
    };
    change(backend, key, DELIVERED, next)
}

/// Changes this trade if it still stands where it was seen.
fn change(
    backend: DbBackend,
    key: &TradeKey,
    status: &str,
    next: metered_trades::ActiveModel,
) -> Statement {
    metered_trades::Entity::update_many()
        .set(next)
        .filter(metered_trades::Column::Channel.eq(key.channel.as_str()))
        .filter(metered_trades::Column::TradeNo.eq(key.trade_no.as_str()))
        .filter(metered_trades::Column::Status.eq(status))
        .build(backend)
}

/// The channel has taken the confirmation.
pub fn confirmed(backend: DbBackend, key: &TradeKey, at: UnixMillis) -> Statement {
    let next = metered_trades::ActiveModel {
        status: ActiveValue::Set(CONFIRMED.to_owned()),
        due_at: ActiveValue::Set(None),
        last_error: ActiveValue::Set(None),
        confirmed_at: ActiveValue::Set(Some(at.0)),
        ..Default::default()
    };
    change(backend, key, DELIVERED, next)
}

/// The confirmation was not taken, and is due again at `next`.
pub fn not_confirmed(
    backend: DbBackend,
    trade: &Trade,
    next: UnixMillis,
    error: &str,
) -> Statement {
    let next = metered_trades::ActiveModel {
        confirm_count: ActiveValue::Set(trade.confirm_count.saturating_add(1)),
        due_at: ActiveValue::Set(Some(next.0)),
        last_error: ActiveValue::Set(Some(error.to_owned())),
        ..Default::default()
    };
    change(backend, &trade.key, DELIVERED, next)
}

/// A person is told that nothing was delivered for it; that is not due again.
pub fn told_of(backend: DbBackend, trade: &Trade) -> Statement {
    let next = metered_trades::ActiveModel {
        due_at: ActiveValue::Set(None),
        ..Default::default()
    };
    change(backend, &trade.key, PAID, next)
}

/// The trades about which something is due: a confirmation, or that nothing was delivered.
///
/// # Errors
/// When the database does not answer.
pub async fn due(
    read: &DatabaseConnection,
    now: UnixMillis,
    limit: u64,
) -> Result<Vec<Trade>, StoreError> {
    let rows = metered_trades::Entity::find()
        .filter(metered_trades::Column::DueAt.lte(now.0))
        .order_by_asc(metered_trades::Column::DueAt)
        .limit(limit)
        .all(read)
        .await?;
    Ok(rows.into_iter().map(Trade::from).collect())
}

/// The earliest moment at which something is due.
///
/// # Errors
/// When the database does not answer.
pub async fn next_due(read: &DatabaseConnection) -> Result<Option<UnixMillis>, StoreError> {
    let open = metered_trades::Entity::find().filter(metered_trades::Column::DueAt.is_not_null());
    waiting::next_due(read, open, metered_trades::Column::DueAt).await
}

/// Whether anything is kept of what was delivered before this moment.
///
/// # Errors
/// When the database does not answer.
pub async fn holds_answers(
    read: &DatabaseConnection,
    before: UnixMillis,
) -> Result<bool, StoreError> {
    let kept: Option<String> = metered_trades::Entity::find()
        .select_only()
        .column(metered_trades::Column::TradeNo)
        .filter(metered_trades::Column::AnswerBody.is_not_null())
        .filter(metered_trades::Column::DeliveredAt.lt(before.0))
        .into_tuple()
        .one(read)
        .await?;
    Ok(kept.is_some())
}

/// Forgets what was delivered before this moment; that it was, is never forgotten.
pub fn forget_answers(backend: DbBackend, before: UnixMillis) -> Statement {
    metered_trades::Entity::update_many()
        .col_expr(metered_trades::Column::AnswerBody, Expr::cust("NULL"))
        .col_expr(metered_trades::Column::AnswerHeaders, Expr::cust("NULL"))
        .filter(metered_trades::Column::AnswerBody.is_not_null())
        .filter(Expr::col(metered_trades::Column::DeliveredAt).lt(before.0))
        .build(backend)
}

/// The key that offers are made with, in hexadecimal.
///
/// # Errors
/// When the database does not answer.
pub async fn key(read: &DatabaseConnection) -> Result<Option<String>, StoreError> {
    let row = metered_keys::Entity::find_by_id(1).one(read).await?;
    Ok(row.map(|row| row.secret))
}

/// Keeps this key, unless there is one.
pub fn keep_key(backend: DbBackend, secret: &str) -> Statement {
    let row = metered_keys::Model {
        id: 1,
        secret: secret.to_owned(),
    };
    metered_keys::Entity::insert(row.into_active_model())
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .build(backend)
}
