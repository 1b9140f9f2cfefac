//! Commands that need neither a server nor a database, as typed at a shell.

use crate::support::GOOD;
use assert_cmd::Command;
use std::path::Path;

/// The program in a folder of its own, with nothing of this shell's settings.
pub(crate) fn oncepay(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("oncepay").unwrap();
    command.current_dir(folder).env_clear();
    command
}

fn output(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn folder_with(config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("oncepay.toml"), config).unwrap();
    folder
}

#[test]
fn usage_is_told_from_failure_by_the_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(output(oncepay(folder.path()).arg("--help")).0, Some(0));
    assert_eq!(output(oncepay(folder.path()).arg("--version")).0, Some(0));
    assert_eq!(output(oncepay(folder.path()).arg("chargeback")).0, Some(2));
    assert_eq!(
        output(oncepay(folder.path()).args(["orders", "review", "o-1"])).0,
        Some(2)
    );
    let (code, _, error) = output(oncepay(folder.path()).args(["orders", "list"]));
    assert_eq!(code, Some(1));
    assert!(error.contains("there is no database"), "{error}");
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        0,
        "looking makes nothing"
    );
}

#[test]
fn a_configuration_is_checked_without_starting_anything() {
    let folder = folder_with(GOOD);
    let (code, shown, _) = output(oncepay(folder.path()).args(["config", "check"]));
    assert_eq!(code, Some(0));
    assert!(shown.contains("sandbox (no real money)"), "{shown}");
    std::fs::write(
        folder.path().join("bad.toml"),
        GOOD.replace("\"120s\"", "\"20s\""),
    )
    .unwrap();
    for args in [
        ["--config", "bad.toml", "config", "check"],
        ["config", "check", "--config", "bad.toml"],
    ] {
        let (code, _, error) = output(oncepay(folder.path()).args(args));
        assert_eq!(code, Some(1));
        assert!(error.contains("channels.sandbox.read_timeout"), "{error}");
    }
}

#[test]
fn serve_refuses_a_bad_configuration_before_it_does_anything() {
    let folder = folder_with(&GOOD.replace("ui_deadline", "ui_dedline"));
    for args in [&["serve"][..], &[]] {
        let (code, _, error) = output(oncepay(folder.path()).args(args));
        assert_eq!(code, Some(1));
        assert!(error.contains("server.ui_dedline: unknown key"), "{error}");
    }
    assert!(!folder.path().join("data").exists());
}

#[test]
fn nginx_waits_longer_than_the_user_does() {
    let folder = folder_with(&GOOD.replace("\"60s\"", "\"90s\""));
    let (code, site, _) = output(oncepay(folder.path()).args(["init", "nginx"]));
    assert_eq!(code, Some(0));
    assert!(site.contains("proxy_read_timeout    120s;"), "{site}");
    assert!(
        site.contains("proxy_next_upstream   off;"),
        "a create must never be repeated by nginx"
    );
    assert!(!site.contains('@'), "nothing is left to fill in: {site}");
    assert_eq!(site.matches('{').count(), site.matches('}').count());
}

#[test]
fn units_and_containers_run_what_was_checked() {
    let folder = folder_with(GOOD);
    let (_, unit, _) = output(oncepay(folder.path()).args(["init", "systemd"]));
    assert!(
        unit.contains("ExecStart=/usr/local/bin/oncepay serve --config"),
        "{unit}"
    );
    assert!(unit.contains("KillSignal=SIGTERM"));
    let (_, compose, _) = output(oncepay(folder.path()).args(["init", "compose"]));
    assert!(compose.contains("127.0.0.1:8080:8080"), "{compose}");
    assert!(!compose.contains('@'), "{compose}");
}

#[test]
fn a_test_mail_takes_the_way_of_alerts() {
    let folder = folder_with(GOOD);
    let (code, told, _) = output(oncepay(folder.path()).args(["alerts", "test"]));
    assert_eq!(code, Some(0));
    assert!(told.contains("data/mail"), "{told}");
    assert_eq!(
        std::fs::read_dir(folder.path().join("data/mail"))
            .unwrap()
            .count(),
        1
    );
    let away = format!(
        "{GOOD}\n[alerts]\nfrom = \"a@example.com\"\nto = [\"b@example.com\"]\nsmtp_url = \"smtp://127.0.0.1:1\"\n"
    );
    let folder = folder_with(&away);
    assert_eq!(
        output(oncepay(folder.path()).args(["alerts", "test"])).0,
        Some(1)
    );
}
