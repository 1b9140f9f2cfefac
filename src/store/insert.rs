//! An insert that happens only under a condition.

use super::mapping::column_type;
use sea_orm::sea_query::{Alias, Expr, OnConflict, Query, SimpleExpr};
use sea_orm::{
    ActiveModelTrait, DbBackend, EntityTrait, ExprTrait, Iterable, Statement, StatementBuilder,
};

/// `INSERT … SELECT … WHERE condition`, which does nothing where the row is there already.
pub(super) fn insert_where<A: ActiveModelTrait>(
    row: A,
    condition: SimpleExpr,
    backend: DbBackend,
) -> Statement {
    type Column<A> = <<A as ActiveModelTrait>::Entity as EntityTrait>::Column;
    let mut values = Query::select();
    let mut columns = Vec::new();
    for column in Column::<A>::iter() {
        if let Some(value) = row.get(column).into_value() {
            columns.push(column);
            // PostgreSQL takes a bare parameter of a SELECT for text.
            let known = column_type(&column);
            values.expr(Expr::value(value).cast_as(Alias::new(known)));
        }
    }
    values.and_where(condition);
    let mut insert = Query::insert();
    insert.into_table(A::Entity::default()).columns(columns);
    // It fails only where columns and values are not equally many.
    drop(insert.select_from(values).map(|_| ()));
    insert.on_conflict(OnConflict::new().do_nothing().to_owned());
    StatementBuilder::build(&insert, &backend)
}
