//! A channel where every order is paid at once, and every refund succeeds: cash.

use oncepay::Channel;
use oncepay::channels::{
    Acknowledge, AcknowledgementBody, Admission, Call, ChargeCall, FieldRefusal, Notice, RawNotice,
    RefundCall, Rejection, RejectionRule,
};
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{
    Answer, ChargeStatus, Fingerprint, RefundAnswer, RefundStatement, Statement,
};
use oncepay::domain::schedule::Capabilities;

pub(crate) struct Till;

impl Till {
    pub(crate) const NAME: &'static str = "till";
}

fn paid(call: &ChargeCall) -> Answer {
    Answer::Charge(Statement {
        status: ChargeStatus::Paid,
        order_no: call.order_no.clone(),
        idempotency_key: None,
        merchant: None,
        money: Some(call.money),
        trade_no: Some(format!("receipt-{}", call.order_no)),
        reference: None,
        summary: "cash".to_owned(),
    })
}

fn given_back(call: &RefundCall) -> RefundAnswer {
    RefundAnswer::Succeeded(RefundStatement {
        refund_no: call.refund_no.clone(),
        amount: Some(call.money.amount),
        trade_no: Some(call.trade_no.clone()),
        channel_refund_no: None,
        summary: "cash back".to_owned(),
    })
}

impl Channel for Till {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn account(&self) -> Fingerprint {
        Fingerprint {
            channel: Self::NAME.to_owned(),
            merchant: "front desk".to_owned(),
            live: false,
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            one_charge_per_key: true,
            resubmits: true,
            key_life_ms: None,
            closes: false,
            refunds: true,
            own_expiry: false,
            asynchronous: false,
            repeats_action: false,
            settles_within_ms: 0,
        }
    }

    fn default_method(&self) -> &str {
        "cash"
    }

    fn admits(&self, _: &Admission<'_>) -> Result<(), FieldRefusal> {
        Ok(())
    }

    fn submit<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(async { paid(call) })
    }

    fn query<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(async { paid(call) })
    }

    fn close<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(async { paid(call) })
    }

    fn refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(async { given_back(call) })
    }

    fn query_refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(async { given_back(call) })
    }

    fn verify(&self, _: &RawNotice<'_>, _: UnixMillis) -> Result<Notice, Rejection> {
        Err(Rejection {
            rule: RejectionRule::Signature,
            explanation: "cash sends no notices".to_owned(),
            key_id: None,
            signed_text: None,
        })
    }

    fn acknowledgement(&self, _: Acknowledge) -> AcknowledgementBody {
        AcknowledgementBody {
            content_type: "text/plain",
            body: String::new(),
        }
    }
}
