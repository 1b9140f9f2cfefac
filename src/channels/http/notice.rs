//! Callbacks of the processor: Standard Webhooks over the raw body, then the fields.

use super::refund::RefundNotice;
use super::sign::{self, Stamped};
use super::wire::{ChargeNotice, Envelope};
use crate::channels::signing::{self, SigningKey};
use crate::channels::words::{object, printable};
use crate::channels::{Notice, RawNotice, Rejection, RejectionRule};
use crate::domain::UnixMillis;
use crate::domain::order::Answer;

/// Checks the rules in their order and reads the notice. `keys`: a notice may be signed with any of them.
pub(super) fn verify(
    keys: &[SigningKey],
    notice: &RawNotice<'_>,
    now: UnixMillis,
) -> Result<Notice, Rejection> {
    let id = header(notice, sign::ID)?;
    let timestamp = header(notice, sign::TIMESTAMP)?;
    let signatures = header(notice, sign::SIGNATURE)?;
    if !signing::is_fresh(timestamp, now) {
        return Err(reject(
            RejectionRule::Timestamp,
            format!(
                "{} is not Unix seconds within {} s of {}",
                sign::TIMESTAMP,
                signing::TOLERANCE_S,
                signing::timestamp(now)
            ),
        ));
    }
    let text = sign::notice_text(Stamped { id, timestamp }, notice.body);
    if !keys.iter().any(|key| key.verifies(&text, signatures)) {
        let mut rejection = reject(
            RejectionRule::Signature,
            format!("no signature in {} is ours", sign::SIGNATURE),
        );
        rejection.signed_text = Some(String::from_utf8_lossy(&text.concat()).into_owned());
        return Err(rejection);
    }
    read(id, notice.body)
}

/// Reads a verified body. The signature was checked over the bytes, so unknown fields and odd spacing are fine.
fn read(id: &str, body: &[u8]) -> Result<Notice, Rejection> {
    let envelope: Envelope<'_> = object(body).map_err(|error| malformed(&error))?;
    let data = envelope.data.map_or("null", |data| data.get()).as_bytes();
    match envelope.kind.as_str() {
        "charge.updated" => {
            let charge: ChargeNotice = object(data).map_err(|error| malformed(&error))?;
            if !charge.is_whole() {
                return Err(unnamed());
            }
            let status = charge.status();
            let statement = charge.into_statement();
            Ok(Notice::Charge {
                key: id.to_owned(),
                status,
                order_no: statement.order_no.clone(),
                answer: Answer::Charge(statement),
            })
        }
        "refund.updated" => {
            let refund: RefundNotice = object(data).map_err(|error| malformed(&error))?;
            if !refund.is_whole() {
                return Err(unnamed());
            }
            Ok(Notice::Refund {
                key: id.to_owned(),
                status: printable(&refund.status),
                order_no: refund.order_no.clone(),
                news: refund.into_news(),
            })
        }
        other => Ok(Notice::Unrelated {
            kind: printable(other),
        }),
    }
}

fn header<'a>(notice: &RawNotice<'a>, name: &str) -> Result<&'a str, Rejection> {
    notice
        .headers
        .get(name)
        .map(String::as_str)
        .filter(|value| !value.is_empty())
        .ok_or_else(|| reject(RejectionRule::MissingHeader, format!("{name} is missing")))
}

fn unnamed() -> Rejection {
    let explanation =
        "a number or key is empty, too long, or holds control characters, or an amount is none";
    reject(RejectionRule::Malformed, explanation.to_owned())
}

fn malformed(error: &serde_json::Error) -> Rejection {
    reject(
        RejectionRule::Malformed,
        printable(&format!("the body cannot be read: {error}")),
    )
}

fn reject(rule: RejectionRule, explanation: String) -> Rejection {
    Rejection {
        rule,
        explanation,
        key_id: None,
        signed_text: None,
    }
}
