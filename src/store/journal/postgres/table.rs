//! The parameters of the text: which rows each holds, and how they are read.

use super::super::rows::FIXED_AT_CREATION;
use crate::store::mapping::column_type;
use entities::{
    alerts, audit_log, balances, callbacks, deliveries, fulfilments, holds, idempotency_keys,
    ledger_entries, order_events, orders, payments, refunds,
};
use sea_orm::{EntityTrait, IdenStatic, Iterable};

/// A column's name and type.
type Column = (&'static str, &'static str);

/// Which order and which decision a row belongs to.
const GUARD: [Column; 2] = [("guard_order", "text"), ("guard_decision", "text")];

/// Which of the two texts a batch needs. PostgreSQL opens every table and index that a text names, and prepares its
/// checks, whether or not there is a row for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Orders that are created, submitted, paid, granted and told of.
    Usual,
    All,
}

impl Extent {
    /// How many arrays its text has.
    pub(super) const fn arrays(self) -> usize {
        match self {
            Self::Usual => 10,
            Self::All => Parameter::ARRAYS.len(),
        }
    }

    pub(super) fn has(self, parameter: Parameter) -> bool {
        parameter.place() < self.arrays()
    }
}

/// The parameters of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parameter {
    Epoch,
    Creates,
    Updates,
    Events,
    Payments,
    KeptPayments,
    Refunds,
    Movements,
    Entries,
    Holds,
    Queued,
    Granted,
    Deliveries,
    Notices,
    RepeatedNotices,
    Alerts,
    Resolutions,
    ResolvedKeys,
    IdempotencyKeys,
    Audit,
}

impl Parameter {
    /// All that are arrays, in the order of their numbers, which begin after the epoch's: the usual ones first.
    pub(super) const ARRAYS: [Self; 19] = [
        Self::Creates,
        Self::Updates,
        Self::Events,
        Self::Payments,
        Self::Movements,
        Self::Entries,
        Self::Queued,
        Self::Deliveries,
        Self::Notices,
        Self::IdempotencyKeys,
        Self::KeptPayments,
        Self::Refunds,
        Self::Holds,
        Self::Granted,
        Self::RepeatedNotices,
        Self::Alerts,
        Self::Resolutions,
        Self::ResolvedKeys,
        Self::Audit,
    ];

    /// Its place among the arrays.
    pub(super) fn place(self) -> usize {
        let mut arrays = Self::ARRAYS.iter();
        arrays.position(|array| *array == self).unwrap_or_default()
    }

    pub(super) fn placeholder(self) -> String {
        if self == Self::Epoch {
            return "$1".to_owned();
        }
        format!("${}", self.place().saturating_add(2))
    }

    /// The columns of its rows, in the order in which [`super::arrays`] writes them.
    fn columns(self) -> Vec<Column> {
        match self {
            Self::Epoch => Vec::new(),
            Self::Creates => {
                let mut columns = all::<orders::Entity>();
                columns.extend([("daily_limit", "bigint"), ("daily_since", "bigint")]);
                columns
            }
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
            Self::Refunds => guarded::<refunds::Entity>(),
            Self::Movements => {
                let mut columns = all::<balances::Entity>();
                columns.extend([
                    ("expected_version", "bigint"),
                    ("guard_order", "text"),
                    ("source", "text"),
                ]);
                columns
            }
            Self::Entries => all::<ledger_entries::Entity>(),
            Self::Holds => {
                let mut columns = all::<holds::Entity>();
                columns.push(("guard_decision", "text"));
                columns
            }
            Self::Queued | Self::Granted => guarded::<fulfilments::Entity>(),
            Self::Deliveries => guarded::<deliveries::Entity>(),
            Self::Notices | Self::RepeatedNotices => guarded::<callbacks::Entity>(),
            Self::Alerts => guarded::<alerts::Entity>(),
            Self::Resolutions => [("at", "bigint")].into_iter().chain(GUARD).collect(),
            Self::ResolvedKeys => {
                let key = [("key", "text"), ("at", "bigint")];
                key.into_iter().chain(GUARD).collect()
            }
            Self::IdempotencyKeys => guarded::<idempotency_keys::Entity>(),
            Self::Audit => guarded::<audit_log::Entity>(),
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

/// The rows of this parameter, as `x`.
pub(super) fn rows(parameter: Parameter) -> String {
    rows_as(parameter, "x")
}

/// The rows of this parameter, as `alias`. A row is an array, since a column is found by its place in a fifth of the time
/// that finding its name in an object takes.
pub(super) fn rows_as(parameter: Parameter, alias: &str) -> String {
    let given = parameter.placeholder();
    let columns = parameter.columns();
    let columns = columns
        .iter()
        .enumerate()
        .map(|(place, (name, kind))| format!("(v->>{place})::{kind} AS {name}"));
    let columns = columns.collect::<Vec<_>>().join(", ");
    format!("(SELECT {columns} FROM jsonb_array_elements({given}::jsonb) AS given(v)) AS {alias}")
}
