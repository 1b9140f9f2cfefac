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
    let args = ["--json", "--config", "bad.toml", "config", "check"];
    let (code, shown, error) = output(oncepay(folder.path()).args(args));
    assert_eq!(code, Some(1));
    assert!(error.contains("channels.sandbox.read_timeout"), "{error}");
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let refused = shown["refused"].as_array().unwrap();
    assert_eq!(refused.len(), 1, "{shown}");
    assert_eq!(refused[0]["key"], "channels.sandbox.read_timeout");
    let told = shown["error"].as_str().unwrap();
    assert!(error.contains(told), "the same, for programs: {shown}");
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
fn serve_never_starts_with_verification_switched_off() {
    let folder = folder_with(&GOOD.replace("kind = \"http\"", "kind = \"http\"\nverify = false"));
    let (code, _, error) = output(oncepay(folder.path()).arg("serve"));
    assert_eq!(code, Some(1));
    assert!(
        error.contains("channels.sandbox.verify: unknown key"),
        "{error}"
    );
    assert!(!folder.path().join("data").exists());

    let folder = folder_with(GOOD);
    let mut serve = oncepay(folder.path());
    serve.arg("serve");
    serve.env("ONCEPAY_CHANNELS__SANDBOX__VERIFY", "false");
    let (code, _, error) = output(&mut serve);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("channels.sandbox.verify: unknown key"),
        "{error}"
    );
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

#[test]
fn keys_of_channels_are_mounted_where_the_configuration_names_them() {
    let folder = folder_with(
        r#"
[server]
public_url = "https://pay.example.com"
[fulfilment]
url = "https://shop.example.com/hooks"
secrets = [{ env = "HOOKS" }]
[channels.alipay]
kind = "alipay"
app_id = "2021000000000001"
app_private_key = { file = "keys/app.pem" }
app_cert = { file = "keys/app.crt" }
root_cert = { file = "keys/root.crt" }
alipay_cert = { file = "keys/alipay.crt" }
[channels.wechat]
kind = "wechat"
mchid = "1900000001"
appid = "wx0000000000000001"
merchant_private_key = { file = "keys/merchant.pem" }
merchant_serial = "3775b6a45acd588826d15e583a95f5dd00000000"
apiv3_key = { env = "APIV3_KEY" }
platform_certs = [{ file = "keys/one.pem" }, { file = "keys/two.pem" }]
[channels.stripe]
kind = "stripe"
secret_key = { env = "STRIPE_KEY" }
webhook_secrets = [{ file = "keys/whsec" }]
"#,
    );
    let (code, compose, told) = output(oncepay(folder.path()).args(["init", "compose"]));
    assert_eq!(code, Some(0), "{told}");
    for file in [
        "app.pem",
        "app.crt",
        "root.crt",
        "alipay.crt",
        "merchant.pem",
        "one.pem",
        "two.pem",
        "whsec",
    ] {
        let mount = format!("./keys/{file}:/var/lib/oncepay/keys/{file}:ro");
        assert!(compose.contains(&mount), "{mount} in {compose}");
    }
    assert!(
        compose.contains("the configuration names APIV3_KEY, HOOKS, STRIPE_KEY"),
        "{compose}"
    );
}

#[test]
fn what_is_wrong_with_each_channel_is_told_at_once() {
    let folder = folder_with(
        r#"
[server]
public_url = "https://pay.example.com"
[channels.alipay]
kind = "alipay"
app_id = "2021000000000001"
app_private_key = "hello"
alipay_public_key = "hello"
[channels.wechat]
kind = "wechat"
mchid = "1900000001"
appid = "wx0000000000000001"
merchant_private_key = "hello"
merchant_serial = "3775b6a45acd588826d15e583a95f5dd00000000"
apiv3_key = "0123456789abcdef0123456789abcdef"
"#,
    );
    let (code, _, told) = output(oncepay(folder.path()).args(["config", "check"]));
    assert_eq!(code, Some(1), "{told}");
    for key in [
        "channels.alipay.app_private_key: ",
        "channels.wechat.merchant_private_key: ",
    ] {
        assert!(told.contains(key), "{key} in {told}");
    }
}

