//! Statements, and the values that are bound to them beside rows.

use super::bind::{Without, bind_row};
use super::texts::Texts;
use rusqlite::types::{Null, ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, Error, Row, ToSql};
use sea_orm::Value;
use serde::Serialize;

/// A write that is under way.
pub(super) struct Write<'a> {
    pub(super) connection: &'a Connection,
    pub(super) texts: &'a Texts,
}

impl Write<'_> {
    /// The whole of it, from `BEGIN` to `COMMIT`. It takes the write lock at once: a write that reads first and is then
    /// refused the lock fails without waiting. `None` when the epoch is over.
    pub(super) fn in_one<T>(
        &self,
        epoch: i64,
        work: impl FnOnce(&Self) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        self.change("BEGIN IMMEDIATE", [])?;
        if self.find(&self.texts.epoch, [], |row| row.get(0))? != Some(epoch) {
            self.change("ROLLBACK", [])?;
            return Ok(None);
        }
        let done = work(self)?;
        self.change("COMMIT", [])?;
        Ok(Some(done))
    }

    /// Runs a statement that returns no rows; how many it has changed.
    pub(super) fn change(
        &self,
        text: &str,
        values: impl IntoIterator<Item = Value>,
    ) -> rusqlite::Result<u64> {
        let mut statement = self.bound(text, values)?;
        Ok(u64::try_from(statement.raw_execute()?).unwrap_or_default())
    }

    /// Writes a row whose text takes its values in the order of its columns; how many rows it has changed.
    pub(super) fn row<R: Serialize>(&self, text: &str, row: &R) -> rusqlite::Result<u64> {
        self.row_and(text, row, Without::default(), [])
    }

    /// The same of a text that takes the row's other columns, and then these values.
    pub(super) fn row_and(
        &self,
        text: &str,
        row: &impl Serialize,
        without: Without,
        more: impl IntoIterator<Item = Value>,
    ) -> rusqlite::Result<u64> {
        let mut statement = self.connection.prepare_cached(text)?;
        let next = bind_row(&mut statement, row, without)?;
        bind(&mut statement, next, more)?;
        Ok(u64::try_from(statement.raw_execute()?).unwrap_or_default())
    }

    pub(super) fn rows<'m, R: Serialize + 'm>(
        &self,
        text: &str,
        rows: impl IntoIterator<Item = &'m R>,
    ) -> rusqlite::Result<()> {
        rows.into_iter().try_for_each(|row| {
            self.row(text, row)?;
            Ok(())
        })
    }

    /// The one row of a query, if there is one.
    pub(super) fn find<T>(
        &self,
        text: &str,
        values: impl IntoIterator<Item = Value>,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        let mut statement = self.bound(text, values)?;
        let mut rows = statement.raw_query();
        rows.next()?.map(read).transpose()
    }

    pub(super) fn is_there(
        &self,
        text: &str,
        values: impl IntoIterator<Item = Value>,
    ) -> rusqlite::Result<bool> {
        Ok(self.find(text, values, |_row| Ok(()))?.is_some())
    }

    fn bound(
        &self,
        text: &str,
        values: impl IntoIterator<Item = Value>,
    ) -> rusqlite::Result<CachedStatement<'_>> {
        let mut statement = self.connection.prepare_cached(text)?;
        bind(&mut statement, 1, values)?;
        Ok(statement)
    }
}

/// Binds these values from the place `first` on. What were left unbound would be NULL: that is an error.
fn bind(
    statement: &mut CachedStatement<'_>,
    first: usize,
    values: impl IntoIterator<Item = Value>,
) -> rusqlite::Result<()> {
    let mut next = first;
    for value in values {
        statement.raw_bind_parameter(next, Cell(&value))?;
        next = next.saturating_add(1);
    }
    let (bound, wanted) = (next.saturating_sub(1), statement.parameter_count());
    if bound == wanted {
        Ok(())
    } else {
        Err(Error::InvalidParameterCount(bound, wanted))
    }
}

pub(super) fn text(text: &str) -> Value {
    Value::from(text)
}

/// A value of one of our columns, or of a statement of ours.
struct Cell<'a>(&'a Value);

impl ToSql for Cell<'_> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "our tables hold whole numbers, truths and texts; a value of another type has no column here"
    )]
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self.0 {
            Value::BigInt(Some(number)) => number.to_sql(),
            Value::Int(Some(number)) => number.to_sql(),
            Value::BigUnsigned(Some(number)) => i64::try_from(*number)
                .map(ToSqlOutput::from)
                .map_err(|error| Error::ToSqlConversionFailure(error.into())),
            Value::Bool(Some(truth)) => truth.to_sql(),
            Value::String(Some(text)) => Ok(ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()))),
            Value::BigInt(None)
            | Value::Int(None)
            | Value::BigUnsigned(None)
            | Value::Bool(None)
            | Value::String(None) => Null.to_sql(),
            other => Err(Error::ToSqlConversionFailure(
                format!("{other:?} has no place in a row").into(),
            )),
        }
    }
}
