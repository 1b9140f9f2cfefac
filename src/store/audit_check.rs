//! Reading the audit log against its chain: the first row that is not as it was written, or is not there.

use super::StoreError;
use super::audit::{AuditKey, Head, mac};
use entities::audit_log;
use sea_orm::{ColumnTrait, DatabaseConnection, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use std::fmt;

/// Rows that are held at a time.
const PAGE: u64 = 5_000;

/// What the log turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verified {
    /// Every row stands as it was written, up to this one.
    Whole(Head),
    Broken(Break),
}

/// The first thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    /// The row that is wrong or missing.
    pub seq: i64,
    pub kind: BreakKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakKind {
    /// There is no such row, and there are later ones.
    Missing,
    /// The row does not follow from the one before it.
    Altered,
    /// The log ends before the row that the given head names.
    Cut,
    /// The row is another one than the given head names.
    NotTheHead,
}

impl BreakKind {
    /// Its word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Altered => "altered",
            Self::Cut => "cut",
            Self::NotTheHead => "not_the_head",
        }
    }
}

impl fmt::Display for Break {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seq = self.seq;
        match self.kind {
            BreakKind::Missing => write!(formatter, "row {seq} is missing"),
            BreakKind::Altered => write!(
                formatter,
                "row {seq} was altered, put in another's place, or written without the key"
            ),
            BreakKind::Cut => write!(formatter, "the log was cut: it has no row {seq} any more"),
            BreakKind::NotTheHead => write!(
                formatter,
                "row {seq} is not the one that the given head names: the log was written anew, or the head was never its"
            ),
        }
    }
}

/// Reads the whole log, oldest row first, and holds it against its chain. `known` is a head that was kept elsewhere:
/// only with it a cut tail is found.
///
/// # Errors
/// When the database does not answer.
pub async fn verify(
    read: &DatabaseConnection,
    key: &AuditKey,
    known: Option<&Head>,
) -> Result<Verified, StoreError> {
    let mut head = Head::default();
    loop {
        let page = audit_log::Entity::find()
            .filter(audit_log::Column::Seq.gt(head.seq))
            .order_by_asc(audit_log::Column::Seq)
            .limit(PAGE)
            .all(read)
            .await?;
        if page.is_empty() {
            break;
        }
        for row in page {
            if let Some(broken) = follows(key, &head, &row).or_else(|| differs(known, &row)) {
                return Ok(Verified::Broken(broken));
            }
            head = Head {
                seq: row.seq,
                mac: row.mac,
            };
        }
    }
    Ok(match known {
        Some(known) if known.seq > head.seq => Verified::Broken(Break {
            seq: head.seq.saturating_add(1),
            kind: BreakKind::Cut,
        }),
        Some(known) if known.seq == 0 && *known != Head::default() => Verified::Broken(Break {
            seq: 0,
            kind: BreakKind::NotTheHead,
        }),
        Some(_) | None => Verified::Whole(head),
    })
}

/// What is wrong with a row that comes after `head`.
fn follows(key: &AuditKey, head: &Head, row: &audit_log::Model) -> Option<Break> {
    let next = head.seq.saturating_add(1);
    if row.seq != next {
        return Some(Break {
            seq: next,
            kind: BreakKind::Missing,
        });
    }
    (row.mac != mac(key, &head.mac, row)).then_some(Break {
        seq: row.seq,
        kind: BreakKind::Altered,
    })
}

fn differs(known: Option<&Head>, row: &audit_log::Model) -> Option<Break> {
    known
        .filter(|known| known.seq == row.seq && known.mac != row.mac)
        .map(|known| Break {
            seq: known.seq,
            kind: BreakKind::NotTheHead,
        })
}
