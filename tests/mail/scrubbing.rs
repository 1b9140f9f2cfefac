//! Free text leaves the house without card numbers, secrets and people.

use oncepay::scrub::{is_clean, scrub};
use rstest::rstest;

#[rstest]
#[case("card 4111111111111111 declined", "card [card number] declined")]
#[case("card 4111-1111-1111-1111, ok", "card [card number], ok")]
#[case("card 4111 1111 1111 1111 123", "card [card number] 123")]
#[case("on 2026 4111 1111 1111 1111", "on 2026 [card number]")]
#[case("378282246310005", "[card number]")]
#[case("key opk_merchant_abc, gone", "key opk_[secret], gone")]
#[case("whsec_MDEy==", "whsec_[secret]")]
#[case("Authorization: Bearer abc.def", "Authorization: Bearer [secret]")]
#[case("ask zhang.san@example.com.", "ask z***@example.com.")]
#[case("call 13812345678 now", "call 138****5678 now")]
#[case("call +44 20 7946 0958", "call +442****0958")]
#[case("付款人 13812345678，已付", "付款人 138****5678，已付")]
fn what_must_not_leave_is_masked(#[case] text: &str, #[case] masked: &str) {
    assert_eq!(scrub(text, &[]), masked);
}

#[rstest]
#[case("4222222222222", "[card number]")]
#[case("6222021234567890128", "[card number]")]
#[case("4111  1111  1111  1111", "[card number]")]
#[case("4111.1111.1111.1111", "[card number]")]
#[case("pan=4111+1111+1111+1111&x=1", "pan=[card number]&x=1")]
#[case("pan=%204111%201111%201111%201111", "pan=%20[card number]")]
#[case("\"a\\n4111111111111111\"", "\"a\\n[card number]\"")]
#[case("PAN4111111111111111", "PAN[card number]")]
#[case("card_4111111111111111", "card_[card number]")]
#[case("４１１１１１１１１１１１１１１１", "[card number]")]
#[case("卡号4111–1111–1111–1111。", "卡号[card number]。")]
#[case("3782 822463 10005", "[card number]")]
fn a_card_is_found_however_it_is_written(#[case] text: &str, #[case] masked: &str) {
    assert_eq!(scrub(text, &[]), masked);
}

#[rstest]
#[case("138 1234 5678")]
#[case("138-1234-5678")]
#[case("138.1234.5678")]
#[case("+86 138-1234-5678")]
#[case("86 13812345678")]
#[case("008613812345678")]
#[case("+1 (415) 555-2671")]
#[case("+44 (0)20 7946 0958")]
#[case("tel=%2B8613812345678")]
#[case("＋8613812345678")]
fn a_telephone_is_found_however_it_is_written(#[case] phone: &str) {
    let scrubbed = scrub(&format!("call {phone}, now"), &[]);
    assert!(scrubbed.contains("****"), "{scrubbed}");
    assert!(scrubbed.ends_with(", now"), "{scrubbed}");
    for part in ["1234", "7946", "555"] {
        assert!(!scrubbed.contains(part), "{scrubbed}");
    }
}

#[rstest]
#[case("sk_live_51HabcDEF", "sk_live_[secret]")]
#[case("sk_test_51HabcDEF;", "sk_test_[secret];")]
#[case("<b>sk_live_51HabcDEF</b>", "<b>sk_live_[secret]")]
#[case("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS_", "whsec_[secret]")]
#[case("opk_merchant_0123456789abcdef… is old", "opk_[secret] is old")]
#[case(
    "authorization: bearer abcdefghijklmnop",
    "authorization: bearer [secret]"
)]
#[case("Basic b3BzOmh1bnRlcjI=", "Basic [secret]")]
#[case("v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=", "v1,[secret]")]
#[case(
    "t=1,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
    "t=1,v1=[secret]"
)]
#[case(
    "key K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDNqHqpI4 is old",
    "key [secret] is old"
)]
#[case(
    "5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
    "[secret]"
)]
#[case(
    "smtps://ops:hunter2@mail.example.com:465",
    "smtps://[secret]@mail.example.com:465"
)]
#[case("password=hunter2&x", "password=[secret]&x")]
#[case(
    "-----BEGIN RSA PRIVATE KEY-----\\nMIIEow\n-----END RSA PRIVATE KEY----- there",
    "[private key] there"
)]
#[case("-----BEGIN PRIVATE KEY-----\nMIIEow", "[private key]")]
#[case("13812345678@qq.com", "1***@qq.com")]
#[case("zhang.san%40example.com", "z***%40example.com")]
#[case("ops@例子.cn", "o***@例子.cn")]
fn a_secret_is_found_by_what_stands_before_it_or_by_its_look(
    #[case] text: &str,
    #[case] masked: &str,
) {
    assert_eq!(scrub(text, &[]), masked);
}

