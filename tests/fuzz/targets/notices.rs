//! Callbacks: any headers and bytes are judged without a panic, what is accepted was signed with a key of ours, and
//! what was signed is refused as soon as one byte of it is another.

use super::bytes::Bytes;
use super::keys::{FOREIGN, PREVIOUS, SECRET, notice_text, one_byte_off, signature};
use super::wording::body;
use oncepay::channels::http::{HttpChannel, HttpChannelSettings};
use oncepay::channels::{Channel, Notice, RawNotice, Rejection, RejectionRule};
use oncepay::clock::SystemClock;
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{Answer, ChargeStatus, RefundAnswer};
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const NOW_S: i64 = 1_796_032_812;
const SIGNATURES_MAX: usize = 16;

static CHANNEL: LazyLock<HttpChannel> = LazyLock::new(|| {
    let settings = HttpChannelSettings {
        name: "till".to_owned(),
        base_url: "http://127.0.0.1:1".to_owned(),
        secret: SecretString::from(SECRET),
        previous_secret: Some(SecretString::from(PREVIOUS)),
        live: None,
        merchant: None,
        amount_max: None,
    };
    HttpChannel::new(settings, SystemClock::start()).unwrap()
});

/// A callback as it would arrive.
#[derive(Debug, Clone)]
struct Sent {
    id: String,
    timestamp: String,
    signatures: String,
    body: Vec<u8>,
}

impl Sent {
    fn judged(&self) -> Result<Notice, Rejection> {
        let headers = [
            ("webhook-id", &self.id),
            ("webhook-timestamp", &self.timestamp),
            ("webhook-signature", &self.signatures),
        ];
        let headers: BTreeMap<String, String> = headers
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .into();
        let notice = RawNotice {
            headers: &headers,
            query: "",
            body: &self.body,
        };
        let judged = CHANNEL.verify(&notice, UnixMillis(NOW_S * 1_000));
        assert_eq!(
            judged,
            CHANNEL.verify(&notice, UnixMillis(NOW_S * 1_000 + 1))
        );
        judged
    }

    fn is_ours(&self) -> bool {
        let text = notice_text(&self.id, &self.timestamp, &self.body);
        let ours = [signature(SECRET, &text), signature(PREVIOUS, &text)];
        let mut given = self.signatures.split(' ').take(SIGNATURES_MAX);
        given.any(|given| ours.iter().any(|ours| ours == given))
    }

    fn is_fresh(&self) -> bool {
        let digits = self.timestamp.bytes().all(|byte| byte.is_ascii_digit());
        let at: Option<i64> = self.timestamp.parse().ok().filter(|_| digits);
        at.is_some_and(|at| at.abs_diff(NOW_S) <= 300)
    }
}

pub(crate) fn hold(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    match bytes.below(3) {
        0 => judge(&arbitrary(&mut bytes)),
        _ => signed(&mut bytes),
    }
}

/// Nothing but chance signs it.
fn arbitrary(bytes: &mut Bytes<'_>) -> Sent {
    Sent {
        id: bytes.text(40),
        timestamp: if bytes.flag() {
            NOW_S.to_string()
        } else {
            bytes.text(20)
        },
        signatures: bytes.text(200),
        body: bytes.rest().to_vec(),
    }
}

fn judge(sent: &Sent) {
    match sent.judged() {
        Ok(notice) => {
            assert!(sent.is_ours() && sent.is_fresh(), "accepted: {sent:?}");
            examine(sent, &notice);
        }
        Err(rejection) if rejection.rule == RejectionRule::Malformed => {
            assert!(
                sent.is_ours() && sent.is_fresh(),
                "read before it was verified: {sent:?}"
            );
        }
        Err(rejection) => {
            let whole = !sent.id.is_empty() && !sent.signatures.is_empty();
            let refused = !whole || !sent.is_fresh() || !sent.is_ours();
            assert!(refused, "refused by {:?}: {sent:?}", rejection.rule);
            let told = format!("{rejection:?}");
            assert!(!told.contains(SECRET) && !told.contains(PREVIOUS));
        }
    }
}

