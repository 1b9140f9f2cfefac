//! What the channel says, in words: `paid T1 1999 CNY`, `not found`, `pending QR`, `hint paid P1`.

use oncepay::domain::order::statement::{Answer, ChargeStatus, Statement, UnknownAnswer};
use oncepay::domain::order::{Hint, Hinted, NextAction, Reason};
use oncepay::domain::{Currency, Money};

/// Reads an answer about order `A-1`.
pub(crate) fn answer(words: &[&str]) -> Answer {
    match words {
        ["not", "found"] => Answer::NotFound,
        ["already", "paid"] => Answer::AlreadyPaid,
        ["hint", says, reference] => Answer::Hint(Hint {
            says: if *says == "over" {
                Hinted::Over
            } else {
                Hinted::Paid
            },
            reference: (*reference).to_owned(),
        }),
        ["key", "conflict"] => Answer::KeyConflict,
        ["cannot"] => Answer::CannotClose,
        ["throttled"] => Answer::Throttled {
            summary: "slow down".into(),
        },
        ["not", "sent"] => Answer::NotSent {
            summary: "no route".into(),
        },
        ["unknown"] => unknown(Reason::UnreadableReply),
        ["timeout"] => unknown(Reason::SubmitTimeout),
        ["unavailable"] => unknown(Reason::ChannelUnavailable),
        _ => Answer::Charge(statement(words)),
    }
}

fn unknown(reason: Reason) -> Answer {
    Answer::Unknown(UnknownAnswer {
        reason,
        summary: reason.to_string(),
    })
}

/// `paid T1 [1999 CNY] [key K | merchant M | order NO]` and the like.
fn statement(words: &[&str]) -> Statement {
    let mut said = Statement {
        status: ChargeStatus::Paid,
        order_no: "A-1".into(),
        idempotency_key: None,
        merchant: None,
        money: None,
        trade_no: None,
        reference: None,
        summary: words.join(" "),
    };
    let mut rest = words[1..].to_vec();
    if let Some(at) = rest
        .iter()
        .position(|word| matches!(*word, "key" | "merchant" | "order" | "named"))
    {
        let value = rest[at + 1].to_owned();
        match rest[at] {
            "key" => said.idempotency_key = Some(value),
            "named" => said.reference = Some(value),
            "merchant" => said.merchant = Some(value),
            _ => said.order_no = value,
        }
        rest.drain(at..at + 2);
    }
    if let [.., amount, currency] = rest[..]
        && let (Ok(amount), Some(currency)) = (amount.parse(), Currency::parse(currency))
    {
        said.money = Some(Money::new(amount, currency));
        rest.truncate(rest.len() - 2);
    }
    let word = rest.first().map(|word| (*word).to_owned());
    said.status = match words[0] {
        "paid" => ChargeStatus::Paid,
        "refunded" => ChargeStatus::PaidAndRefunded,
        "some-back" => ChargeStatus::PaidAndSomeRefunded,
        "pending" => ChargeStatus::Pending {
            next_action: word.clone().map(|value| NextAction {
                kind: "qr_code".into(),
                value,
            }),
        },
        "processing" => ChargeStatus::Processing,
        "declined" => ChargeStatus::Declined,
        "closed" => ChargeStatus::Closed,
        "unexplained" => ChargeStatus::Unexplained("FROZEN".into()),
        other => panic!("`{other}` is no answer"),
    };
    if matches!(words[0], "paid" | "refunded" | "some-back") {
        said.trade_no = word;
        said.money = said.money.or(Some(crate::scene::cny(1999)));
    }
    said
}
