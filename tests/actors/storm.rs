//! A hundred thousand callbacks for one order while the processor hangs.

use crate::bank::{Bank, Does};
use crate::clock::TestClock;
use crate::stage::{Stage, hear, settings};
use crate::support::ScratchDatabase;
use futures_util::future::join_all;
use oncepay::actors::Received;
use oncepay::domain::order::{EventKind, OrderStatus};

const WAVES: usize = 5;
const WAVE: usize = 20_000;
/// Far above what the runtime needs, far below what the storm would take if it were kept.
const GROWTH_MAX_KIB: u64 = 256 * 1024;

#[actix::test]
async fn it_stays_bounded_and_the_channel_is_told_to_send_again() {
    let folder = tempfile::tempdir().unwrap();
    let database = ScratchDatabase::make(folder.path()).await;
    let bank = Bank::open(Does::Hangs, Does::Mumbles);
    let clock = TestClock::start();
    let stage = Stage::open(
        settings(folder.path(), &database.url, r#"["1h"]"#),
        &bank,
        &clock,
    )
    .await;
    stage.create("storm").await;
    let before_kib = resident_kib();

    let (mut kept, mut refused) = (0, 0);
    for _ in 0..WAVES {
        let gateway = stage.gateway();
        let notices = (0..WAVE).map(|_| hear(gateway, "n-1", "PROCESSING", "storm"));
        for heard in join_all(notices).await {
            match heard {
                Received::Kept { .. } => kept += 1,
                Received::NotYet(_) => refused += 1,
                odd @ (Received::Unrelated
                | Received::Orphan { .. }
                | Received::Rejected(_)
                | Received::NoSuchChannel) => panic!("{odd:?}"),
            }
        }
    }

    assert_eq!(kept + refused, WAVES * WAVE);
    assert!(kept > 0 && refused > 0, "{kept} kept, {refused} refused");
    let order = stage.order("storm").await;
    assert_eq!(usize::try_from(order.callback_count), Ok(kept));
    assert_eq!(stage.count("storm", EventKind::Callback).await, 1);
    let grown_kib = resident_kib().saturating_sub(before_kib);
    assert!(grown_kib < GROWTH_MAX_KIB, "grew by {grown_kib} KiB");

    // Others are served meanwhile, and the order ends well.
    bank.now_submits(Does::Pays);
    stage.create("calm").await;
    stage.becomes("calm", OrderStatus::Paid).await;
    bank.lets_go();
    stage.becomes("storm", OrderStatus::Paid).await;
    assert_eq!(bank.submits("storm"), 1);
    stage.runtime.stop().await;
}

/// What this process holds in memory.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1))
        .and_then(|kib| kib.parse().ok())
        .expect("a number of KiB")
}
