//! Orders of the gateway: made, asked about, paid in full or in part, expired.

use super::{NOTIFY_URL, call, call_about, channel, cny, doubt, open, settings, statement, status};
use crate::doubles::tokenpay::{Asked, Fault, Gateway, TOKEN};
use oncepay::channels::tokenpay::{TokenpaySettings, WhenExpired};
use oncepay::channels::{Admission, CallKind, ChargeCall};
use oncepay::clock::SystemClock;
use oncepay::domain::order::{Answer, ChargeStatus, NextAction, Reason};
use oncepay::domain::{Currency, Money};

#[actix_web::test]
async fn an_order_is_made_with_a_pay_page_and_the_gateway_s_own_id() {
    let gateway = Gateway::start();
    let mut asked = call("1001");
    asked.return_url = Some("https://shop.example/back?order=1001".to_owned());

    let answer = channel(&gateway).submit(&asked).await;

    let made = statement(&answer);
    let kept = gateway.order("1001");
    let page = format!("{}/Pay?Id={}", gateway.base_url(), kept.id);
    let next_action = Some(NextAction {
        kind: "redirect".to_owned(),
        value: page,
    });
    assert_eq!(made.status, ChargeStatus::Pending { next_action });
    assert_eq!(made.reference.as_deref(), Some(kept.id.as_str()));
    assert_eq!(
        (made.order_no.as_str(), made.money),
        ("1001", Some(cny(2000)))
    );
    assert_eq!((&made.trade_no, &made.merchant), (&None, &None));
    assert_eq!(
        (kept.actual_amount.as_str(), kept.currency.as_str()),
        ("20.00", TOKEN)
    );
    assert_eq!(
        (kept.user_key.as_str(), kept.notify_url.as_str()),
        ("1001", NOTIFY_URL)
    );
}

#[actix_web::test]
async fn a_payer_has_an_address_of_their_own() {
    let gateway = Gateway::start();
    let mut asked = call("1002");
    asked.payer = Some("user-42".to_owned());
    channel(&gateway).submit(&asked).await;
    assert_eq!(gateway.order("1002").user_key, "user-42");
}

#[actix_web::test]
async fn a_repeated_create_is_the_same_order_with_its_first_amount() {
    let gateway = Gateway::start();
    let channel = channel(&gateway);
    let first = channel.submit(&call("1003")).await;
    let mut dearer = call("1003");
    dearer.money = cny(9900);
    let again = channel.submit(&dearer).await;
    assert_eq!(statement(&first).reference, statement(&again).reference);
    // The domain compares it with the order.
    assert_eq!(statement(&again).money, Some(cny(2000)));
}

#[actix_web::test]
async fn after_a_lost_answer_the_same_order_comes_back() {
    let gateway = Gateway::start();
    let channel = channel(&gateway);
    gateway.misbehave(Asked::CreateOrder, Fault::DropsAfter);
    let lost = channel.submit(&call("1004")).await;
    assert_eq!(doubt(&lost), Reason::ChannelUnavailable);
    // Nobody was shown where to pay: nothing is charged, and there is no id to ask by.
    let now = SystemClock::start().wall();
    let mut about = call("1004");
    about.first_submit_at = Some(now.plus(-9 * 60_000));
    assert_eq!(channel.query(&about).await, Answer::NotFound);
    // By now the gateway may have forgotten it, and we a page that a payer has.
    about.first_submit_at = Some(now.plus(-10 * 60_000));
    let lost = channel.query(&about).await;
    assert_eq!(doubt(&lost), Reason::UnreadableReply);
    assert_eq!(gateway.calls(), (1, 0));
    let again = channel.submit(&call("1004")).await;
    assert_eq!(statement(&again).reference, Some(gateway.order("1004").id));
}

#[actix_web::test]
async fn the_gateway_s_currency_is_told_as_it_is() {
    let gateway = Gateway::start();
    gateway.set_base_currency("USD");
    let answer = channel(&gateway).submit(&call("1005")).await;
    let usd = Money::new(2000, Currency::parse("USD").unwrap());
    assert_eq!(statement(&answer).money, Some(usd));
}

#[actix_web::test]
async fn nothing_but_a_web_address_is_a_pay_page() {
    let gateway = Gateway::start();
    for host in ["javascript:alert(1)//", "pay.example.com"] {
        gateway.set_pay_host(host);
        let answer = channel(&gateway).submit(&call("1006")).await;
        assert_eq!(doubt(&answer), Reason::UnreadableReply, "{host}");
    }
}

