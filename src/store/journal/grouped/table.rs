//! The parameters of the text: which rows each holds, and how a backend reads them.

use super::super::rows::FIXED_AT_CREATION;
use crate::store::mapping::column_type;
use entities::{alerts, callbacks, idempotency_keys, order_events, orders, payments};
use sea_orm::{EntityTrait, IdenStatic, Iterable};

/// A column's name and type.
type Column = (&'static str, &'static str);

/// Which order and which decision a row belongs to.
const GUARD: [Column; 2] = [("guard_order", "text"), ("guard_decision", "text")];

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

/// Which parameters hold rows in a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Present(u16);

impl Present {
    pub(super) fn with(self, parameter: Parameter, there: bool) -> Self {
        Self(self.0 | (u16::from(there) << parameter.number()))
    }

    pub(super) fn has(self, parameter: Parameter) -> bool {
        self.0 & (1 << parameter.number()) != 0
    }
}

impl Parameter {
    /// As both backends write it. SQLite would know `?6` too, but a statement that names only that one has five gaps,
    /// and the driver fills gaps with parameters of its own choice.
    pub(super) fn placeholder(self) -> String {
        format!("${}", self.number())
    }

    const fn number(self) -> u16 {
        match self {
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
        }
    }

    /// The columns of its rows, in the order in which [`super::arrays`] writes them.
    fn columns(self) -> Vec<Column> {
        match self {
            Self::Epoch => Vec::new(),
            Self::Creates => all::<orders::Entity>(),
            Self::Updates => {
                let fixed: Vec<_> = FIXED_AT_CREATION.iter().map(IdenStatic::as_str).collect();
                let mut columns = all::<orders::Entity>();
                columns.retain(|(name, _)| !fixed.contains(name));
                columns.extend([
                    ("order_id", "text"),
                    ("expected_version", "bigint"),
                    ("unless_replaced", "boolean"),
                ]);
                columns
            }
            Self::Events => guarded::<order_events::Entity>(),
            Self::Payments | Self::KeptPayments => guarded::<payments::Entity>(),
            Self::Notices | Self::RepeatedNotices => guarded::<callbacks::Entity>(),
            Self::Alerts => guarded::<alerts::Entity>(),
            Self::Resolutions => [("at", "bigint")].into_iter().chain(GUARD).collect(),
            Self::IdempotencyKeys => guarded::<idempotency_keys::Entity>(),
            Self::Decisions => GUARD.to_vec(),
        }
    }
}

fn all<E: EntityTrait>() -> Vec<Column> {
    E::Column::iter()
        .map(|column| (column.as_str(), column_type(&column)))
        .collect()
}

fn guarded<E: EntityTrait>() -> Vec<Column> {
    all::<E>().into_iter().chain(GUARD).collect()
}

/// How a backend reads rows from JSON.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    Sqlite,
    Postgres,
}

impl Source {
    /// The rows of this parameter, as `alias`. A row is an array, since a column is found by its place in a fifth of
    /// the time that finding its name in an object takes.
    pub(super) fn rows(self, parameter: Parameter, alias: &str) -> String {
        let given = parameter.placeholder();
        let columns = parameter.columns();
        let columns = columns
            .iter()
            .enumerate()
            .map(|(place, (name, kind))| match self {
                Self::Sqlite => format!("v->>{place} AS {name}"),
                Self::Postgres => format!("(v->>{place})::{kind} AS {name}"),
            });
        let columns = columns.collect::<Vec<_>>().join(", ");
        match self {
            // In binary, and MATERIALIZED, so that no column parses or renders its whole row anew.
            Self::Sqlite => format!(
                "(WITH given AS MATERIALIZED (SELECT value AS v FROM jsonb_each({given})) \
                 SELECT {columns} FROM given) AS {alias}"
            ),
            Self::Postgres => format!(
                "(SELECT {columns} FROM jsonb_array_elements({given}::jsonb) AS given(v)) AS {alias}"
            ),
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
