//! Single values: what is read, what is refused, and how it is said.

use crate::support::{GOOD, SWITCHES, accept, refuse, refused_at, with};
use oncepay::config::{ChannelKind, ConfigError, OnDeadline, Settings, Sources};
use oncepay::domain::Currency;
use oncepay::domain::schedule::LateSuccess;
use secrecy::ExposeSecret;
use std::collections::BTreeMap;

#[test]
fn what_is_written_is_what_holds_and_the_rest_has_defaults() {
    let settings = accept(&with(
        "[channels.sandbox]",
        "[review]\nsecond_person_above = { CNY = 100000 }\n[channels.sandbox]",
    ));
    assert_eq!(settings.checks.schedule_ms, [60_000, 300_000, 900_000]);
    assert_eq!(settings.server.on_deadline, OnDeadline::Accepted);
    assert_eq!(settings.callbacks_deadline_ms, 4_000);
    let sandbox = &settings.channels["sandbox"];
    assert_eq!(
        sandbox.merchant, "sandbox",
        "a channel's name stands for its merchant"
    );
    assert!(!sandbox.live, "loopback is never live");
    assert_eq!(sandbox.late_success, LateSuccess::Manual);
    assert!(
        settings.sandbox.mounted,
        "a channel at our own /sandbox mounts one"
    );
    let cny = Currency::parse("CNY").unwrap();
    assert_eq!(settings.second_person_above[&cny], 100_000);
}

#[test]
fn a_processor_elsewhere_is_live_and_no_sandbox_is_mounted() {
    let text = with(
        "base_url = \"http://127.0.0.1:8080/sandbox\"",
        "base_url = \"https://pay.example.com/v2/\"",
    );
    let settings = accept(&text.replace(
        "public_url = \"http://127.0.0.1:8080\"",
        "public_url = \"https://shop.example.com\"",
    ));
    assert!(settings.channels["sandbox"].live);
    assert_eq!(
        settings.channels["sandbox"].base_url,
        "https://pay.example.com/v2"
    );
    assert!(!settings.sandbox.mounted);
}

#[test]
fn what_is_kept_and_for_how_long_can_be_said() {
    let day = 86_400_000;
    let kept = accept(GOOD).retention;
    assert_eq!((kept.deliveries_ms, kept.orphans_ms), (90 * day, 30 * day));
    let section = |lines: &str| {
        with(
            "[channels.sandbox]",
            &format!("[retention]\n{lines}\n[channels.sandbox]"),
        )
    };
    let kept = accept(&section("deliveries = \"7d\"\norphans = \"36h\"")).retention;
    assert_eq!(
        (kept.deliveries_ms, kept.orphans_ms),
        (7 * day, day * 3 / 2)
    );
    refused_at(
        &section("deliveries = \"1h\""),
        "retention.deliveries",
        "1d",
    );
    refused_at(
        &section("orphans = \"0\""),
        "retention.orphans",
        "a duration",
    );
    refused_at(
        &section("sessions = \"1d\""),
        "retention.sessions",
        "not available",
    );
}

#[test]
fn an_unknown_key_is_named_with_its_neighbours() {
    refused_at(
        &with("ui_deadline", "ui_dedline"),
        "server.ui_dedline",
        "ui_deadline",
    );
    refused_at(
        &with("read_timeout", "readtimeout"),
        "channels.sandbox.readtimeout",
        "read_timeout",
    );
    refused_at(&format!("extra = 1\n{GOOD}"), "extra", "channels");
}

#[test]
fn a_bad_value_is_told_what_is_allowed() {
    refused_at(&with("\"60s\"", "60"), "server.ui_deadline", "\"15m\"");
    refused_at(
        &with("\"60s\"", "\"60 s\""),
        "server.ui_deadline",
        "\"15m\"",
    );
    refused_at(
        &with("\"60s\"", "\"0s\""),
        "server.ui_deadline",
        "more than 0",
    );
    refused_at(
        &with("[\"1m\", \"5m\", \"15m\"]", "[]"),
        "checks.schedule",
        "at least one",
    );
    refused_at(
        &with("\"127.0.0.1:8080\"\npublic", "\"localhost\"\npublic"),
        "server.listen",
        "127.0.0.1:8080",
    );
    refused_at(
        &with("kind = \"http\"", "kind = \"paypal\""),
        "channels.sandbox.kind",
        "tokenpay",
    );
    refused_at(
        &with("kind = \"http\"\n", ""),
        "channels.sandbox.kind",
        "missing",
    );
    refused_at(&with("whsec_", ""), "channels.sandbox.secret", "whsec_");
    refused_at(
        &with("http://127.0.0.1:8080/sandbox", "http://pay.example.com"),
        "channels.sandbox.base_url",
        "https",
    );
    refused_at(
        &with("scopes = [\"refunds\"]", "scopes = [\"all\"]"),
        "keys[0].scopes",
        "refunds",
    );
    refused_at(
        &with("role = \"merchant\"", "role = \"boss\""),
        "keys[0].role",
        "operator",
    );
}

