//! Which orders a sweep looks at: what is new first, and then on with a round over everything.
//!
//! A round begins anew where it has ended, and so comes also to what was committed behind a mark of what is new.

use super::GRACE_MS;
use crate::clock::Clock;
use crate::domain::UnixMillis;
use crate::store::StoreError;
use crate::store::sweep::{Suspect, grants, walk};
use sea_orm::DatabaseConnection;
use std::collections::BTreeSet;

/// How long each part goes on in one sweep: a hundredth of one reader's time. A million orders, or half a million
/// grants, are gone through in it; larger tables in several sweeps.
const PART_MS: i64 = 3_000;
/// Orders that are looked at in one sweep, and counted.
const SUSPECTS_MAX: usize = 10_000;
const WAITING_MAX: u64 = 5_000;
/// Orders that were created since then are gone through in every sweep: by then they are paid, or closed.
const NEW_ORDERS_MS: i64 = 3 * 3_600_000;
/// What the first sweep takes for new grants.
const NEW_GRANTS_MS: i64 = 24 * 3_600_000;

/// How far the rounds are.
#[derive(Debug)]
pub(super) struct Rounds {
    /// The order's id that the round over orders goes on after.
    order_id: String,
    /// The moment that the round over grants goes on after.
    granted: UnixMillis,
    /// Grants since then are new; `None` before the first sweep.
    new_since: Option<UnixMillis>,
}

impl Default for Rounds {
    fn default() -> Self {
        Self {
            order_id: String::new(),
            granted: UnixMillis(i64::MIN),
            new_since: None,
        }
    }
}

impl Rounds {
    /// What waits in the outbox, what is new, and what the rounds come across, added to `suspects`.
    pub(super) async fn go_on(
        &mut self,
        read: &DatabaseConnection,
        clock: &dyn Clock,
        suspects: &mut BTreeSet<Suspect>,
    ) -> Result<(), StoreError> {
        let now = clock.wall();
        let before = now.plus(-GRACE_MS);
        suspects.extend(walk::waiting(read, before, WAITING_MAX).await?);
        let since = now.plus(-NEW_ORDERS_MS);
        if let Some(after) = walk::before_those_since(read, since).await? {
            orders(read, clock, suspects, after).await?;
        }
        let after = std::mem::take(&mut self.order_id);
        self.order_id = orders(read, clock, suspects, after)
            .await?
            .unwrap_or_default();

        let since = self.new_since.unwrap_or(now.plus(-NEW_GRANTS_MS));
        let left = granted(read, clock, suspects, since).await?;
        // What was decided before now may be committed after it.
        self.new_since = Some(left.map_or(before, |left| Ord::min(left, before)));
        self.granted = granted(read, clock, suspects, self.granted)
            .await?
            .unwrap_or(UnixMillis(i64::MIN));
        Ok(())
    }
}

/// Goes through orders for a while, one page at least; where it has stopped, or `None` at the end.
async fn orders(
    read: &DatabaseConnection,
    clock: &dyn Clock,
    suspects: &mut BTreeSet<Suspect>,
    mut after: String,
) -> Result<Option<String>, StoreError> {
    let before = clock.wall().plus(-GRACE_MS);
    let until = clock.mono_ms().saturating_add(PART_MS);
    while suspects.len() < SUSPECTS_MAX {
        let (found, next) = walk::pending(read, &after, before).await?;
        suspects.extend(found);
        let Some(next) = next else {
            return Ok(None);
        };
        after = next;
        if clock.mono_ms() >= until {
            break;
        }
    }
    Ok(Some(after))
}

/// As [`orders`], through grants.
async fn granted(
    read: &DatabaseConnection,
    clock: &dyn Clock,
    suspects: &mut BTreeSet<Suspect>,
    mut after: UnixMillis,
) -> Result<Option<UnixMillis>, StoreError> {
    let until = clock.mono_ms().saturating_add(PART_MS);
    while suspects.len() < SUSPECTS_MAX {
        let (found, next) = grants::unexplained(read, after).await?;
        suspects.extend(found);
        let Some(next) = next else {
            return Ok(None);
        };
        after = next;
        if clock.mono_ms() >= until {
            break;
        }
    }
    Ok(Some(after))
}
