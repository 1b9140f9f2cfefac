//! The merchant's bank, as far as the shop sees it. In earnest this is another company's HTTP API.

use oncepay::channels::signing::{self, SigningKey};
use oncepay::clock::SystemClock;
use oncepay::domain::Money;
use secrecy::SecretString;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A transfer that the bank expects, under the payer's reference.
#[derive(Debug, Clone)]
pub(crate) struct Transfer {
    pub(crate) reference: String,
    pub(crate) order_no: String,
    pub(crate) money: Money,
    pub(crate) paid: bool,
    pub(crate) withdrawn: bool,
}

/// What the bank posts to the shop when a transfer has come.
pub(crate) struct Note {
    pub(crate) headers: [(&'static str, String); 2],
    pub(crate) body: String,
}

/// Clones are one bank; it lives on when the shop is restarted.
#[derive(Clone)]
pub(crate) struct Bank {
    transfers: Arc<Mutex<BTreeMap<String, Transfer>>>,
    key: SigningKey,
}

impl Bank {
    pub(crate) fn open(secret: &str) -> Self {
        let secret = SecretString::from(secret.to_owned());
        Self {
            transfers: Arc::default(),
            key: SigningKey::parse(&secret).expect("the secret has its form"),
        }
    }

    /// Expects a transfer. The same key is the same transfer, whatever else is asked.
    pub(crate) fn expect(&self, key: &str, order_no: &str, money: Money) -> Transfer {
        let mut transfers = self.transfers.lock().expect("unpoisoned");
        let reference = format!("RF{:06}", transfers.len() + 1);
        let expected = transfers.entry(key.to_owned()).or_insert(Transfer {
            reference,
            order_no: order_no.to_owned(),
            money,
            paid: false,
            withdrawn: false,
        });
        expected.clone()
    }

    pub(crate) fn look_up(&self, key: &str) -> Option<Transfer> {
        self.transfers.lock().expect("unpoisoned").get(key).cloned()
    }

    /// Expects it no longer, unless it has come.
    pub(crate) fn withdraw(&self, key: &str) -> Option<Transfer> {
        let mut transfers = self.transfers.lock().expect("unpoisoned");
        let transfer = transfers.get_mut(key)?;
        transfer.withdrawn = !transfer.paid;
        Some(transfer.clone())
    }

    /// How many transfers it was ever asked to expect.
    pub(crate) fn expected(&self) -> usize {
        self.transfers.lock().expect("unpoisoned").len()
    }

    /// The payer's money comes in; the note is what the shop is told.
    pub(crate) fn receive(&self, reference: &str) -> Note {
        let mut transfers = self.transfers.lock().expect("unpoisoned");
        let transfer = transfers
            .values_mut()
            .find(|transfer| transfer.reference == reference)
            .expect("a transfer with this reference is expected");
        transfer.paid = true;
        let body = json!({
            "reference": transfer.reference,
            "order_no": transfer.order_no,
            "amount": transfer.money.amount,
            "currency": transfer.money.currency,
        })
        .to_string();
        let timestamp = signing::timestamp(SystemClock::start().wall());
        let signature = self
            .key
            .sign(&[timestamp.as_bytes(), b".", body.as_bytes()]);
        let headers = [("bank-timestamp", timestamp), ("bank-signature", signature)];
        Note { headers, body }
    }

    pub(crate) fn has_signed(&self, timestamp: &str, body: &[u8], signature: &str) -> bool {
        self.key
            .verifies(&[timestamp.as_bytes(), b".", body], signature)
    }
}
