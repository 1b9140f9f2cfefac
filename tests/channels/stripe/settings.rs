//! What the channel's settings may be, and what it admits.

use super::stage::{beside, money, opening, settings, try_open};
use crate::doubles::stripe::{KEY, SECRET, StripeDouble};
use oncepay::channels::Admission;

const HOST: &str = "https://api.stripe.com";

#[test]
fn keys_that_cannot_be_right_are_refused_by_their_name_and_never_quoted() {
    let live = "sk_live_abcdefghijkl";
    for (key, is_live, secrets, part) in [
        (
            "pk_test_abcdefghijkl",
            false,
            vec![SECRET],
            "secret_key is the publishable key",
        ),
        (
            "whsec_abcdefghijkl",
            false,
            vec![SECRET],
            "secret_key must be a secret key",
        ),
        (live, false, vec![SECRET], "secret_key is a live key"),
        (KEY, true, vec![SECRET], "secret_key is a test key"),
        (
            "sk_live_abc\ndef",
            true,
            vec![SECRET],
            "secret_key holds odd characters",
        ),
        (live, true, vec![], "webhook_secrets must be one or two"),
        (
            live,
            true,
            vec![SECRET, "whsec_b", "whsec_c"],
            "webhook_secrets must be one or two",
        ),
        (
            live,
            true,
            vec![SECRET, SECRET],
            "webhook_secrets are the same one twice",
        ),
        (live, true, vec!["whsec_"], "webhook_secrets must be"),
        (live, true, vec![live], "webhook_secrets must be"),
    ] {
        let refusal = try_open(opening(HOST, false, is_live), settings(key, &secrets))
            .err()
            .map(|refusal| refusal.to_string())
            .unwrap_or_default();
        assert!(refusal.starts_with("channels.stripe."), "{refusal}");
        assert!(refusal.contains(part), "{part}: {refusal}");
        assert!(!refusal.contains("abcdefghijkl"), "{refusal}");
    }
    for (key, is_live) in [(live, true), ("rk_live_abc", true), ("rk_test_abc", false)] {
        let two = settings(key, &[SECRET, " whsec_old\n"]);
        assert!(
            try_open(opening(HOST, false, is_live), two).is_ok(),
            "{key}"
        );
    }
    let shown = format!("{:?}", settings(KEY, &[SECRET]));
    assert!(
        !shown.contains("theKey") && !shown.contains("testOnly"),
        "{shown}"
    );
}

#[test]
fn an_order_that_cannot_be_carried_names_its_field() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let fits = Admission {
        payer: None,
        order_no: "o-1",
        method: channel.default_method(),
        money: money(1999, "USD"),
        subject: "月卡",
        expires_in_s: 7200,
    };
    let field = |order: &Admission<'_>| channel.admits(order).err().map(|it| it.field);
    assert_eq!(field(&fits), None);
    let order_no = "o 1";
    assert_eq!(field(&Admission { order_no, ..fits }), Some("order_no"));
    let method = "qr";
    assert_eq!(field(&Admission { method, ..fits }), Some("method"));
    let subject = &"月".repeat(129);
    assert_eq!(field(&Admission { subject, ..fits }), Some("subject"));
    for (amount, code, refused) in [
        (0, "USD", Some("amount")),
        (1_000_001, "USD", Some("amount")),
        (5_124, "KWD", Some("amount")),
        (12_350, "MGA", Some("amount")),
        (100, "UGX", Some("currency")),
        (100, "IQD", Some("currency")),
        (80, "JPY", None),
        (5_120, "KWD", None),
        (12_300, "MGA", None),
        (500, "ISK", None),
    ] {
        let money = money(amount, code);
        assert_eq!(
            field(&Admission { money, ..fits }),
            refused,
            "{amount} {code}"
        );
    }
}
