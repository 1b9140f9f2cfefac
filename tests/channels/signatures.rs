//! A reply in which any bit was changed is never believed.

use crate::raw::RawServer;
use crate::support::{SECRET, call, channel, meaning};
use oncepay::channels::Channel;
use oncepay::channels::http::sign::{self, Stamped};
use oncepay::channels::signing::SigningKey;
use proptest::prelude::*;
use secrecy::SecretString;

const BODY: &[u8] = br#"{"trade_no":"T1","order_no":"1","idempotency_key":"pay:order:1","amount":1999,"currency":"CNY","status":"PAID"}"#;

fn key() -> SigningKey {
    SigningKey::parse(&SecretString::from(SECRET)).unwrap()
}

/// What a verifier is given: everything that a bit could be flipped in.
#[derive(Debug, Clone)]
struct Received {
    id: Vec<u8>,
    timestamp: Vec<u8>,
    request_id: Vec<u8>,
    status: Vec<u8>,
    body: Vec<u8>,
    signature: Vec<u8>,
}

impl Received {
    fn right() -> Self {
        let head = Stamped {
            id: "msg_2",
            timestamp: "1796032812",
        };
        let signature = key().sign(&sign::reply_text(head, "msg_1", "200", BODY));
        Self {
            id: head.id.into(),
            timestamp: head.timestamp.into(),
            request_id: b"msg_1".to_vec(),
            status: b"200".to_vec(),
            body: BODY.to_vec(),
            signature: signature.into_bytes(),
        }
    }

    fn is_believed(&self) -> bool {
        let texts = [
            &self.id,
            &self.timestamp,
            &self.request_id,
            &self.status,
            &self.signature,
        ]
        .map(|bytes| std::str::from_utf8(bytes));
        let [
            Ok(id),
            Ok(timestamp),
            Ok(request_id),
            Ok(status),
            Ok(signature),
        ] = texts
        else {
            return false;
        };
        let head = Stamped { id, timestamp };
        key().verifies(
            &sign::reply_text(head, request_id, status, &self.body),
            signature,
        )
    }

    fn parts(&mut self) -> [&mut Vec<u8>; 6] {
        [
            &mut self.id,
            &mut self.timestamp,
            &mut self.request_id,
            &mut self.status,
            &mut self.body,
            &mut self.signature,
        ]
    }
}

#[test]
fn every_single_bit_counts() {
    assert!(Received::right().is_believed());
    for part in 0..6 {
        let bits = Received::right().parts()[part].len() * 8;
        for bit in 0..bits {
            let mut received = Received::right();
            received.parts()[part][bit / 8] ^= 1 << (bit % 8);
            assert!(!received.is_believed(), "part {part}, bit {bit}");
        }
    }
}

proptest! {
    #[test]
    fn no_change_of_the_body_is_believed(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assume!(body != BODY);
        let mut received = Received::right();
        received.body = body;
        prop_assert!(!received.is_believed());
    }

    #[test]
    fn no_text_is_a_signature(signature in ".{0,100}") {
        let mut received = Received::right();
        received.signature = signature.into_bytes();
        prop_assert!(!received.is_believed());
    }

    #[test]
    fn what_is_signed_is_verified(body in proptest::collection::vec(any::<u8>(), 0..200), id in "[a-z0-9_]{1,40}") {
        let head = Stamped { id: &id, timestamp: "1" };
        let text = sign::notice_text(head, &body);
        prop_assert!(key().verifies(&text, &key().sign(&text)));
    }
}

/// A reply that was right for another request, or is from long ago, says nothing about this one.
#[actix_web::test]
async fn a_recorded_reply_is_not_believed() {
    let now = oncepay::clock::SystemClock::start().wall();
    let timestamp = oncepay::channels::signing::timestamp(now);
    let head = Stamped {
        id: "msg_2",
        timestamp: &timestamp,
    };
    let signature = key().sign(&sign::reply_text(head, "msg_other", "200", BODY));
    let reply = format!(
        "HTTP/1.1 200 OK\r\nwebhook-id: msg_2\r\nwebhook-timestamp: {timestamp}\r\nwebhook-signature: {signature}\r\ncontent-length: {}\r\n\r\n{}",
        BODY.len(),
        String::from_utf8_lossy(BODY)
    );
    let server = RawServer::answering(reply.into_bytes());
    let answer = channel(&server.base).submit(&call("1", "a")).await;
    assert_eq!(meaning(&answer), "unknown: unreadable_reply");
    assert!(
        answer.summary().contains("wrong signature"),
        "{}",
        answer.summary()
    );
}
