//! The mail of each day: what it says, once a day, whatever happens to the process and the mail server.

use crate::notifier::{NOBODY, Office, message_id};
use crate::support::{AfterMail, MailServer};
use oncepay::clock::Clock;
use oncepay::domain::UnixMillis;
use oncepay::mail::daily::{Case, Failing, Report, Standing, Sum};
use oncepay::mail::render_daily;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

fn rendered(report: &Report) -> oncepay::mail::Mail {
    let public_url = "https://shop.example.com";
    render_daily(report, public_url, "<mail_1@example.com>", UnixMillis(0))
}

fn sum(channel: &str, currency: &str, count: i64, amount: i64) -> Sum {
    Sum {
        channel: channel.to_owned(),
        currency: currency.to_owned(),
        count,
        amount,
    }
}

fn case(n: i64, refund_no: Option<&str>) -> Case {
    Case {
        order_id: format!("ord_{n}"),
        order_no: format!("no-{n}"),
        refund_no: refund_no.map(str::to_owned),
        since: UnixMillis(n * DAY_MS),
    }
}

#[test]
fn a_day_is_told_with_its_money_and_what_stands_open() {
    let now = UnixMillis(9 * DAY_MS + HOUR_MS);
    let mail = rendered(&Report {
        day: "1970-01-09".to_owned(),
        paid: vec![sum("acme", "CNY", 12, 23_988), sum("acme", "JPY", 1, 80)],
        refunded: vec![sum("acme", "CNY", 1, 500)],
        second_payments: vec![sum("acme", "CNY", 2, 3_998)],
        manual_orders: Standing::of((1..=9).map(|n| case(n, None)).collect(), now),
        manual_refunds: Standing::of(vec![case(8, Some("r-1"))], now),
        unknown: Standing::of(vec![case(9, None)], now),
        deliveries: Failing {
            retried: 3,
            given_up: 4,
        },
        grants: Failing {
            retried: 0,
            given_up: 5,
        },
        audit_head: "7:abcd".to_owned(),
    });
    assert_eq!(
        mail.subject,
        "[oncepay] 1970-01-09: 13 orders paid, 10 cases wait for a person"
    );
    for part in [
        "acme: 12, 239.88 CNY",
        "acme: 1, 80 JPY",
        "acme: 1, 5.00 CNY",
        "acme: 2, 39.98 CNY",
        "1 for less than a day, 2 for one to three days, 6 for longer",
        "order no-5, since 1970-01-06T00:00:00.000Z",
        "oncepay orders show no-1",
        "https://shop.example.com/v1/orders/ord_1",
        "refund r-1 of order no-8",
        "https://shop.example.com/v1/orders/ord_8/refunds/r-1",
        "order no-9, since 1970-01-10T00:00:00.000Z",
        "3 have failed three times or more",
        "4 were given up",
        "5 were given up",
        "oncepay audit verify --head 7:abcd",
    ] {
        for body in [&mail.text, &mail.html] {
            assert!(body.contains(part), "`{part}` is missing: {body}");
        }
    }
    assert!(!mail.text.contains("no-6"), "the oldest five are enough");
}

#[test]
fn a_quiet_day_says_so_and_html_is_escaped() {
    let quiet = rendered(&Report {
        day: "1970-01-09".to_owned(),
        paid: vec![sum("<b>acme", "CNY", 1, 1)],
        ..Report::default()
    });
    assert_eq!(
        quiet.subject,
        "[oncepay] 1970-01-09: 1 order paid, nothing waits for a person"
    );
    assert_eq!(
        quiet.text.matches("\n  none\n").count(),
        7,
        "{}",
        quiet.text
    );
    assert!(quiet.html.contains("&lt;b&gt;acme: 1, 0.01 CNY"));
}

/// The office at this hour of this day since 1970.
fn at(office: &Office, day: i64, hour: i64) {
    office.pass(day * DAY_MS + hour * HOUR_MS - office.clock.wall().0);
}

#[tokio::test]
async fn a_day_is_mailed_once_at_its_hour() {
    let office = Office::open().await;
    let server = MailServer::start(AfterMail::Stay);
    let mut rounds = office.rounds(&server.url, 0);
    rounds.run().await;
    assert_eq!(
        server.mail_that_came(),
        None,
        "the first start owes nothing"
    );
    at(&office, 0, 8);
    office.pass(-1);
    rounds.run().await;
    assert_eq!(server.mail_that_came(), None, "not before its hour");
    office.pass(1);
    rounds.run().await;
    let mail = server.next_mail();
    assert!(mail.contains("1969-12-31: 0 orders paid"), "{mail}");
    // Neither again on this day, nor after a restart.
    at(&office, 0, 23);
    rounds.run().await;
    office.rounds(&server.url, 0).run().await;
    assert_eq!(server.mail_that_came(), None);
    at(&office, 1, 9);
    rounds.run().await;
    assert!(server.next_mail().contains("1970-01-01: 0 orders paid"));
    assert_eq!(server.mail_that_came(), None);
}

#[tokio::test]
async fn days_whose_hour_passed_while_nothing_ran_are_made_up_for() {
    let office = Office::open().await;
    let server = MailServer::start(AfterMail::Stay);
    office.rounds(&server.url, 0).run().await;
    at(&office, 2, 7);
    let mut restarted = office.rounds(&server.url, 0);
    restarted.run().await;
    for day in ["1969-12-31", "1970-01-01"] {
        let mail = server.next_mail();
        assert!(mail.contains(&format!("{day}: 0 orders")), "{day}: {mail}");
    }
    assert_eq!(server.mail_that_came(), None);
    // A week is made up for, not a year.
    at(&office, 400, 12);
    restarted.run().await;
    for _ in 0..7 {
        server.next_mail();
    }
    restarted.run().await;
    assert_eq!(server.mail_that_came(), None);
}

#[tokio::test]
async fn a_daily_mail_that_failed_goes_again_after_a_restart_under_the_same_message_id() {
    let office = Office::open().await;
    office.rounds(NOBODY, 0).run().await;
    at(&office, 0, 8);
    office.rounds(NOBODY, 0).run().await;
    let due = oncepay::store::daily::due(&office.database.read, UnixMillis(i64::MAX))
        .await
        .unwrap();
    assert_eq!(due.len(), 1);
    assert_eq!(due[0].attempts, 1, "claimed before it was sent");
    let server = MailServer::start(AfterMail::Stay);
    let mut restarted = office.rounds(&server.url, 0);
    restarted.run().await;
    assert_eq!(server.mail_that_came(), None, "not before its time");
    office.pass(30_000);
    restarted.run().await;
    assert!(message_id(&server.next_mail()).contains(&due[0].message_id));
    office.pass(DAY_MS / 2);
    restarted.run().await;
    assert_eq!(server.mail_that_came(), None);
}
