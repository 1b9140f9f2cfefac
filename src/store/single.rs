//! A row that is found by what is unique.

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, Select, Selector, SelectorTrait};

/// A query that finds one row at most.
///
/// `one` adds `LIMIT ?` to it, and a limit that is a parameter has SQLite parse and plan the statement anew each time
/// that it is bound. Nothing is to be cut off where the key finds a single row.
pub(super) trait Single {
    type Row;

    async fn single<C: ConnectionTrait>(self, db: &C) -> Result<Option<Self::Row>, DbErr>;
}

impl<E: EntityTrait> Single for Select<E> {
    type Row = E::Model;

    async fn single<C: ConnectionTrait>(self, db: &C) -> Result<Option<E::Model>, DbErr> {
        Ok(self.all(db).await?.pop())
    }
}

impl<S: SelectorTrait + Send + Sync> Single for Selector<S>
where
    S::Item: Send,
{
    type Row = S::Item;

    async fn single<C: ConnectionTrait>(self, db: &C) -> Result<Option<S::Item>, DbErr> {
        Ok(self.all(db).await?.pop())
    }
}
