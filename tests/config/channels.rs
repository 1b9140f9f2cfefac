//! `[channels.NAME]` of the kinds that have keys of their own: what each needs, and what is refused.

use crate::support::{GOOD, SWITCHES, accept, refuse, refused_at};
use oncepay::config::{AlipayTrust, ChannelKind};

const HTTP: &str = r#"
kind = "http"
base_url = "https://processor.example.com/v1"
secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
"#;
const ALIPAY: &str = r#"
kind = "alipay"
app_id = "2021000000000001"
app_private_key = "MIIE"
alipay_public_key = "MIIB"
"#;
const WECHAT: &str = r#"
kind = "wechat"
mchid = "1900000001"
appid = "wx0000000000000001"
merchant_private_key = "MIIE"
merchant_serial = "3775b6a45acd588826d15e583a95f5dd00000000"
apiv3_key = "0123456789abcdef0123456789abcdef"
"#;
const STRIPE: &str = r#"
kind = "stripe"
secret_key = "sk_test_0123456789"
webhook_secrets = ["whsec_0123456789"]
"#;
const TOKENPAY: &str = r#"
kind = "tokenpay"
base_url = "https://pay.example.com"
api_token = "0123456789"
"#;

/// The good configuration with this channel in place of its own, where play money may stand.
fn with_channel(section: &str) -> String {
    let (before, rest) = GOOD.split_once("[channels.sandbox]").expect("it is there");
    let (_, after) = rest.split_once("[[keys]]").expect("they are there");
    let public = before.replace(
        "public_url = \"http://127.0.0.1:8080\"",
        "public_url = \"https://shop.example.com\"",
    );
    format!("{public}[sandbox]\nallow = true\n[channels.till]{section}[[keys]]{after}")
}

fn without(section: &str, key: &str) -> String {
    let lines = section
        .lines()
        .filter(|line| !line.starts_with(&format!("{key} =")));
    let text: Vec<_> = lines.collect();
    with_channel(&format!("{}\n", text.join("\n")))
}

#[test]
fn each_kind_is_taken_with_its_keys_and_known_by_the_merchant_they_belong_to() {
    let of = |section: &str| accept(&with_channel(section)).channels["till"].clone();
    let alipay = of(ALIPAY);
    assert_eq!(alipay.merchant, "2021000000000001");
    assert_eq!(alipay.base_url, "https://openapi.alipay.com/gateway.do");
    assert!(alipay.live);
    let wechat = of(WECHAT);
    assert_eq!(wechat.merchant, "1900000001");
    let ChannelKind::Wechat(keys) = &wechat.kind else {
        panic!("{wechat:?}");
    };
    assert_eq!(
        keys.merchant_serial,
        "3775B6A45ACD588826D15E583A95F5DD00000000"
    );
    assert!(!of(STRIPE).live, "by its key");
    assert!(of(&STRIPE.replace("sk_test", "rk_live")).live);
    let tokenpay = of(TOKENPAY);
    let ChannelKind::Tokenpay(keys) = &tokenpay.kind else {
        panic!("{tokenpay:?}");
    };
    assert_eq!(keys.token_currency, "USDT_TRC20");
    assert_eq!(tokenpay.merchant, "pay.example.com");
    let port = TOKENPAY.replace("example.com", "example.com:8443/shop");
    assert_eq!(of(&port).merchant, "pay.example.com:8443");
    assert_eq!(of(&format!("{TOKENPAY}merchant = \"m\"\n")).merchant, "m");
}

#[test]
fn beside_us_a_gateway_may_be_real_a_stripe_key_says_so_and_nothing_else_is() {
    const HERE: &str = "http://127.0.0.1:9";
    let gateway = TOKENPAY.replace("https://pay.example.com", HERE);
    let warnings = |section: &str| {
        let settings = accept(&with_channel(section));
        (
            settings.channels["till"].live,
            settings.warnings().join("\n"),
        )
    };
    let (live, told) = warnings(&gateway);
    assert!(
        !live && told.contains("channels.till.live = true"),
        "{told}"
    );
    let (live, told) = warnings(&format!("{gateway}live = true\n"));
    assert!(live && !told.contains("till.live"), "{told}");

    let stripe = format!("{STRIPE}base_url = \"{HERE}\"\n");
    assert!(!warnings(&stripe).0);
    assert!(warnings(&stripe.replace("sk_test", "sk_live")).0);
    let alipay = format!("{ALIPAY}gateway = \"{HERE}\"\nlive = true\n");
    let wechat = format!("{WECHAT}base_url = \"{HERE}\"\nlive = true\n");
    for section in [alipay, wechat] {
        refused_at(&with_channel(&section), "channels.till.live", "loopback");
    }
}

#[test]
fn a_live_stripe_channel_that_names_no_account_is_warned_of() {
    let live = STRIPE.replace("sk_test", "sk_live");
    let told = |section: &str| {
        let warnings = accept(&with_channel(section)).warnings();
        let about = warnings.iter().filter(|it| it.contains("till.merchant"));
        about.count()
    };
    assert_eq!(told(&live), 1);
    assert_eq!(told(&format!("{live}merchant = \"acct_1\"\n")), 0);
    assert_eq!(told(STRIPE), 0);
}