#[test]
fn late_money_can_be_given_back_and_other_policies_are_refused() {
    let policy = |word: &str| {
        let line = format!("late_success = \"{word}\"\nread_timeout");
        with("read_timeout", &line)
    };
    let settings = accept(&policy("refund"));
    assert_eq!(
        settings.channels["sandbox"].late_success,
        LateSuccess::Refund
    );
    refused_at(
        &policy("keep"),
        "channels.sandbox.late_success",
        "\"manual\", \"fulfil\" or \"refund\"",
    );
}

#[test]
fn a_key_must_name_its_role_and_be_long_and_have_a_name_of_its_own() {
    refused_at(
        &with("role = \"merchant\"", "role = \"admin\""),
        "keys[0].key",
        "opk_admin_",
    );
    refused_at(
        &with("0123456789abcdef0123456789abcdef", "short"),
        "keys[0].key",
        "32",
    );
    let twice = format!(
        "{GOOD}\n[[keys]]\nname = \"shop\"\nrole = \"viewer\"\nkey = \"opk_viewer_0123456789abcdef0123456789abcdef\"\n"
    );
    refused_at(&twice, "keys[1].name", "unique");
}

#[test]
fn a_text_that_is_no_toml_is_refused_by_its_place_and_never_quoted() {
    let error =
        refuse("server.listen = \"127.0.0.1:80\"\ndatabase.url = \"hunter2hunter2\n").to_string();
    assert!(error.contains("line 2, column "), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
    refused_at(
        "database.url = \"sqlite:\"",
        "database.url",
        "must be a file",
    );
}

#[test]
fn a_refusal_never_quotes_a_secret() {
    let error = refuse(&with("0123456789abcdef0123456789abcdef", "hunter2"));
    assert!(!error.to_string().contains("hunter2"), "{error}");
    let smtp = format!("[alerts]\nsmtp_url = \"gopher://ops:hunter2@mail\"\n{GOOD}");
    assert!(!refuse(&smtp).to_string().contains("hunter2"));
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let text = with("\"60s\"", "60")
        .replace("kind = \"http\"", "kind = \"htp\"")
        .replace("\"3s\"", "\"soon\"");
    let error = refuse(&text);
    let paths: Vec<_> = error
        .problems
        .iter()
        .map(|problem| problem.path.as_str())
        .collect();
    assert_eq!(
        paths,
        [
            "server.ui_deadline",
            "channels.sandbox.kind",
            "checks.submit_timeout"
        ]
    );
}

#[test]
fn mail_addresses_are_checked_before_anything_fails() {
    let alerts = |body: &str| format!("[alerts]\n{body}\n{GOOD}");
    refused_at(&alerts("from = \"nobody\""), "alerts.from", "e-mail");
    refused_at(
        &alerts("to = [\"ops@example.com\", \"@\"]"),
        "alerts.to",
        "`@`",
    );
    refused_at(
        &alerts("smtp_url = \"smtps://mail.example.com\""),
        "alerts.smtp_url",
        "alerts.from",
    );
    let good = "from = \"oncepay@example.com\"\nto = [\"Ops <ops@example.com>\"]\nsmtp_url = \"smtp://mail.example.com?tls=required\"";
    assert!(accept(&alerts(good)).alerts.smtp_url.is_some());
}

fn load(
    file: &str,
    environment: &[(&str, &str)],
    flags: &[(&str, &str)],
) -> Result<Settings, ConfigError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("oncepay.toml");
    std::fs::write(&path, file).unwrap();
    let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    };
    let sources = Sources {
        file: Some(path),
        environment: pairs(environment).into_iter().collect::<BTreeMap<_, _>>(),
        flags: pairs(flags),
        may_create: false,
    };
    Settings::load(&sources).map(|loaded| loaded.settings)
}

