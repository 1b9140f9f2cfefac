//! The vectors: signatures that the gateway's documentation prints, or that its plugin for PHP made.

use super::{call, open, settings};
use crate::doubles::tokenpay::{API_TOKEN, Gateway, signed};
use oncepay::channels::tokenpay::TokenpaySettings;
use oncepay::channels::{Notice, RawNotice, Rejection, RejectionRule};
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{Answer, Hint, Hinted};
use secrecy::SecretString;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use tokio::io::AsyncReadExt;

const NOTICES: &str = include_str!("../vectors/tokenpay/tokenpay_notify.json");
const REQUESTS: &str = include_str!("../vectors/tokenpay/tokenpay_request_sign.json");

fn text<'a>(vector: &'a Value, pointer: &str) -> &'a str {
    vector
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The channel verifies the vector, opened with its token and for its currency.
fn verify(vector: &Value) -> Result<Notice, Rejection> {
    let body = text(vector, "/http/body");
    let fields: Value = serde_json::from_str(body).unwrap();
    let settings = TokenpaySettings {
        api_token: SecretString::from(text(vector, "/api_token")),
        token_currency: text(&fields, "/Currency").to_owned(),
        ..settings()
    };
    let channel = open("http://127.0.0.1:1", settings).unwrap();
    let notice = RawNotice {
        headers: &BTreeMap::new(),
        query: "",
        body: body.as_bytes(),
    };
    channel.verify(&notice, UnixMillis(0))
}

#[test]
fn every_notice_of_the_vectors_is_judged_as_they_say() {
    let vectors: Vec<Value> = serde_json::from_str(NOTICES).unwrap();
    assert!(vectors.len() >= 8);
    for vector in &vectors {
        let name = text(vector, "/name");
        let verified = verify(vector);
        match text(vector, "/expect/result") {
            "accept" => {
                let Ok(Notice::Charge {
                    key,
                    status,
                    order_no,
                    answer,
                }) = verified
                else {
                    panic!("{name}: {verified:?}");
                };
                let fields: Value = serde_json::from_str(text(vector, "/http/body")).unwrap();
                assert_eq!(
                    (key.as_str(), status.as_str()),
                    (text(&fields, "/Id"), "Paid")
                );
                assert_eq!(order_no, text(&fields, "/OutOrderId"));
                // A hint: the gateway is asked before anything is paid.
                let hint = Hint {
                    says: Hinted::Paid,
                    reference: key,
                };
                assert_eq!(answer, Answer::Hint(hint), "{name}");
            }
            "accept_signature" => {
                let Ok(Notice::Charge {
                    answer: Answer::Hint(hint),
                    ..
                }) = verified
                else {
                    panic!("{name}: {verified:?}");
                };
                assert_eq!(
                    (text(vector, "/expect/state"), hint.says),
                    ("CLOSED", Hinted::Over)
                );
            }
            "reject" | "reject_or_accept" => {
                let rejection = verified.unwrap_err();
                assert_eq!(rejection.rule, RejectionRule::Signature, "{name}");
                let signed = rejection.signed_text.unwrap();
                assert_eq!(signed, text(vector, "/canonical"), "{name}");
                assert!(!rejection.explanation.contains('\n'));
            }
            other => panic!("{name}: {other}"),
        }
    }
}

#[actix_web::test]
async fn a_query_is_signed_as_the_documentation_prints_it() {
    let vectors: Vec<Value> = serde_json::from_str(REQUESTS).unwrap();
    let vector = vectors
        .iter()
        .find(|it| text(it, "/name") == "query_doc_example")
        .unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let settings = TokenpaySettings {
        api_token: SecretString::from(text(vector, "/api_token")),
        ..settings()
    };
    let channel = open(&format!("http://{address}"), settings).unwrap();
    let mut about = call("3001");
    about.channel_ref = text(vector, "/canonical")
        .strip_prefix("Id=")
        .map(str::to_owned);
    let (_, line) = tokio::join!(channel.query(&about), first_line(&listener));
    assert_eq!(line, format!("GET {} HTTP/1.1", text(vector, "/path")));
}

async fn first_line(listener: &tokio::net::TcpListener) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut bytes = [0; 4096];
    let length = stream.read(&mut bytes).await.unwrap();
    let head = String::from_utf8_lossy(&bytes[..length]).into_owned();
    head.lines().next().unwrap_or_default().to_owned()
}

/// The double signs in a way of its own; held against what another program signed, it is a counterpart.
#[actix_web::test]
async fn the_double_signs_as_the_gateway_does_and_takes_our_signature() {
    let vectors: Vec<Value> = serde_json::from_str(NOTICES).unwrap();
    let signed_by_others = vectors
        .iter()
        .filter(|it| text(it, "/api_token") == API_TOKEN)
        .filter(|it| text(it, "/expect/result").starts_with("accept"));
    for vector in signed_by_others {
        let body: BTreeMap<String, Box<RawValue>> =
            serde_json::from_str(text(vector, "/http/body")).unwrap();
        let fields: Vec<_> = body
            .iter()
            .filter(|(name, _)| *name != "Signature")
            .map(|(name, value)| (name.clone(), value.get().to_owned()))
            .collect();
        let ours = String::from_utf8(signed(&fields)).unwrap();
        assert!(
            ours.contains(text(vector, "/md5")),
            "{}",
            text(vector, "/name")
        );
    }
    let gateway = Gateway::start();
    let channel = open(&gateway.base_url(), settings()).unwrap();
    channel.submit(&call("3002")).await;
    assert_eq!(gateway.orders("3002").len(), 1);
}
