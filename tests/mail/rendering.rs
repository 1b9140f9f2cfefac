//! What a mail says.

use crate::support::{item, render};

#[test]
fn a_mail_about_one_order_names_everything_that_a_person_needs() {
    let mut alert = item(7);
    alert.message = "The amount differs: 1 instead of 100 CNY.".to_owned();
    alert.kind = "payment_mismatch".to_owned();
    let mail = render(&[alert]);
    assert_eq!(
        mail.subject,
        "[oncepay] Action needed: payment_mismatch: order no-7"
    );
    for body in [&mail.text, &mail.html] {
        for part in [
            "no-7",
            "ord_7",
            "pay:order:no-7",
            "sandbox",
            "T7",
            "1 instead of 100 CNY",
            "Compare with the channel",
            "https://shop.example.com/v1/orders/ord_7",
            "oncepay orders show no-7",
        ] {
            assert!(body.contains(part), "`{part}` is missing: {body}");
        }
    }
}

#[test]
fn a_storm_is_one_mail_with_a_count_and_a_bounded_list() {
    let mut storm: Vec<_> = (0..500).map(item).collect();
    storm[3].kind = "slow_success".to_owned();
    storm[3].severity = "info".to_owned();
    let mail = render(&storm);
    assert_eq!(
        mail.subject,
        "[oncepay] Action needed: 500 alerts (499 order_manual, 1 slow_success)"
    );
    assert!(
        mail.text
            .contains("and 400 more: https://shop.example.com/v1/alerts?status=open")
    );
    assert_eq!(mail.text.matches("What to do:").count(), 100);
    assert!(
        !mail.text.contains("slow_success: order"),
        "what needs nobody stands last"
    );
}

#[test]
fn notes_alone_ask_for_nothing() {
    let mut note = item(1);
    note.kind = "slow_success".to_owned();
    note.severity = "info".to_owned();
    assert_eq!(
        render(&[note]).subject,
        "[oncepay] Note: slow_success: order no-1"
    );
}

#[test]
fn what_is_resolved_before_it_was_mailed_says_so() {
    let mut alert = item(1);
    alert.resolved = true;
    let mail = render(&[alert]);
    assert!(
        mail.subject.starts_with("[oncepay] Note"),
        "{}",
        mail.subject
    );
    assert!(mail.text.contains("resolved already"));
}

#[test]
fn an_alert_about_a_channel_points_at_the_alerts() {
    let mut alert = item(1);
    (
        alert.order_id,
        alert.order_no,
        alert.idempotency_key,
        alert.channel_trade_no,
    ) = (None, None, None, None);
    alert.kind = "channel_down".to_owned();
    let mail = render(&[alert]);
    assert!(
        mail.subject.ends_with("channel_down: channel sandbox"),
        "{}",
        mail.subject
    );
    assert!(mail.text.contains("https://shop.example.com/v1/alerts"));
}

#[test]
fn free_text_is_escaped_and_scrubbed_and_a_subject_is_one_line() {
    let mut alert = item(1);
    alert.message =
        "<script>alert(1)</script> card 4111 1111 1111 1111 of payer@example.com".to_owned();
    alert.order_no = Some("no\r\nBcc: everyone@example.com".to_owned());
    let mail = render(&[alert]);
    assert!(!mail.html.contains("<script>"));
    assert!(!mail.subject.contains(['\r', '\n']));
    for body in [&mail.text, &mail.html] {
        assert!(!body.contains("4111") && !body.contains("payer@"), "{body}");
    }
}
