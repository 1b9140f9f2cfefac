//! Whether the process lives, and whether it can take work.

use crate::web::state::Shared;
use actix_web::HttpResponse;
use actix_web::web::Data;
use serde::Serialize;
use std::time::Duration;
use utoipa::ToSchema;

/// A database that needs longer than this to answer cannot carry payments.
const PING_WITHIN: Duration = Duration::from_secs(2);
/// Work that has waited so long for a commit says that the journal cannot write.
const JOURNAL_WAIT_MAX_MS: i64 = 2_000;
/// Below this a SQLite database may run out of disk in the middle of a checkpoint.
const DISK_FREE_MIN: u64 = 64 * 1024 * 1024;

/// The process lives.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    pub(crate) status: &'static str,
}

/// Each check, and whether all of them passed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ready {
    pub(crate) ready: bool,
    pub(crate) checks: Checks,
}

/// The checks of readiness: `true` is well.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Checks {
    /// The database answers.
    pub(crate) database: bool,
    /// The schema is up to date.
    pub(crate) migrations: bool,
    /// Every in-flight order has its timer.
    pub(crate) rehydrated: bool,
    /// The journal commits.
    pub(crate) journal: bool,
    /// There is room on the disk.
    pub(crate) disk: bool,
    /// New work is taken.
    pub(crate) accepting: bool,
}

/// Whether the process lives.
#[utoipa::path(
    get, path = "/healthz", tag = "operations", operation_id = "health", security(),
    responses((status = 200, description = "It lives", body = Health)),
)]
pub(crate) async fn healthz() -> HttpResponse {
    HttpResponse::Ok().json(Health { status: "ok" })
}

/// Whether the runtime can take work.
#[utoipa::path(
    get, path = "/readyz", tag = "operations", operation_id = "readiness", security(),
    responses(
        (status = 200, description = "It can", body = Ready),
        (status = 503, description = "A check fails", body = Ready),
    ),
)]
pub(crate) async fn readyz(shared: Data<Shared>) -> HttpResponse {
    let checks = Checks {
        database: database_answers(&shared).await,
        migrations: shared.readiness.is_migrated(),
        rehydrated: shared.readiness.is_rehydrated(),
        journal: shared.journal.health().oldest_wait_ms < JOURNAL_WAIT_MAX_MS,
        disk: disk_has_room(&shared).await,
        accepting: !shared.readiness.is_stopping(),
    };
    let ready = checks.database
        && checks.migrations
        && checks.rehydrated
        && checks.journal
        && checks.disk
        && checks.accepting;
    let mut response = if ready {
        HttpResponse::Ok()
    } else {
        HttpResponse::ServiceUnavailable()
    };
    response.json(Ready { ready, checks })
}

async fn database_answers(shared: &Shared) -> bool {
    let ping = tokio::time::timeout(PING_WITHIN, shared.database.ping()).await;
    matches!(ping, Ok(Ok(())))
}

/// Room beside an embedded database. PostgreSQL minds its own disk.
async fn disk_has_room(shared: &Shared) -> bool {
    let Some(file) = shared.settings.sqlite_file() else {
        return true;
    };
    let free = actix_web::web::block(move || fs4::available_space(file)).await;
    matches!(free, Ok(Ok(bytes)) if bytes >= DISK_FREE_MIN)
}
