//! The bill of a day: its balance transactions, one a line, as JSON.
//!
//! Stripe makes no file, so that this one is made of its pages. The first line says which day it is, in UTC; the last
//! one how many lines came before, and their SHA-256: a file that was cut or changed cannot be read. A line holds what
//! is compared and no more, since an expanded charge names its payer.

mod fetch;
mod line;
mod read;

pub(super) use fetch::fetch;
pub(super) use read::read;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What the first line calls itself.
const FORM: &str = "stripe balance transactions";

/// The first line. Moments are Unix seconds.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    bill: String,
    from: i64,
    to: i64,
}

/// The last line.
#[derive(Debug, Serialize, Deserialize)]
struct End {
    end: Sum,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sum {
    /// Of transactions.
    lines: u64,
    /// Of every byte before this line.
    sha256: String,
}

/// A balance transaction, on a page and on a line. Amounts are whole numbers in Stripe's units.
#[derive(Debug, Serialize, Deserialize)]
struct Transaction {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    /// What it moved in the balance, with its sign, in the currency of the balance.
    amount: i64,
    fee: i64,
    net: i64,
    currency: String,
    /// `null` where the payer's currency is that of the balance. It is never calculated with.
    exchange_rate: Option<Box<RawValue>>,
    created: i64,
    source: Option<Source>,
}

/// What it is about. Its id alone where Stripe has not expanded it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Source {
    Id(String),
    Whole(Object),
}

/// A charge or a refund, as far as it is compared; of any other object the id.
#[derive(Debug, Serialize, Deserialize)]
struct Object {
    id: String,
    #[serde(default)]
    object: String,
    amount: Option<i64>,
    amount_captured: Option<i64>,
    currency: Option<String>,
    payment_intent: Option<String>,
    charge: Option<String>,
    status: Option<String>,
    metadata: Option<Metadata>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Metadata {
    out_trade_no: Option<String>,
    out_refund_no: Option<String>,
}
