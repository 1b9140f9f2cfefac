//! Free text leaves the house without card numbers, secrets and people.

use oncepay::mail::scrub;
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
#[case("paid 1999 CNY at 2026-07-26 10:15")]
#[case("trade 2026072622001476851234567890")]
#[case("card 4111111111111112 fails Luhn")]
#[case("ord_01981f2c7d4e7a6f8b9c0d1e2f3a4b5c")]
#[case("HTTP 503, attempt 3 of 4")]
fn what_is_harmless_stays(#[case] text: &str) {
    assert_eq!(scrub(text, &[]), text);
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
