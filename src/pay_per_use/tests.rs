//! The pure parts: headers and signatures against another SDK's, and what is released for what.

use super::decide::{Asked, Misfit, agrees, judge};
use super::offer::{Offer, OfferKey, pay_before, resource_id};
use super::{PayPerUseTerms, header, offer};
use crate::channels::pay_per_use::{PaidUse, PaymentProof, Seller};
use crate::channels::rsa::RsaSigner;
use crate::domain::{Currency, Money, UnixMillis};
use crate::store::metered::{Trade, TradeKey};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use secrecy::SecretString;
use serde_json::Value;

const VECTORS: &str = include_str!("../../tests/channels/vectors/alipay/a402.json");
const APP_PRIVATE: &str =
    include_str!("../../tests/channels/vectors/alipay/keys/alipay_app.pkcs8.pem");

fn vector(name: &str) -> Value {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    vectors.into_iter().find(|it| it["name"] == name).unwrap()
}

fn yuan(amount: i64) -> Money {
    Money::new(amount, Currency::parse("CNY").unwrap())
}

fn key() -> OfferKey {
    OfferKey::of(&[7; 32]).unwrap()
}

#[test]
fn an_offer_is_signed_and_written_as_the_official_sdk_does() {
    let vector = vector("payment_needed");
    let (protocol, method) = (&vector["json"]["protocol"], &vector["json"]["method"]);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (goods, service) = (text(&method["goods_name"]), text(&method["service_id"]));
    let (seller_id, resource) = (text(&method["seller_id"]), text(&protocol["resource_id"]));
    let offer = Offer {
        number: text(&protocol["out_trade_no"]),
        price: yuan(1),
        resource: &resource,
        goods_name: &goods,
        seller_id: &seller_id,
        service_id: &service,
        pay_before: pay_before(UnixMillis(1_796_032_800_000), 30 * 60_000),
    };
    assert_eq!(offer.text(), text(&vector["canonical"]));
    let signer = RsaSigner::parse(&SecretString::from(APP_PRIVATE)).unwrap();
    let signature = signer.sign(offer.text().as_bytes()).unwrap();
    assert_eq!(signature, text(&vector["seller_signature"]));

    let seller = Seller {
        seller_id: seller_id.clone(),
        app_id: text(&method["seller_app_id"]),
    };
    let written =
        header::needed(&offer, &seller, &text(&method["seller_name"]), &signature).unwrap();
    let read: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(written).unwrap()).unwrap();
    assert_eq!(read, vector["json"]);
}

#[test]
fn a_proof_is_read_in_either_alphabet_padded_or_not() {
    for name in ["payment_proof_b64url", "payment_proof_std_b64"] {
        let vector = vector(name);
        let expected = PaymentProof {
            trade_no: vector["json"]["protocol"]["trade_no"]
                .as_str()
                .unwrap()
                .to_owned(),
            payment_proof: vector["json"]["protocol"]["payment_proof"]
                .as_str()
                .unwrap()
                .to_owned(),
            client_session: vector["json"]["method"]["client_session"]
                .as_str()
                .map(str::to_owned),
        };
        assert_eq!(
            header::proof(vector["header_value"].as_str().unwrap()),
            Some(expected)
        );
    }
    // Letters that differ between the alphabets, and padding.
    let json = r#"{"protocol":{"payment_proof":"???>>>~~~","trade_no":"20"}}"#;
    let usual = STANDARD.encode(json);
    let web = URL_SAFE_NO_PAD.encode(json);
    assert!(
        usual.contains('/') && usual.ends_with('=') && web.contains('_'),
        "{usual} {web}"
    );
    assert_eq!(header::proof(&usual), header::proof(&web));
    assert!(header::proof(&usual).is_some());
    for bad in ["", "{}", "e30", "!!!", "eyJwcm90b2NvbCI6e319"] {
        assert_eq!(header::proof(bad), None, "{bad}");
    }
    let shown = format!("{:?}", header::proof(&usual));
    assert!(!shown.contains("???"), "{shown}");
}

#[test]
fn the_number_of_an_offer_holds_its_price_and_its_resource() {
    let number = key().number(yuan(5), "/report/1");
    assert!(number.len() == 64 && number.bytes().all(|it| it.is_ascii_alphanumeric()));
    assert!(key().is_of(&number, yuan(5), "/report/1"));
    assert!(!key().is_of(&number, yuan(4), "/report/1"));
    assert!(!key().is_of(&number, yuan(5), "/report/2"));
    assert!(
        !OfferKey::of(&[8; 32])
            .unwrap()
            .is_of(&number, yuan(5), "/report/1")
    );
    for other in [
        "",
        "ORDER_1",
        number.get(..63).unwrap(),
        number.get(..32).unwrap(),
        &format!("{number}0"),
    ] {
        assert!(!key().is_of(other, yuan(5), "/report/1"), "{other}");
    }
    assert_ne!(number, key().number(yuan(5), "/report/1"));
    assert_eq!(resource_id("/r?a=1&b=2"), "/r?a%3D1%26b%3D2");
    // What is escaped already is another resource.
    assert_eq!(resource_id("/r?a%3D1%26b%3D2"), "/r?a%253D1%2526b%253D2");
    assert_eq!(offer::amount(yuan(5)), "0.05");
}