#[actix_web::test]
async fn each_status_of_an_order_has_its_meaning() {
    let gateway = Gateway::start();
    let channel = channel(&gateway);
    channel.submit(&call("1010")).await;
    let about = call_about(&gateway, "1010");

    let pending = channel.query(&about).await;
    assert_eq!(
        status(&pending),
        &ChargeStatus::Pending { next_action: None }
    );
    assert_eq!(statement(&pending).money, Some(cny(2000)));

    gateway.expire("1010");
    assert_eq!(status(&channel.query(&about).await), &ChargeStatus::Closed);

    gateway.pay("1010");
    let answer = channel.query(&about).await;
    let paid = statement(&answer);
    assert_eq!(
        (&paid.status, paid.money),
        (&ChargeStatus::Paid, Some(cny(2000)))
    );
    assert_eq!(paid.trade_no, gateway.order("1010").transfer);
    assert_eq!(paid.reference, about.channel_ref);

    gateway.edit("1010", |order| order.status = "Frozen".to_owned());
    let frozen = channel.query(&about).await;
    assert_eq!(
        status(&frozen),
        &ChargeStatus::Unexplained("Frozen".to_owned())
    );
}

#[actix_web::test]
async fn an_expired_order_goes_to_a_person_where_that_is_configured() {
    let gateway = Gateway::start();
    let to_people = TokenpaySettings {
        when_expired: WhenExpired::Manual,
        ..settings()
    };
    let channel = open(&gateway.base_url(), to_people).unwrap();
    channel.submit(&call("1011")).await;
    gateway.expire("1011");
    let answer = channel.query(&call_about(&gateway, "1011")).await;
    assert!(
        matches!(status(&answer), ChargeStatus::Unexplained(_)),
        "{answer:?}"
    );
}

#[actix_web::test]
async fn less_than_was_asked_is_never_the_order_s_amount() {
    let gateway = Gateway::start();
    let channel = channel(&gateway);
    channel.submit(&call("1012")).await;
    let about = call_about(&gateway, "1012");
    // Of 2.7764: what was sent, and what of 20.00 CNY it is worth at the least.
    for (sent, worth) in [
        ("1.38", Some(990)),
        ("2.77", Some(1991)),
        ("2.78", Some(1998)),
        ("0.00", None),
    ] {
        gateway.pay_about("1012", sent);
        let answer = channel.query(&about).await;
        let said = statement(&answer);
        match worth {
            Some(worth) => {
                assert_eq!(
                    (&said.status, said.money),
                    (&ChargeStatus::Paid, Some(cny(worth))),
                    "{sent}"
                );
            }
            None => assert!(
                matches!(said.status, ChargeStatus::Unexplained(_)),
                "{said:?}"
            ),
        }
        assert!(said.summary.contains(sent), "{}", said.summary);
    }
    gateway.pay_about("1012", "2.79");
    assert_eq!(
        statement(&channel.query(&about).await).money,
        Some(cny(2000))
    );
}

#[actix_web::test]
async fn an_answer_about_another_order_or_token_is_none() {
    let gateway = Gateway::start();
    let channel = channel(&gateway);
    channel.submit(&call("1013")).await;
    let about = call_about(&gateway, "1013");
    gateway.edit("1013", |order| order.currency = "TRX".to_owned());
    assert_eq!(doubt(&channel.query(&about).await), Reason::UnreadableReply);
    let mut other = about.clone();
    other.channel_ref = Some("66f9d5a8-d9c7-0224-004f-ffffffffffff".to_owned());
    assert_eq!(doubt(&channel.query(&other).await), Reason::UnreadableReply);
}

#[actix_web::test]
async fn it_closes_nothing_and_says_what_it_admits() {
    let gateway = Gateway::start();
    let channel = channel(&gateway);
    assert_eq!(channel.close(&call("1014")).await, Answer::CannotClose);
    // What is answered without the gateway does not say whether it is up.
    let named = ChargeCall {
        channel_ref: Some("66f9d5a8-d9c7-0224-004f-ffffffffffff".to_owned()),
        ..call("1014")
    };
    for (kind, about, here) in [
        (CallKind::Submit, call("1014"), false),
        (CallKind::Query, call("1014"), true),
        (CallKind::Query, named.clone(), false),
        (CallKind::Close, named, true),
    ] {
        assert_eq!(channel.answers_here(kind, &about), here, "{kind:?}");
    }
    let can = channel.capabilities();
    assert!(!can.closes && !can.refunds && !can.own_expiry);
    let admission = Admission {
        payer: None,
        order_no: "1014",
        method: "transfer",
        money: cny(2000),
        subject: "VIP",
        expires_in_s: 60,
    };
    assert_eq!(channel.admits(&admission), Ok(()));
    let usd = Money::new(1, Currency::parse("USD").unwrap());
    let refused = [
        (
            "method",
            Admission {
                method: "qr",
                ..admission
            },
        ),
        (
            "currency",
            Admission {
                money: usd,
                ..admission
            },
        ),
        (
            "amount",
            Admission {
                money: cny(0),
                ..admission
            },
        ),
        (
            "amount",
            Admission {
                money: cny(1_000_000_000_000_000),
                ..admission
            },
        ),
    ];
    for (field, admission) in refused {
        assert_eq!(channel.admits(&admission).unwrap_err().field, field);
    }
}