#[test]
fn what_a_kind_cannot_do_with_is_refused() {
    let slow = format!("{STRIPE}read_timeout = \"1h\"\n");
    refused_at(&with_channel(&slow), "channels.till.read_timeout", "1h");
    for policy in ["fulfil", "refund"] {
        let late = format!("{TOKENPAY}late_success = \"{policy}\"\n");
        refused_at(&with_channel(&late), "channels.till.late_success", "manual");
    }
}

#[test]
fn what_is_missing_is_named() {
    let needed: [(&str, &[&str]); 4] = [
        (ALIPAY, &["app_id", "app_private_key", "alipay_public_key"]),
        (
            WECHAT,
            &[
                "mchid",
                "appid",
                "merchant_private_key",
                "merchant_serial",
                "apiv3_key",
            ],
        ),
        (STRIPE, &["secret_key", "webhook_secrets"]),
        (TOKENPAY, &["base_url", "api_token"]),
    ];
    for (section, keys) in needed {
        for key in keys {
            refused_at(
                &without(section, key),
                &format!("channels.till.{key}"),
                "is missing",
            );
        }
    }
}

#[test]
fn keys_of_the_test_mode_are_never_live() {
    let live = format!("{STRIPE}live = true\n");
    refused_at(&with_channel(&live), "channels.till.live", "false");
    let sandbox = format!(
        "{ALIPAY}gateway = \"https://openapi-sandbox.dl.alipaydev.com/gateway.do\"\nlive = true\n"
    );
    refused_at(&with_channel(&sandbox), "channels.till.live", "false");
    let play = format!("{}live = false\n", STRIPE.replace("sk_test", "sk_live"));
    refused_at(&with_channel(&play), "channels.till.live", "true");
}

#[test]
fn wechat_pay_has_no_test_mode() {
    for host in [
        "",
        "base_url = \"https://api2.mch.weixin.qq.com\"\n",
        "base_url = \"https://api2.wechatpay.cn\"\n",
    ] {
        let play = format!("{WECHAT}{host}live = false\n");
        refused_at(&with_channel(&play), "channels.till.live", "true");
    }
    let double = format!("{WECHAT}base_url = \"https://double.example.com\"\nlive = false\n");
    assert!(!accept(&with_channel(&double)).channels["till"].live);
}

#[test]
fn alipay_is_trusted_by_its_key_or_by_certificates_and_not_by_both() {
    let certificates = "app_cert = \"a\"\nroot_cert = \"r\"\nalipay_cert = \"c\"\n";
    let both = format!("{ALIPAY}{certificates}");
    refused_at(
        &with_channel(&both),
        "channels.till.alipay_public_key",
        "beside",
    );
    let alone = ALIPAY.replace("alipay_public_key = \"MIIB\"\n", certificates);
    let settings = accept(&with_channel(&alone));
    let ChannelKind::Alipay(keys) = &settings.channels["till"].kind else {
        panic!("it is of another kind");
    };
    assert!(matches!(
        keys.trust,
        AlipayTrust::Certificates { previous: None, .. }
    ));
    let previous = "previous_alipay_cert = \"p\"\n";
    let settings = accept(&with_channel(&format!("{alone}{previous}")));
    let ChannelKind::Alipay(keys) = &settings.channels["till"].kind else {
        panic!("it is of another kind");
    };
    assert!(matches!(
        &keys.trust,
        AlipayTrust::Certificates { previous: Some(previous), .. } if previous == "p"
    ));
    let beside = format!("{ALIPAY}{previous}");
    refused_at(
        &with_channel(&beside),
        "channels.till.alipay_public_key",
        "beside",
    );
}

#[test]
fn what_cannot_be_a_key_is_refused_and_never_quoted() {
    let wrong = [
        (STRIPE, "sk_test_0123456789", "pk_test_SECRET", "secret_key"),
        (STRIPE, "whsec_0123456789", "SECRET", "webhook_secrets"),
        (
            WECHAT,
            "0123456789abcdef0123456789abcdef",
            "SECRET",
            "apiv3_key",
        ),
    ];
    for (section, old, new, key) in wrong {
        let error = refuse(&with_channel(&section.replace(old, new)));
        assert_eq!(error.problems[0].path, format!("channels.till.{key}"));
        assert!(!error.to_string().contains("SECRET"), "{error}");
    }
    let half = format!("{WECHAT}public_key_id = \"PUB_KEY_ID_0111\"\n");
    refused_at(
        &with_channel(&half),
        "channels.till.public_key",
        "beside public_key_id",
    );
}

#[test]
fn no_kind_has_a_switch_that_turns_verification_off() {
    for section in [HTTP, ALIPAY, WECHAT, STRIPE, TOKENPAY] {
        accept(&with_channel(section));
        for key in SWITCHES {
            for value in ["false", "true"] {
                refused_at(
                    &with_channel(&format!("{section}{key} = {value}\n")),
                    &format!("channels.till.{key}"),
                    "unknown key",
                );
            }
        }
    }
}
