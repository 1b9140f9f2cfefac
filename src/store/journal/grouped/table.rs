//! Rows from an array parameter, in the words of each backend.

use crate::store::mapping::column_type;
use sea_orm::{EntityTrait, IdenStatic, Iterable};

/// The parameters of the text, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parameter {
    Epoch,
    Creates,
    Updates,
    Events,
    Payments,
    KeptPayments,
    Notices,
    RepeatedNotices,
    Alerts,
    Resolutions,
    IdempotencyKeys,
    /// Which decisions the batch holds; PostgreSQL knows it by itself.
    Decisions,
}

impl Parameter {
    /// As both backends write it. SQLite would know `?6` too, but a statement that names only that one has five gaps,
    /// and the driver fills gaps with parameters of its own choice.
    pub(super) fn placeholder(self) -> String {
        let number = match self {
            Self::Epoch => 1,
            Self::Creates => 2,
            Self::Updates => 3,
            Self::Events => 4,
            Self::Payments => 5,
            Self::KeptPayments => 6,
            Self::Notices => 7,
            Self::RepeatedNotices => 8,
            Self::Alerts => 9,
            Self::Resolutions => 10,
            Self::IdempotencyKeys => 11,
            Self::Decisions => 12,
        };
        format!("${number}")
    }
}

/// How a backend reads rows from JSON.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    Sqlite,
    Postgres,
}

impl Source {
    /// The rows of this entity, and `extra` columns, as `x`.
    pub(super) fn rows<E: EntityTrait>(
        self,
        parameter: Parameter,
        extra: &[(&'static str, &'static str)],
    ) -> String {
        let mut columns: Vec<_> = E::Column::iter()
            .map(|column| (column.as_str(), column_type(&column)))
            .collect();
        columns.extend(extra);
        self.of_columns(parameter, &columns, "x")
    }

    /// Rows of these columns, and the guard's, as `alias`.
    pub(super) fn of(
        self,
        parameter: Parameter,
        columns: &[(&'static str, &'static str)],
        alias: &str,
    ) -> String {
        let mut columns = columns.to_vec();
        columns.extend(super::text::GUARD);
        self.of_columns(parameter, &columns, alias)
    }

    fn of_columns(self, parameter: Parameter, columns: &[(&str, &str)], alias: &str) -> String {
        let rows = parameter.placeholder();
        let columns: Vec<_> = columns
            .iter()
            .map(|(name, kind)| match self {
                Self::Sqlite => format!("v->>'$.{name}' AS {name}"),
                Self::Postgres => format!("{name} {kind}"),
            })
            .collect();
        let columns = columns.join(", ");
        match self {
            // Without MATERIALIZED each column would render its whole row anew, and be a reason to read the table first.
            Self::Sqlite => format!(
                "(WITH given AS MATERIALIZED (SELECT value AS v FROM json_each({rows})) \
                 SELECT {columns} FROM given) AS {alias}"
            ),
            Self::Postgres => {
                format!("jsonb_to_recordset({rows}::jsonb) AS {alias}({columns})")
            }
        }
    }
}

/// The names of an entity's columns without these.
pub(super) fn names<E: EntityTrait>(without: &[&str]) -> Vec<&'static str> {
    E::Column::iter()
        .map(|column| column.as_str())
        .filter(|name| !without.contains(name))
        .collect()
}