fn signed(bytes: &mut Bytes<'_>) {
    let id = format!("msg_{}", bytes.byte());
    let off = *bytes.pick(&[0, -300, 300, 1, -299]);
    let timestamp = (NOW_S + off).to_string();
    let secret = *bytes.pick(&[SECRET, PREVIOUS]);
    let (place, by, what) = (bytes.below(4_096), bytes.byte(), bytes.below(4));
    let others = usize::from(bytes.byte() % 15);
    let body = body(bytes);
    let own = signature(secret, &notice_text(&id, &timestamp, &body));
    let foreign = signature(FOREIGN, &notice_text(&id, &timestamp, &body));
    let mut signatures = vec![foreign.clone(); others];
    signatures.push(own);
    let sent = Sent {
        id,
        timestamp,
        signatures: signatures.join(" "),
        body,
    };
    judge(&sent);
    if let Some(forged) = forged(&sent, what, place, by) {
        let rule = forged.judged().err().map(|rejection| rejection.rule);
        let early = rule.is_some_and(|rule| rule < RejectionRule::OtherMerchant);
        assert!(early, "one byte off, and {rule:?}: {forged:?}");
        judge(&forged);
    }
    let foreign = Sent {
        signatures: foreign,
        ..sent
    };
    assert!(foreign.judged().is_err(), "another's key");
}

/// The same callback with one byte of it changed, if it is a callback then.
fn forged(sent: &Sent, what: usize, place: usize, by: u8) -> Option<Sent> {
    let mut forged = sent.clone();
    let text = |text: &str| {
        let other = one_byte_off(text.as_bytes(), place, by)?;
        String::from_utf8(other).ok()
    };
    match what {
        0 => forged.body = one_byte_off(&sent.body, place, by)?,
        1 => forged.id = text(&sent.id)?,
        2 => forged.timestamp = text(&sent.timestamp)?,
        // Only of the signature that is ours: the others are as good as none.
        _ => {
            let own = sent.signatures.split(' ').next_back()?;
            forged.signatures = text(own)?;
        }
    }
    Some(forged)
}

/// What is told stands in the body, and can be looked up and kept.
fn examine(sent: &Sent, notice: &Notice) {
    let body: serde_json::Value = serde_json::from_slice(&sent.body).unwrap();
    let data = &body["data"];
    let plain = |text: &str| !text.is_empty() && !text.chars().any(char::is_control);
    match notice {
        Notice::Charge {
            key,
            order_no,
            answer,
            ..
        } => {
            assert_eq!(body["type"], "charge.updated");
            assert_eq!(*key, sent.id);
            assert!(plain(order_no) && data["order_no"] == *order_no);
            let Answer::Charge(statement) = answer else {
                panic!("no statement: {answer:?}");
            };
            assert_eq!(statement.order_no, *order_no);
            assert_eq!(
                statement.idempotency_key.as_deref(),
                data["idempotency_key"].as_str()
            );
            let money = statement.money.unwrap();
            assert_eq!(data["amount"], money.amount);
            assert_eq!(data["currency"], money.currency.as_str());
            let paid = statement.status == ChargeStatus::Paid;
            assert_eq!(paid, data["status"] == "PAID");
            assert!(statement.trade_no.as_deref().is_some_and(plain));
        }
        Notice::Refund { order_no, news, .. } => {
            assert_eq!(body["type"], "refund.updated");
            assert!(plain(order_no) && plain(&news.refund_no));
            if let RefundAnswer::Succeeded(statement) = &news.answer {
                assert_eq!(data["status"], "SUCCEEDED");
                assert_eq!(data["amount"].as_i64(), statement.amount);
                assert!(statement.amount.is_some_and(|amount| amount >= 1));
                let key = format!("pay:order:{order_no}");
                assert_eq!(data["idempotency_key"], key, "another order's refund");
            }
        }
        Notice::Unrelated { .. } => {
            assert!(body["type"] != "charge.updated" && body["type"] != "refund.updated");
        }
        Notice::OfTrade { .. } | Notice::RefundBounced(_) | Notice::Dispute { .. } => {
            panic!("the protocol has none such: {notice:?}")
        }
    }
}
