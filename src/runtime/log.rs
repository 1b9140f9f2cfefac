//! Whether the log of an embedded database stays where it is.

use crate::clock::SharedClock;
use crate::config::Settings;
use crate::store::Database;
use crate::web::Readiness;
use std::sync::Arc;
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(1);

/// Leaves the mark of a restore as soon as the log is gone: what stood in it alone is forgotten by a process that starts
/// then, and known to the channels. The journal waits for it meanwhile, and writes nothing; a mark that turns out not to be
/// needed makes new orders wait for a question, and nothing worse.
pub(super) async fn watch(
    (database, readiness): (Database, Readiness),
    settings: Arc<Settings>,
    clock: SharedClock,
) {
    if settings.sqlite_file().is_none() {
        return;
    }
    // It is made with the first write, and taken away by the last connection that closes.
    let mut seen = false;
    let mut missed = false;
    loop {
        let lacks = database.lacks_its_log();
        if seen && missed && lacks {
            break;
        }
        missed = lacks;
        seen |= !lacks;
        tokio::time::sleep(EVERY).await;
        if readiness.is_stopping() {
            return;
        }
    }
    match settings.note_restore(clock.wall()) {
        Ok(()) => tracing::error!(
            "the database's log was taken away: if it does not come back, the next start asks the channels before it \
             submits"
        ),
        Err(error) => {
            tracing::error!(%error, "the database's log was taken away, and no mark of it can be left")
        }
    }
}