#[rstest]
#[case("paid 1999 CNY at 2026-07-26 10:15")]
#[case("trade 2026072622001476851234567890")]
#[case("card 4111111111111112 fails Luhn")]
#[case("ord_01981f2c7d4e7a6f8b9c0d1e2f3a4b5c")]
#[case("HTTP 503, attempt 3 of 4")]
#[case("since 1796049602446 ms, 1796049602 s")]
#[case("2026-07-26T10:15:30.123456Z 2026-07-26 2026-07-27 2026-07-28")]
#[case("Sun, 26 Jul 2026 10:15:30 +0800")]
#[case("550e8400-e29b-41d4-a716-446655440000")]
#[case("12345678-1234-4234-8234-123456789012")]
#[case("19.99 CNY of 500000000 CNY, 9007199254740991 at most")]
#[case("0000000000000000 and 1111111111111111")]
#[case("sha256:5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd")]
#[case("10.0.0.1:5432, 192.168.100.200, ::1, fe80::1")]
#[case("/usr/share/oncepay/Version2/templates/mails/alerts/Digest17.html")]
#[case("oncepay::actors::supervisor::deaths::DeathsOfOneActorWithinAMinute2")]
#[case("allowed is whsec_ and the key, or opk_<role>_<secret>, as in Bearer opk_…")]
#[case("must begin with opk_merchant_ and 32 characters")]
#[case("https://shop.example.com/@ops, a@b, @")]
#[case("msg_01981f2c7d4e7a6f8b9c0d1e2f3a4b5c late-trd_01a2bcd7d4e7a6f8b9c0d1e2f3a4b5cd")]
#[case("")]
fn what_is_harmless_stays(#[case] text: &str) {
    assert_eq!(scrub(text, &[]), text);
    assert!(is_clean(text));
}

/// What a mask leaves is looked at together with what stands beside it.
#[rstest]
#[case("a@4111111111111111.com", "a***@[card number].com")]
#[case("13800138000 111111110", "138****[card number]")]
fn what_was_scrubbed_is_not_scrubbed_further(#[case] text: &str, #[case] scrubbed: &str) {
    assert_eq!(scrub(text, &[]), scrubbed);
    assert_eq!(scrub(scrubbed, &[]), scrubbed);
}

#[test]
fn an_order_number_that_looks_like_a_card_is_still_an_order_number() {
    let number = "20260726000017";
    assert_eq!(scrub(number, &[]), "[card number]", "it passes Luhn");
    let text = format!("order {number} waits");
    assert_eq!(scrub(&text, &[number]), text);
    let key = format!("pay:order:{number}");
    assert_eq!(scrub(&format!("key {key}"), &[&key]), format!("key {key}"));
}

#[test]
fn a_short_identifier_cannot_hide_a_part_of_a_card() {
    let scrubbed = scrub("card 4111 1111 1111 1111", &["1111", "4"]);
    assert_eq!(scrubbed, "card [card number]");
}

#[test]
fn a_kept_number_is_not_taken_for_the_half_of_a_card() {
    // Together the two are eighteen digits that pass Luhn.
    let text = "order 20260726000017 1008 times";
    assert_eq!(scrub(text, &[]), "order [card number] times");
    assert_eq!(scrub(text, &["20260726000017"]), text);
}

#[test]
fn accounts_and_order_numbers_that_look_like_people_are_kept() {
    let text = "account zhang.san@example.com, order 13812345678, paid by li@example.com";
    let kept = scrub(text, &["zhang.san@example.com", "13812345678"]);
    assert_eq!(
        kept,
        "account zhang.san@example.com, order 13812345678, paid by l***@example.com"
    );
}
