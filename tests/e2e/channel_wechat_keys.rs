//! WeChat Pay's keys: those that do not fit, those that are not loaded, and what the command line says of them.

use crate::channel_wechat::{TIMES, pending, section, stage, tell};
use crate::support::doubles::wechat::seal::{self, Signer};
use crate::support::doubles::wechat::{WechatDouble, keys};
use crate::support::{Processor, Shop, Stage};
use oncepay::clock::SystemClock;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

fn oncepay(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_oncepay"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it runs")
}

fn said(output: &Output) -> String {
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn config_check_names_a_key_that_does_not_fit() {
    let gateway = WechatDouble::start(SystemClock::start(), keys::PUBLIC_KEY_ID).await;
    let good = section(&gateway);
    let folder = tempfile::tempdir().expect("a folder");
    let check = |text: &str| {
        let file = folder.path().join("oncepay.toml");
        std::fs::write(file, text).expect("it is written");
        oncepay(folder.path(), &["config", "check"])
    };
    let end = check(&good);
    assert!(end.status.success(), "{}", said(&end));
    for (from, to, key) in [
        (
            keys::PLATFORM_PUBLIC_KEY,
            keys::MERCHANT_PUBLIC_KEY,
            "public_key",
        ),
        (
            keys::MERCHANT_KEY,
            keys::PLATFORM_PUBLIC_KEY,
            "merchant_private_key",
        ),
        (keys::APIV3_KEY, "too short", "apiv3_key"),
        (keys::MERCHANT_SERIAL, "no serial", "merchant_serial"),
    ] {
        let end = check(&good.replace(from, to));
        let words = said(&end);
        assert_eq!(end.status.code(), Some(1), "{words}");
        assert!(words.contains(&format!("channels.wechat.{key}")), "{words}");
        assert!(!words.contains("MII"), "{words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn callback_verify_says_in_one_line_why_a_notice_is_rejected() {
    let gateway = WechatDouble::start(SystemClock::start(), keys::PUBLIC_KEY_ID).await;
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("it is written");
    };
    write("oncepay.toml", &section(&gateway));
    let vectors = include_str!("../channels/vectors/wechat/notify.json");
    let vectors: Vec<Value> = serde_json::from_str(vectors).expect("vectors");
    let mut rejected = 0;
    for vector in vectors {
        let headers = vector["http"]["headers"].as_object().expect("headers");
        let lines = headers.iter().map(|(name, value)| {
            let value = value.as_str().unwrap_or_default();
            format!("{name}: {value}\n")
        });
        write("headers", &lines.collect::<String>());
        write("body", vector["http"]["body"].as_str().unwrap_or_default());
        let arguments = [
            "--json",
            "callback",
            "verify",
            "--channel",
            "wechat",
            "--headers",
            "headers",
            "--body",
            "body",
            "--at",
            "1796032812",
        ];
        let end = oncepay(folder.path(), &arguments);
        let told: Value =
            serde_json::from_slice(&end.stdout).unwrap_or_else(|_| panic!("{}", said(&end)));
        let expected = match vector["expect"]["reason"].as_str() {
            Some("signature") => "signature",
            Some("timestamp_skew") => "timestamp",
            Some("unknown_serial") => "unknown_key",
            Some("missing_header") => "missing_header",
            Some("aead") => "malformed",
            // The configuration has the public key alone.
            _ if vector["name"] == "valid_platform_cert_mode" => "unknown_key",
            _ => {
                assert_eq!(told["accepted"], true, "{told}");
                continue;
            }
        };
        rejected += 1;
        assert_eq!(
            (&told["accepted"], &told["rule"]),
            (&json!(false), &json!(expected)),
            "{told}"
        );
        assert_eq!(end.status.code(), Some(1));
        let explanation = told["explanation"].as_str().expect("words");
        assert!(
            !explanation.is_empty() && !explanation.contains('\n'),
            "{explanation}"
        );
        if expected == "unknown_key" {
            let serial = headers["Wechatpay-Serial"].as_str().expect("a serial");
            assert!(explanation.contains(serial), "{explanation}");
        }
        assert!(!told.to_string().contains(keys::APIV3_KEY));
    }
    assert_eq!(rejected, 9);
}

/// As while a merchant moves from certificates to the public key, and one of WeChat Pay's keys is not loaded yet.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_not_loaded_is_told_once_and_counts_as_soon_as_it_is() {
    let gateway = WechatDouble::start(SystemClock::start(), keys::PUBLIC_KEY_ID).await;
    let processor = Processor::start().await;
    let quiet = Stage {
        pending_schedule: r#"["10m"]"#,
        ..stage(section(&gateway) + TIMES)
    };
    let mut shop = Shop::open(&processor, quiet).await;
    let by_new_key = pending(&shop, "WX-KEYS-1").await;
    let by_old_key = pending(&shop, "WX-KEYS-2").await;
    drop(gateway.pay("WX-KEYS-1"));
    let paid = gateway.inside().book.transaction("WX-KEYS-1");
    let body = seal::notice("EV-KEYS", "TRANSACTION.SUCCESS", &paid);
    let signed = |signer, serial: &str| {
        let now = SystemClock::start().wall().0.div_euclid(1000);
        seal::signed(signer, serial, now, &body)
    };

    for _ in 0..3 {
        let headers = signed(Signer::SecondKey, keys::SECOND_SERIAL);
        let answer = shop.notify("wechat", &headers, body.clone()).await;
        assert_eq!(answer.status, 401, "{:?}", answer.body);
    }
    let order = shop.get(&by_new_key).await;
    assert_eq!(
        (&order["status"], &order["callback_count"]),
        (&json!("PENDING"), &json!(0))
    );
    let alerts = shop.alerts().await;
    let kinds: Vec<_> = alerts.iter().map(|it| it["kind"].clone()).collect();
    assert_eq!(kinds, [json!("unknown_key")]);

    shop.crash();
    let certificate = format!(
        "platform_certs = [\"\"\"{}\"\"\"]\n",
        keys::SECOND_CERTIFICATE
    );
    shop.reconfigure(|text| text.replacen("public_key_id", &(certificate + "public_key_id"), 1));
    shop.start_again().await;
    let headers = signed(Signer::SecondKey, keys::PUBLIC_KEY_ID);
    let answer = shop.notify("wechat", &headers, body.clone()).await;
    assert_eq!(answer.status, 401, "one key under the other's name");
    assert_eq!(shop.get(&by_new_key).await["status"], "PENDING");
    let headers = signed(Signer::SecondKey, keys::SECOND_SERIAL);
    let answer = shop.notify("wechat", &headers, body.clone()).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    assert_eq!(shop.get(&by_new_key).await["status"], "PAID");
    let told = gateway.pay("WX-KEYS-2");
    assert_eq!(tell(&shop, &told).await.status, 200);
    assert_eq!(shop.get(&by_old_key).await["status"], "PAID");
    assert_eq!(shop.alerts().await.len(), 1);
}
