//! A lock for each account that something is being decided about, and none for the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// The locks of accounts. There are never more of them than requests inside the door.
#[derive(Debug, Clone, Default)]
pub(in crate::actors) struct Locks {
    in_use: Arc<Mutex<HashMap<String, Arc<Turn<()>>>>>,
}

/// An account's turn; the next one begins when it is dropped.
#[derive(Debug)]
pub(in crate::actors) struct Lock {
    _turn: OwnedMutexGuard<()>,
    // Dropped after the turn: fields go in their order.
    _place: Place,
}

impl Locks {
    /// Waits for the account's turn. Turns come in the order in which they were asked for.
    pub(in crate::actors) async fn take(&self, account: &str) -> Lock {
        let turn = Arc::clone(self.table().entry(account.to_owned()).or_default());
        let place = Place {
            locks: self.clone(),
            account: account.to_owned(),
            turn: Some(Arc::clone(&turn)),
        };
        Lock {
            _turn: turn.lock_owned().await,
            _place: place,
        }
    }

    fn table(&self) -> MutexGuard<'_, HashMap<String, Arc<Turn<()>>>> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place among those who wait for an account, or whose turn it is. The last one takes the lock away.
#[derive(Debug)]
struct Place {
    locks: Locks,
    account: String,
    turn: Option<Arc<Turn<()>>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut table = self.locks.table();
        // Given back under the table's lock: of two that leave at once, one sees that it is the last.
        drop(self.turn.take());
        let in_use = table.get(&self.account);
        if in_use.is_some_and(|turn| Arc::strong_count(turn) == 1) {
            table.remove(&self.account);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn an_account_has_one_turn_at_a_time_and_others_do_not_wait_for_it() {
        let locks = Locks::default();
        let first = locks.take("a").await;
        let _other = locks.take("b").await;
        let waiting = {
            let locks = locks.clone();
            tokio::spawn(async move { locks.take("a").await })
        };
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        let second = waiting.await.unwrap();
        assert_eq!(locks.table().len(), 2);
        drop(second);
        assert_eq!(locks.table().len(), 1);
    }

    #[tokio::test]
    async fn a_wait_that_is_given_up_leaves_no_lock_behind() {
        let locks = Locks::default();
        let first = locks.take("a").await;
        let given_up = tokio::time::timeout(Duration::from_millis(1), locks.take("a")).await;
        assert!(given_up.is_err());
        drop(first);
        assert!(locks.table().is_empty());
    }
}
