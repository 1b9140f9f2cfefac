//! Replies of the gateway: `{"<method>_response": {…}, "sign": "…"}`, where the signature is over the raw bytes of the
//! object, from its `{` to its `}`.

use super::codes;
use super::keys::Keys;
use crate::channels::client::Silence;
use crate::channels::words::printable;
use serde::Deserialize;
use serde::de::{Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Errors of the gateway itself come under this name, whatever was asked.
const ERROR: &str = "error_response";
const SIGN: &str = "sign";
const CERTIFICATE: &str = "alipay_cert_sn";

/// What a verified reply says. Fields that are not listed are left alone; they may hold names of the payer.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Body {
    pub(super) code: String,
    pub(super) sub_code: Option<String>,
    pub(super) out_trade_no: Option<String>,
    pub(super) trade_no: Option<String>,
    pub(super) trade_status: Option<String>,
    pub(super) total_amount: Option<String>,
    pub(super) send_pay_date: Option<String>,
    pub(super) qr_code: Option<String>,
    pub(super) fund_change: Option<String>,
    /// All that was ever refunded of the trade.
    pub(super) refund_fee: Option<String>,
    pub(super) out_request_no: Option<String>,
    pub(super) refund_status: Option<String>,
    /// Of the one refund that was asked about.
    pub(super) refund_amount: Option<String>,
    pub(super) bill_download_url: Option<String>,
    /// Of a payment for one use: it is paid and not used up.
    pub(super) active: Option<Flag>,
    pub(super) amount: Option<String>,
    pub(super) resource_id: Option<String>,
}

/// Yes or no, written as one or as a text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Flag {
    Is(bool),
    Says(String),
}

impl Flag {
    pub(super) fn says(&self) -> Option<bool> {
        match self {
            Self::Is(flag) => Some(*flag),
            Self::Says(text) => text.parse().ok(),
        }
    }
}

impl Body {
    /// Whether the gateway accepted the call; what came of it stands in other fields.
    pub(super) fn is_accepted(&self) -> bool {
        self.code == codes::ACCEPTED
    }

    /// For people: the codes alone.
    pub(super) fn summary(&self) -> String {
        match self.sub_code.as_deref() {
            Some(sub_code) => printable(&format!("code {} {sub_code}", self.code)),
            None => printable(&format!("code {}", self.code)),
        }
    }

    /// The signature binds no reply to its request: one that names another order answers another question.
    pub(super) fn names_other(&self, order_no: &str) -> bool {
        filled(self.out_trade_no.as_ref()).is_some_and(|number| number != order_no)
    }
}

/// What a field holds; Alipay leaves out what is not there, or leaves it empty.
pub(super) fn filled(field: Option<&String>) -> Option<&str> {
    field.map(String::as_str).filter(|text| !text.is_empty())
}

/// Reads the reply to this method, if it is Alipay's own word.
pub(super) fn read(keys: &Keys, method: &str, body: &[u8]) -> Result<Body, Silence> {
    let Members(members) =
        serde_json::from_slice(body).map_err(|error| Silence::unreadable(error_text(&error)))?;
    let member = |name: &str| members.iter().find(|(it, _)| it == name);
    let expected = format!("{}_response", method.replace('.', "_"));
    let (content, of_gateway) = match (member(&expected), member(ERROR)) {
        (Some((_, content)), None) => (content, false),
        (None, Some((_, content))) => (content, true),
        (Some(_), Some(_)) | (None, None) => {
            return Err(Silence::unreadable(format!("not one {expected}")));
        }
    };
    let text = |name| member(name).and_then(|(_, value)| serde_json::from_str(value.get()).ok());
    let (certificate, sign): (Option<String>, Option<String>) = (text(CERTIFICATE), text(SIGN));
    let raw = content.get();
    let verified = sign.map(|sign| keys.verifies(certificate.as_deref(), raw.as_bytes(), &sign));
    let verified = verified.transpose().map_err(Silence::unreadable)?;
    let body: Result<Body, _> = serde_json::from_str(raw);
    match (verified, body) {
        (Some(true), Ok(body)) if of_gateway && !codes::is_of_gateway(&body.code) => Err(
            Silence::unreadable(format!("{} as an {ERROR}", body.summary())),
        ),
        (Some(true), Ok(body)) => Ok(body),
        (Some(true), Err(error)) => Err(Silence::unreadable(error_text(&error))),
        // What it says decides nothing, but helps whoever looks for a wrong setting.
        (None, Ok(body)) => Err(Silence::unreadable(format!("unsigned, {}", body.summary()))),
        (None, Err(_)) => Err(Silence::unreadable("unsigned")),
        (Some(false), _) => Err(Silence::unreadable("wrong signature")),
    }
}

fn error_text(error: &serde_json::Error) -> String {
    format!(
        "not a reply of the gateway (line {}, column {})",
        error.line(),
        error.column()
    )
}

/// The members of an object as they stand in the text. One that is there twice could be read in two ways.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members: Vec<(String, &'de RawValue)> = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
            if members.iter().any(|(known, _)| *known == name) {
                return Err(A::Error::custom("a member is there twice"));
            }
            members.push((name, value));
        }
        Ok(Members(members))
    }
}
