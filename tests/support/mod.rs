//! The real thing for tests: the binary as a server, the sandbox as another process, a mail server, a database.

#![expect(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "each test binary uses its own part of the stage"
)]

mod chatty;
mod cluster;
mod contract;
mod database;
#[cfg(test)]
pub mod doubles;
mod letter;
mod mailbox;
mod notice;
mod ports;
mod process;
mod processor;
mod proxy;
mod receiver;
mod refunds;
mod scenes;
mod shop;
mod small_disk;
mod watch;

pub use chatty::*;
pub use cluster::*;
pub use contract::*;
pub use database::*;
pub use letter::*;
pub use mailbox::*;
pub use notice::*;
pub use ports::*;
pub use process::*;
pub use processor::*;
pub use proxy::*;
pub use receiver::*;
pub use refunds::*;
pub use shop::*;
pub use small_disk::*;

use std::future::Future;
use std::time::{Duration, Instant};

/// How long a story waits for something that must come. Not a promise about speed: only a hang runs into it.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// One look: longer than a request to a server may take.
const LOOK_MAX: Duration = Duration::from_secs(180);

/// Looks again and again until it is so, or the test fails with what was seen last.
pub async fn eventually<T, F, L>(what: &str, mut look: L) -> T
where
    F: Future<Output = Result<T, String>>,
    L: FnMut() -> F,
{
    let until = Instant::now() + PATIENCE;
    loop {
        let looked = tokio::time::timeout(LOOK_MAX, look()).await;
        let looked = looked.unwrap_or_else(|_| panic!("a look did not end: {what}"));
        match looked {
            Ok(seen) => return seen,
            Err(instead) if Instant::now() > until => panic!("never came: {what}; last: {instead}"),
            Err(_) => tokio::time::sleep(Duration::from_millis(25)).await,
        }
    }
}
