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

/// Looks again and again until it is so, or the test fails with what was seen last.
pub async fn eventually<T, F, L>(what: &str, mut look: L) -> T
where
    F: Future<Output = Result<T, String>>,
    L: FnMut() -> F,
{
    let until = Instant::now() + PATIENCE;
    loop {
        match look().await {
            Ok(seen) => return seen,
            Err(instead) if Instant::now() > until => panic!("never came: {what}; last: {instead}"),
            Err(_) => tokio::time::sleep(Duration::from_millis(25)).await,
        }
    }
}
