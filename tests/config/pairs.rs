//! Settings that are good alone and dangerous together.

use crate::support::{GOOD, accept, refused_at, with};
use oncepay::config::{check_against_rows, check_refunds};
use oncepay::domain::order::Fingerprint;

const LIVE: &str = "[channels.card]\nkind = \"http\"\nbase_url = \"https://pay.example.com\"\nsecret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\n";

#[test]
fn a_reply_may_come_later_than_the_user_is_answered() {
    refused_at(
        &with("\"120s\"", "\"60s\""),
        "channels.sandbox.read_timeout",
        "server.ui_deadline",
    );
    refused_at(
        &with("\"3s\"", "\"60s\""),
        "checks.submit_timeout",
        "server.ui_deadline",
    );
}

#[test]
fn late_money_is_not_given_back_through_a_channel_that_makes_no_refunds() {
    let settings = accept(&with(
        "read_timeout",
        "late_success = \"refund\"\nread_timeout",
    ));
    assert_eq!(check_refunds(&settings, "sandbox", true), Ok(()));
    let refused = check_refunds(&settings, "sandbox", false).unwrap_err();
    assert_eq!(refused.problems[0].path, "channels.sandbox.late_success");
    let kept = accept(GOOD);
    assert_eq!(check_refunds(&kept, "sandbox", false), Ok(()));
    assert_eq!(check_refunds(&settings, "bank", false), Ok(()));
}

#[test]
fn a_ladder_must_outlast_the_grace_or_nothing_is_ever_resubmitted() {
    let short = with("[\"1m\", \"5m\", \"15m\"]", "[\"1m\", \"2m\"]");
    refused_at(&short, "checks.schedule", "max_submits = 1");
    accept(&short.replace("submit_timeout", "max_submits = 1\nsubmit_timeout"));
    accept(&short.replace("read_timeout", "not_found_grace = \"60s\"\nread_timeout"));
}

#[test]
fn a_live_channel_needs_an_address_that_its_callbacks_can_reach() {
    let live = with("http://127.0.0.1:8080/sandbox", "https://pay.example.com");
    refused_at(&live, "server.public_url", "live");
    accept(&live.replace(
        "public_url = \"http://127.0.0.1:8080\"",
        "public_url = \"https://shop.example.com\"",
    ));
    accept(&live.replace("read_timeout", "live = false\nread_timeout"));
}

#[test]
fn play_money_stands_beside_real_money_only_where_someone_said_so() {
    let both = with(
        "public_url = \"http://127.0.0.1:8080\"",
        "public_url = \"https://shop.example.com\"",
    );
    let both = format!("{LIVE}{both}");
    refused_at(&both, "channels.sandbox.base_url", "channels.card");
    accept(&format!("[sandbox]\nallow = true\n{both}"));
}

#[test]
fn this_machine_moves_no_real_money() {
    refused_at(
        &with("read_timeout", "live = true\nread_timeout"),
        "channels.sandbox.live",
        "never live",
    );
}

#[test]
fn play_money_is_offered_to_this_machine_alone() {
    let open = with("listen = \"127.0.0.1:8080\"", "listen = \"0.0.0.0:8080\"");
    refused_at(&open, "channels.sandbox.base_url", "not loopback");
    accept(&format!("[sandbox]\nallow = true\n{open}"));
}

#[test]
fn a_channel_is_not_dropped_or_changed_while_orders_are_in_flight_there() {
    let settings = accept(GOOD);
    let account = |channel: &str, merchant: &str, live| Fingerprint {
        channel: channel.to_owned(),
        merchant: merchant.to_owned(),
        live,
    };
    assert_eq!(
        check_against_rows(&settings, &[account("sandbox", "sandbox", false)]),
        Ok(())
    );
    let error = check_against_rows(
        &settings,
        &[
            account("card", "card", true),
            account("sandbox", "m-1", false),
            account("sandbox", "sandbox", true),
        ],
    )
    .unwrap_err();
    let paths: Vec<_> = error
        .problems
        .iter()
        .map(|problem| problem.path.as_str())
        .collect();
    assert_eq!(
        paths,
        [
            "channels.card",
            "channels.sandbox.merchant",
            "channels.sandbox.live"
        ]
    );
}
