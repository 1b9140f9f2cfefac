//! The shop's own channel: the payer transfers money by hand, with a reference, and the bank tells when it has come.

use super::bank::{Bank, Transfer};
use oncepay::Channel;
use oncepay::channels::{
    Acknowledge, AcknowledgementBody, Admission, Call, ChargeCall, FieldRefusal, Notice, RawNotice,
    Rejection, RejectionRule, signing,
};
use oncepay::domain::order::{Answer, ChargeStatus, Fingerprint, NextAction, Statement};
use oncepay::domain::schedule::Capabilities;
use oncepay::domain::{Currency, Money, UnixMillis};
use serde::Deserialize;

pub(crate) struct BankTransfer {
    bank: Bank,
}

impl BankTransfer {
    pub(crate) const NAME: &'static str = "bank";

    pub(crate) const fn new(bank: Bank) -> Self {
        Self { bank }
    }
}

impl Channel for BankTransfer {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn account(&self) -> Fingerprint {
        Fingerprint {
            channel: Self::NAME.to_owned(),
            merchant: "DE02120300000000202051".to_owned(),
            live: false,
        }
    }

    /// What the bank promises. The runtime asks for nothing that is not promised here.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            one_charge_per_key: true,
            resubmits: true,
            key_life_ms: None,
            closes: true,
            refunds: false,
            own_expiry: false,
            asynchronous: false,
            repeats_action: false,
            settles_within_ms: 0,
        }
    }

    fn default_method(&self) -> &str {
        "transfer"
    }

    fn admits(&self, order: &Admission<'_>) -> Result<(), FieldRefusal> {
        if order.money.currency.as_str() != "EUR" {
            return Err(FieldRefusal {
                field: "currency",
                message: "must be EUR: the account is in euros".to_owned(),
            });
        }
        Ok(())
    }

    fn submit<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(async {
            let transfer = self
                .bank
                .expect(&call.idempotency_key, &call.order_no, call.money);
            statement(transfer)
        })
    }

    fn query<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(async {
            let transfer = self.bank.look_up(&call.idempotency_key);
            transfer.map_or(Answer::NotFound, statement)
        })
    }

    fn close<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(async {
            let transfer = self.bank.withdraw(&call.idempotency_key);
            transfer.map_or(Answer::NotFound, statement)
        })
    }

    /// Over the bytes that arrived: nothing in the body is believed before its signature is.
    fn verify(&self, notice: &RawNotice<'_>, now: UnixMillis) -> Result<Notice, Rejection> {
        let header = |name: &str| {
            let value = notice.headers.get(name).map(String::as_str);
            value.ok_or_else(|| reject(RejectionRule::MissingHeader, name))
        };
        let timestamp = header("bank-timestamp")?;
        if !signing::is_fresh(timestamp, now) {
            return Err(reject(RejectionRule::Timestamp, timestamp));
        }
        let signature = header("bank-signature")?;
        if !self.bank.has_signed(timestamp, notice.body, signature) {
            return Err(reject(RejectionRule::Signature, "bank-signature"));
        }
        let note: Note = serde_json::from_slice(notice.body)
            .map_err(|error| reject(RejectionRule::Malformed, &error.to_string()))?;
        Ok(Notice::Charge {
            key: note.reference.clone(),
            status: "paid".to_owned(),
            order_no: note.order_no.clone(),
            answer: statement(Transfer {
                reference: note.reference,
                order_no: note.order_no,
                money: Money::new(note.amount, note.currency),
                paid: true,
                withdrawn: false,
            }),
        })
    }

    fn acknowledgement(&self, received: Acknowledge) -> AcknowledgementBody {
        let body = match received {
            Acknowledge::Received => "thank you",
            Acknowledge::SendAgain => "again, please",
        };
        AcknowledgementBody {
            content_type: "text/plain",
            body: body.to_owned(),
        }
    }
}

#[derive(Deserialize)]
struct Note {
    reference: String,
    order_no: String,
    amount: i64,
    currency: Currency,
}

/// What the bank's word about a transfer means for its order.
fn statement(transfer: Transfer) -> Answer {
    let status = if transfer.paid {
        ChargeStatus::Paid
    } else if transfer.withdrawn {
        ChargeStatus::Closed
    } else {
        ChargeStatus::Pending {
            next_action: Some(NextAction {
                kind: "app_params".to_owned(),
                value: transfer.reference.clone(),
            }),
        }
    };
    Answer::Charge(Statement {
        status,
        order_no: transfer.order_no,
        idempotency_key: None,
        merchant: None,
        money: Some(transfer.money),
        reference: None,
        summary: format!("transfer {}", transfer.reference),
        trade_no: Some(transfer.reference),
    })
}

fn reject(rule: RejectionRule, explanation: &str) -> Rejection {
    Rejection {
        rule,
        explanation: explanation.to_owned(),
        key_id: None,
        signed_text: None,
    }
}