#[test]
fn the_environment_wins_over_the_file_and_a_flag_over_both() {
    let settings = load(
        GOOD,
        &[
            ("ONCEPAY_SERVER__UI_DEADLINE", "50s"),
            ("ONCEPAY_SERVER__LISTEN", "127.0.0.1:1"),
            ("ONCEPAY_CHECKS__SCHEDULE", "[\"2m\", \"9m\"]"),
            ("ONCEPAY_CHECKS__MAX_SUBMITS", "2"),
            ("ONCEPAY_CHANNELS__SANDBOX__MERCHANT", "42"),
            ("ONCEPAY_SANDBOX__ALLOW", "true"),
            ("ONCEPAY_REVIEW__SECOND_PERSON_ABOVE__CNY", "500"),
            ("ONCEPAY_KEY", "opk_not_a_setting"),
            ("PATH", "/bin"),
        ],
        &[("server.listen", "127.0.0.1:9090")],
    )
    .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(settings.server.ui_deadline_ms, 50_000);
    assert_eq!(settings.server.listen.port(), 9090);
    assert_eq!(settings.checks.schedule_ms, [120_000, 540_000]);
    assert_eq!(settings.checks.max_submits, 2);
    assert_eq!(
        settings.channels["sandbox"].merchant, "42",
        "digits are text where text is wanted"
    );
    assert!(settings.sandbox.allow);
    assert_eq!(settings.second_person_above.len(), 1);
}

#[test]
fn an_unknown_variable_of_ours_is_refused_too() {
    let error = load(GOOD, &[("ONCEPAY_SERVER__PORT", "8080")], &[]).unwrap_err();
    assert_eq!(error.problems[0].path, "server.port");
}

#[test]
fn no_variable_turns_verification_off() {
    for switch in SWITCHES {
        let variable = format!("ONCEPAY_CHANNELS__SANDBOX__{}", switch.to_uppercase());
        for value in ["false", "true"] {
            let error = load(GOOD, &[(&variable, value)], &[]).unwrap_err();
            let path = format!("channels.sandbox.{switch}");
            assert_eq!(error.problems.len(), 1, "{error}");
            assert_eq!(error.problems[0].path, path);
            assert!(error.to_string().contains("unknown key"), "{error}");
        }
    }
}

#[test]
fn a_processor_s_secret_is_changed_with_the_old_one_beside_the_new() {
    let line = "secret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"";
    let old = "previous_secret = \"whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4\"";
    let text = with(line, &format!("{line}\n{old}"));
    let settings = load(&text, &[], &[]).unwrap_or_else(|error| panic!("{error}"));
    let ChannelKind::Http {
        previous_secret: Some(previous),
        ..
    } = &settings.channels["sandbox"].kind
    else {
        panic!("it has no previous secret");
    };
    assert!(previous.expose_secret().ends_with("YTk4"));
    let short = with(
        line,
        &format!("{line}\nprevious_secret = \"whsec_c2hvcnQ=\""),
    );
    let refused = load(&short, &[], &[]).unwrap_err();
    assert_eq!(refused.problems[0].path, "channels.sandbox.previous_secret");
}

#[test]
fn secrets_may_live_in_files_and_variables() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4\n").unwrap();
    let text = with(
        "\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"",
        &format!("{{ file = {file:?} }}"),
    )
    .replace(
        "\"opk_merchant_0123456789abcdef0123456789abcdef\"",
        "{ env = \"SHOP_KEY\" }",
    );
    let key = "opk_merchant_fedcba9876543210fedcba9876543210";
    let settings = load(&text, &[("SHOP_KEY", key)], &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(settings.keys[0].key.expose_secret(), key);
    let ChannelKind::Http { secret, .. } = &settings.channels["sandbox"].kind else {
        panic!("it is of another kind");
    };
    assert!(secret.expose_secret().ends_with("YTk4"));
    let missing = load(&text, &[], &[]).unwrap_err();
    assert_eq!(missing.problems[0].path, "keys[0].key");
    assert!(missing.to_string().contains("SHOP_KEY"));
}
