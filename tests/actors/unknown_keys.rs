//! Notices under keys that are not loaded: what ops are told of them, before anything is proved.

use crate::bank::{BANK, Bank, Does};
use crate::clock::TestClock;
use crate::stage::{Stage, settings, sqlite};
use oncepay::actors::Received;
use oncepay::channels::{RawNotice, RejectionRule};
use oncepay::clock::Clock as _;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const DAY_MS: i64 = 86_400_000;
/// As WeChat Pay names its keys.
const NEW_KEY: &str = "5157F09EFDC096DE15EBE81A47057A7232F1B8E1";
/// Enough of it to know it by.
const NAMED: &str = "(5157F09EFDC096DE15EB…)";

async fn open(folder: &Path, clock: &Arc<TestClock>) -> Stage {
    let bank = Bank::open(Does::Pays, Does::Pays);
    let settings = settings(folder, &sqlite(folder), r#"["1m"]"#);
    Stage::open(settings, &bank, clock).await
}

/// A notice that names this key is refused.
async fn under(stage: &Stage, key: &str) {
    let body = format!("under {key}");
    let notice = RawNotice {
        headers: &BTreeMap::new(),
        query: "",
        body: body.as_bytes(),
    };
    let received = stage.gateway().receive(BANK, notice).await;
    assert!(
        matches!(&received, Received::Rejected(it) if it.rule == RejectionRule::UnknownKey),
        "{received:?}"
    );
}

/// What ops were told, oldest first.
async fn told(stage: &Stage) -> Vec<String> {
    let mut alerts = stage.alerts().await;
    alerts.reverse();
    for alert in &alerts {
        assert_eq!((alert.kind.as_str(), alert.count), ("unknown_key", 1));
    }
    alerts.into_iter().map(|alert| alert.message).collect()
}

#[actix::test]
async fn a_key_that_somebody_made_up_does_not_hide_a_new_one_and_a_flood_of_them_is_five_alerts() {
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::start();
    // Noon of tomorrow: midnight is far.
    clock.step(DAY_MS * 3 / 2 - clock.wall().0.rem_euclid(DAY_MS));
    let stage = open(folder.path(), &clock).await;

    for key in ["made-up-0", NEW_KEY, "made-up-0", NEW_KEY, NEW_KEY] {
        under(&stage, key).await;
    }
    let first = told(&stage).await;
    assert_eq!(first.len(), 2, "one for each key: {first:?}");
    assert!(first[0].contains("made-up-0"), "{first:?}");
    assert!(first[1].contains(NAMED), "{first:?}");

    for n in 1..50 {
        under(&stage, &format!("made-up-{n}")).await;
    }
    under(&stage, NEW_KEY).await;
    let all = told(&stage).await;
    assert_eq!(all.len(), 5, "{all:?}");
    let (last, before) = all.split_last().unwrap();
    let says_so = |message: &String| message.contains("not told of until midnight");
    assert!(says_so(last) && !before.iter().any(says_so), "{all:?}");

    clock.step(DAY_MS);
    for key in [NEW_KEY, "made-up-0", NEW_KEY] {
        under(&stage, key).await;
    }
    let next_day = told(&stage).await;
    assert_eq!(next_day.len(), 7, "another day: {next_day:?}");
    assert!(next_day[5].contains(NAMED), "{next_day:?}");
    stage.runtime.stop().await;
}

#[actix::test]
async fn a_key_that_was_told_of_is_not_told_of_again_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::start();
    clock.step(DAY_MS * 3 / 2 - clock.wall().0.rem_euclid(DAY_MS));
    let stage = open(folder.path(), &clock).await;
    under(&stage, NEW_KEY).await;
    stage.runtime.stop().await;

    let stage = open(folder.path(), &clock).await;
    under(&stage, NEW_KEY).await;
    let alerts = stage.alerts().await;
    assert_eq!(alerts.len(), 1, "{alerts:?}");
    assert_eq!(alerts[0].count, 2, "seen again");
    stage.runtime.stop().await;
}