#[test]
fn it_is_released_for_what_was_offered_and_for_nothing_else() {
    let asked = |live| Asked {
        trade_no: "T1",
        resource: "/report/1",
        price: yuan(9),
        live,
    };
    let offered = key().number(yuan(5), "/report/1");
    let paid = PaidUse {
        trade_no: "T1".to_owned(),
        out_trade_no: Some(offered.clone()),
        money: Some(yuan(5)),
        resource_id: Some("/report/1".to_owned()),
    };
    // The price has gone up since the offer, which is what counts.
    assert_eq!(judge(asked(true), &paid, &key()), Ok(yuan(5)));
    let other = |change: fn(&mut PaidUse)| {
        let mut other = paid.clone();
        change(&mut other);
        other
    };
    let never_offered = |amount| Misfit::Unmatched(yuan(amount), "it is not what was offered");
    let refused = [
        (
            other(|it| it.trade_no = "T2".to_owned()),
            Misfit::Unclear("the channel answered about another trade"),
        ),
        (other(|it| it.money = Some(yuan(4))), never_offered(4)),
        (
            other(|it| it.resource_id = Some("/report/2".to_owned())),
            Misfit::Elsewhere,
        ),
        (
            other(|it| it.out_trade_no = Some("ORDER_1".to_owned())),
            never_offered(5),
        ),
    ];
    for (paid, misfit) in refused {
        for live in [true, false] {
            assert_eq!(judge(asked(live), &paid, &key()), Err(misfit), "{paid:?}");
        }
    }
    let missing = [
        other(|it| it.out_trade_no = None),
        other(|it| it.money = None),
        other(|it| it.resource_id = None),
    ];
    for paid in &missing {
        let unclear = Misfit::Unclear("the channel does not say what was paid for");
        assert_eq!(judge(asked(true), paid, &key()), Err(unclear), "{paid:?}");
    }
    // The sandbox tells neither the offer nor the resource; the amount is compared all the same.
    let sandbox = |amount| PaidUse {
        trade_no: "T1".to_owned(),
        out_trade_no: None,
        money: Some(yuan(amount)),
        resource_id: None,
    };
    assert_eq!(judge(asked(false), &sandbox(9), &key()), Ok(yuan(9)));
    let misfit = Misfit::Unmatched(yuan(1), "it is another amount");
    assert_eq!(judge(asked(false), &sandbox(1), &key()), Err(misfit));
}

#[test]
fn another_proof_of_a_trade_counts_if_it_says_the_same() {
    let trade = Trade {
        key: TradeKey {
            channel: "alipay".to_owned(),
            trade_no: "T1".to_owned(),
        },
        out_trade_no: Some("N1".to_owned()),
        resource_id: "/report/1".to_owned(),
        money: Some(yuan(5)),
        proof_digest: "d".to_owned(),
        is_unmatched: false,
        delivered_at: None,
        answer: None,
        confirm_count: 0,
    };
    let paid = PaidUse {
        trade_no: "T1".to_owned(),
        out_trade_no: Some("N1".to_owned()),
        money: Some(yuan(5)),
        resource_id: Some("/report/1".to_owned()),
    };
    assert_eq!(agrees(&trade, &paid, true), Ok(()));
    let changes: [fn(&mut PaidUse); 4] = [
        |it| it.trade_no = "T2".to_owned(),
        |it| it.out_trade_no = Some("N2".to_owned()),
        |it| it.money = Some(yuan(4)),
        |it| it.resource_id = Some("/report/2".to_owned()),
    ];
    for change in changes {
        let mut other = paid.clone();
        change(&mut other);
        for live in [true, false] {
            assert!(agrees(&trade, &other, live).is_err(), "{other:?}");
        }
    }
    // What the sandbox leaves out is not held against it.
    let silent = PaidUse {
        out_trade_no: None,
        money: None,
        resource_id: None,
        ..paid
    };
    assert_eq!(agrees(&trade, &silent, false), Ok(()));
    assert!(agrees(&trade, &silent, true).is_err());
}

#[test]
fn terms_that_cannot_be_offered_are_named() {
    let good = PayPerUseTerms::new(yuan(1), "a report", "a shop", "svc");
    assert_eq!(good.check(), Ok(()));
    let usd = Money::new(1, Currency::parse("USD").unwrap());
    let bad = [
        (
            "price",
            PayPerUseTerms {
                price: yuan(0),
                ..good.clone()
            },
        ),
        (
            "price",
            PayPerUseTerms {
                price: usd,
                ..good.clone()
            },
        ),
        (
            "goods_name",
            PayPerUseTerms {
                goods_name: "a&b=c".to_owned(),
                ..good.clone()
            },
        ),
        (
            "seller_name",
            PayPerUseTerms {
                seller_name: String::new(),
                ..good.clone()
            },
        ),
        (
            "pay_within",
            PayPerUseTerms {
                pay_within: std::time::Duration::ZERO,
                ..good.clone()
            },
        ),
    ];
    for (field, terms) in bad {
        let refusal = terms.check().unwrap_err().to_string();
        assert!(refusal.starts_with(field), "{refusal}");
    }
}
