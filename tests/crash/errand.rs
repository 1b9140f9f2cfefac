//! What a merchant wants of oncepay: it asks again and again until the answer is clear.

use crate::dice::Dice;
use serde_json::{Value, json};

/// What can go wrong with a charge, some of it twice: nothing is as likely as everything else together.
const SUBJECTS: &[&str] = &[
    "VIP #lost-reply=1",
    "VIP #lost-reply #no-callback",
    "VIP #lost-request=1",
    "VIP #lost-request=1 #no-callback",
    "VIP #delay=600ms",
    "VIP #delay=300ms #no-callback",
    "VIP #land-after=400ms",
    "VIP #http=500:1",
    "VIP #http=500-charged:1 #no-callback",
    "VIP #unsigned=1",
    "VIP #callbacks=3",
    "VIP #callbacks=3 #callback-delay=700ms",
    "VIP #query=timeout:1 #lost-reply=1 #no-callback",
    "VIP #query=unsigned:1 #lost-reply=1",
    "VIP #pending",
    "VIP #pending #late-success",
    "VIP #pay-after=500ms",
    "VIP #processing #pay-after=700ms",
    "VIP #declined",
    "VIP #refund=pending #refund-after=400ms",
    "VIP #lost-refund=1",
    "VIP #lost-refund-reply=1",
    "VIP #refund-delay=600ms #no-refund-callback",
    "VIP #refund=failed",
];
/// Nobody has heard of this status: a person must look.
pub(crate) const FROZEN: &str = "VIP #status=FROZEN";
/// Half of all orders are charged by each submit that lands: there a second one would be a second charge.
const UNKEYED: &str = "#every-submit-charges";
pub(crate) const KIND: &str = "credits";
const ACCOUNTS: i64 = 6;

/// See the module. A number of the merchant's is the same in each of its attempts.
#[derive(Debug, Clone)]
pub(crate) enum Errand {
    Order {
        body: Value,
    },
    Refund {
        order_no: String,
        order_id: String,
        refund_no: String,
        amount: i64,
    },
    Debit {
        account: String,
        debit_no: String,
        quantity: i64,
    },
    Hold {
        account: String,
        hold_no: String,
        quantity: i64,
    },
    /// `quantity` 0 is a release.
    EndOfHold {
        account: String,
        hold_no: String,
        quantity: i64,
    },
}

impl Errand {
    pub(crate) fn order(number: usize, subject: Option<&str>, dice: &mut Dice) -> Self {
        let plain = dice.one_in(2);
        let chosen = if plain { "VIP" } else { *dice.pick(SUBJECTS) };
        let mut body = json!({
            "order_no": format!("lab-{number:06}"), "channel": "sandbox", "amount": dice.between(2, 5_000),
            "currency": "CNY", "subject": subject.unwrap_or(chosen),
        });
        if dice.one_in(2) {
            let scripted = body["subject"].as_str().expect("text");
            body["subject"] = json!(format!("{scripted} {UNKEYED}"));
        }
        if !dice.one_in(4) {
            body["account"] = json!(account(dice));
            body["entitlements"] = json!([{"kind": KIND, "quantity": dice.between(1, 1_000)}]);
        }
        Self::Order { body }
    }

    pub(crate) fn refund(number: usize, order: &Value, dice: &mut Dice) -> Self {
        let text = |field: &str| order[field].as_str().expect("text").to_owned();
        let amount = order["amount"].as_i64().expect("an amount");
        Self::Refund {
            order_no: text("order_no"),
            order_id: text("order_id"),
            refund_no: format!("r-{number}"),
            amount: if dice.one_in(3) {
                amount
            } else {
                dice.between(1, amount)
            },
        }
    }

    pub(crate) fn debit(number: usize, dice: &mut Dice) -> Self {
        Self::Debit {
            account: account(dice),
            debit_no: format!("d-{number}"),
            quantity: dice.between(1, 120),
        }
    }

    pub(crate) fn hold(number: usize, dice: &mut Dice) -> Self {
        Self::Hold {
            account: account(dice),
            hold_no: format!("h-{number}"),
            quantity: dice.between(1, 120),
        }
    }

    /// What follows a hold that was made.
    pub(crate) fn end_of(account: &str, hold_no: &str, held: i64, dice: &mut Dice) -> Self {
        Self::EndOfHold {
            account: account.to_owned(),
            hold_no: hold_no.to_owned(),
            quantity: dice.between(0, held),
        }
    }

    /// The address and body of its request.
    pub(crate) fn request(&self) -> (String, Option<Value>) {
        match self {
            Self::Order { body } => ("/v1/orders".to_owned(), Some(body.clone())),
            Self::Refund {
                order_id,
                refund_no,
                amount,
                ..
            } => (
                format!("/v1/orders/{order_id}/refunds"),
                Some(json!({"refund_no": refund_no, "amount": amount})),
            ),
            Self::Debit {
                account,
                debit_no,
                quantity,
            } => (
                format!("/v1/accounts/{account}/debits"),
                Some(json!({"debit_no": debit_no, "kind": KIND, "quantity": quantity})),
            ),
            Self::Hold {
                account,
                hold_no,
                quantity,
            } => (
                format!("/v1/accounts/{account}/holds"),
                Some(
                    json!({"hold_no": hold_no, "kind": KIND, "quantity": quantity, "expires_in": 86_400}),
                ),
            ),
            Self::EndOfHold {
                account,
                hold_no,
                quantity: 0,
            } => (
                format!("/v1/accounts/{account}/holds/{hold_no}/release"),
                None,
            ),
            Self::EndOfHold {
                account,
                hold_no,
                quantity,
            } => (
                format!("/v1/accounts/{account}/holds/{hold_no}/capture"),
                Some(json!({"quantity": quantity})),
            ),
        }
    }
}

fn account(dice: &mut Dice) -> String {
    format!("user-{}", dice.between(1, ACCOUNTS))
}