/// A configuration as a merchant has it: its secrets stand elsewhere, and not on this machine.
const DEPLOYED: &str = r#"
[server]
public_url = "https://pay.example.com"
listen = "0.0.0.0:443"
admin_listen = "127.0.0.1:9090"
data_dir = "/srv/oncepay"
[database]
url = { env = "DATABASE_URL" }
[channels.acme]
kind = "http"
base_url = "https://processor.example.com/v1"
secret = { env = "ACME_SECRET" }
previous_secret = { env = "ACME_OLD_SECRET" }
[channels.other]
kind = "http"
base_url = "https://other.example.com"
secret = { file = "other.secret" }
[alerts]
from = "oncepay@example.com"
to = ["ops@example.com"]
smtp_url = { env = "SMTP_URL" }
[[keys]]
name = "shop"
role = "merchant"
key = { env = "SHOP_KEY" }
"#;

#[test]
fn files_of_a_deployment_are_made_without_its_secrets() {
    let folder = folder_with(DEPLOYED);
    let made = |what: &str| {
        let (code, file, error) = output(oncepay(folder.path()).args(["init", what]));
        assert_eq!(code, Some(0), "{error}");
        assert!(!file.contains('@'), "nothing is left to fill in: {file}");
        file
    };
    let says = |file: &str, parts: &[&str]| {
        for part in parts {
            assert!(file.contains(part), "`{part}` is missing: {file}");
        }
    };
    says(
        &made("systemd"),
        &[
            "ReadWritePaths=/srv/oncepay\n",
            "AmbientCapabilities=CAP_NET_BIND_SERVICE",
        ],
    );
    let site = made("nginx");
    says(
        &site,
        &[
            "server 127.0.0.1:443;",
            "server 127.0.0.1:9090;",
            "proxy_pass http://oncepay_operations;",
        ],
    );
    assert_eq!(site.matches('{').count(), site.matches('}').count());
    says(
        &made("compose"),
        &[
            "env_file: secrets.env",
            "ACME_OLD_SECRET, ACME_SECRET, DATABASE_URL, SHOP_KEY, SMTP_URL",
            "./other.secret:/var/lib/oncepay/other.secret:ro",
            "install -d -m 0700 -o oncepay /srv/oncepay\n",
            "oncepay-data:/srv/oncepay\n",
            "/dev/tcp/127.0.0.1/9090",
            "127.0.0.1:443:443",
            "127.0.0.1:9090:9090",
        ],
    );
}

#[test]
fn a_public_address_with_a_path_is_refused_by_what_serves_at_the_root() {
    let folder = folder_with(&GOOD.replace(
        "public_url = \"http://127.0.0.1:8080\"",
        "public_url = \"http://127.0.0.1:8080/payments\"",
    ));
    for args in [&["config", "check"][..], &["init", "nginx"], &["serve"]] {
        let (code, _, error) = output(oncepay(folder.path()).args(args));
        assert_eq!(code, Some(1));
        assert!(error.contains("the path /payments"), "{error}");
    }
}

#[test]
fn a_configuration_that_nobody_can_use_is_warned_about() {
    let folder = folder_with("[server]\n");
    let (code, told, _) = output(oncepay(folder.path()).args(["config", "check"]));
    assert_eq!(code, Some(0));
    for part in ["no [[keys]]", "no [channels.NAME]"] {
        assert!(told.contains(part), "{told}");
    }
    let folder = folder_with(GOOD);
    let (_, told, _) = output(oncepay(folder.path()).args(["config", "check"]));
    assert!(!told.contains("warning"), "{told}");
}

#[test]
fn the_sandboxs_help_lists_what_scripts_it() {
    let folder = tempfile::tempdir().unwrap();
    let (code, help, _) = output(oncepay(folder.path()).args(["sandbox", "--help"]));
    assert_eq!(code, Some(0));
    assert!(help.contains("#lost-reply"), "{help}");
}

#[test]
fn reviews_offer_what_can_be_decided() {
    let folder = tempfile::tempdir().unwrap();
    let (_, help, _) = output(oncepay(folder.path()).args(["orders", "review", "--help"]));
    assert!(
        help.contains("NOT_PAID") && help.contains("REFUND"),
        "{help}"
    );
}
