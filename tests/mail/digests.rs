//! Which alerts go together in one mail, and when.

use crate::support::stored;
use oncepay::actors::notifier::plan;
use oncepay::domain::UnixMillis;
use oncepay::store::alerts::StoredAlert;

const WINDOW_MS: i64 = 30_000;

fn claimed(n: i64, message_id: &str) -> StoredAlert {
    StoredAlert {
        message_id: Some(message_id.to_owned()),
        mail_attempts: 1,
        ..stored(n)
    }
}

fn ids(alerts: &[StoredAlert]) -> Vec<&str> {
    alerts.iter().map(|alert| alert.alert_id.as_str()).collect()
}

#[test]
fn a_window_opens_with_the_first_alert_and_collects_the_storm() {
    let storm: Vec<_> = (0..500).map(stored).collect();
    let during = plan(storm.clone(), UnixMillis(WINDOW_MS - 1), WINDOW_MS, None);
    assert_eq!(during.fresh, None);
    assert_eq!(during.window_ends_at, Some(UnixMillis(WINDOW_MS)));
    let after = plan(storm, UnixMillis(WINDOW_MS), WINDOW_MS, None);
    assert_eq!(after.fresh.unwrap().alerts.len(), 500, "one mail");
    assert_eq!(after.window_ends_at, None);
}

#[test]
fn without_a_window_an_alert_goes_at_once() {
    let plan = plan(vec![stored(5)], UnixMillis(5), 0, None);
    assert_eq!(ids(&plan.fresh.unwrap().alerts), ["alr_5"]);
}

#[test]
fn what_was_claimed_before_a_crash_goes_again_under_its_own_message_id() {
    let due = vec![
        claimed(1, "<b>"),
        stored(2),
        claimed(3, "<a>"),
        claimed(4, "<b>"),
    ];
    let plan = plan(due, UnixMillis(10), WINDOW_MS, None);
    let retries: Vec<_> = plan
        .retries
        .iter()
        .map(|mailing| (mailing.message_id.as_deref().unwrap(), ids(&mailing.alerts)))
        .collect();
    assert_eq!(
        retries,
        [("<a>", vec!["alr_3"]), ("<b>", vec!["alr_1", "alr_4"])]
    );
    assert_eq!(plan.fresh, None, "what is new has a window of its own");
}

#[test]
fn while_the_mail_server_is_away_what_is_new_waits_for_the_retry() {
    let held_until = UnixMillis(120_000);
    let held = plan(
        vec![stored(0)],
        UnixMillis(60_000),
        WINDOW_MS,
        Some(held_until),
    );
    assert_eq!((held.fresh, held.window_ends_at), (None, Some(held_until)));
    let hour = plan(
        vec![stored(0)],
        UnixMillis(3_600_000),
        WINDOW_MS,
        Some(UnixMillis(9_000_000)),
    );
    assert!(
        hour.fresh.is_some(),
        "but not for ever: the fault may be in the other mail"
    );
}

#[test]
fn nothing_due_is_nothing_to_do() {
    assert_eq!(
        plan(Vec::new(), UnixMillis(1), WINDOW_MS, None),
        oncepay::actors::notifier::Plan::default()
    );
}
