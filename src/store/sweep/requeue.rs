//! Puts a grant that was missed into the outbox again. Granting is idempotent: a second claim grants nothing more.

use super::look::OnRecord;
use crate::domain::UnixMillis;
use crate::store::insert::insert_where;
use entities::{fulfilments, orders};
use sea_orm::sea_query::{Expr, Query, SimpleExpr};
use sea_orm::{
    ActiveValue, ColumnTrait, DbBackend, EntityTrait, IntoActiveModel, QueryFilter, QueryTrait,
    Statement,
};

/// The grant of a kind, and the order as it was looked at: nothing is queued if it has moved since.
#[derive(Debug, Clone, Copy)]
pub struct Missed<'a> {
    pub order_no: &'a str,
    pub order_id: &'a str,
    pub version: i64,
    pub kind: &'a str,
}

impl<'a> Missed<'a> {
    /// The grant of this kind as it is on record; `None` if there is no order.
    #[must_use]
    pub fn of(seen: &'a OnRecord, kind: &'a str) -> Option<Self> {
        let order = seen.order.as_ref()?;
        Some(Self {
            order_no: &seen.order_no,
            order_id: &order.order_id,
            version: order.version,
            kind,
        })
    }
}

impl Missed<'_> {
    fn stands(&self) -> SimpleExpr {
        let order = Query::select()
            .expr(Expr::value(1))
            .from(orders::Entity)
            .and_where(orders::Column::OrderId.eq(self.order_id))
            .and_where(orders::Column::Version.eq(self.version))
            .to_owned();
        Expr::exists(order)
    }

    /// Statements that leave it in the outbox, due now, whether its row is there and over or was never written.
    #[must_use]
    pub fn queue(&self, backend: DbBackend, at: UnixMillis) -> Vec<Statement> {
        vec![self.reopen(backend, at), self.insert(backend, at)]
    }

    fn reopen(&self, backend: DbBackend, at: UnixMillis) -> Statement {
        fulfilments::Entity::update_many()
            .set(fulfilments::ActiveModel {
                status: ActiveValue::Set("PENDING".to_owned()),
                attempts: ActiveValue::Set(0),
                due_at: ActiveValue::Set(at.0),
                leased_by: ActiveValue::Set(None),
                updated_at: ActiveValue::Set(at.0),
                ..Default::default()
            })
            .filter(fulfilments::Column::OrderNo.eq(self.order_no))
            .filter(fulfilments::Column::Kind.eq(self.kind))
            .filter(fulfilments::Column::Status.ne("PENDING"))
            .filter(self.stands())
            .build(backend)
    }

    fn insert(&self, backend: DbBackend, at: UnixMillis) -> Statement {
        let row = fulfilments::Model {
            order_no: self.order_no.to_owned(),
            kind: self.kind.to_owned(),
            order_id: self.order_id.to_owned(),
            status: "PENDING".to_owned(),
            attempts: 0,
            due_at: at.0,
            leased_by: None,
            last_error: None,
            created_at: at.0,
            updated_at: at.0,
        };
        insert_where(row.into_active_model(), self.stands(), backend)
    }
}
