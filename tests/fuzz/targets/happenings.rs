//! Everything that may happen to an order, made of bytes: what a channel says, what people and timers do.

use super::bytes::Bytes;
use oncepay::domain::order::input::Review;
use oncepay::domain::order::refund::RefundCallKind;
use oncepay::domain::order::statement::Proof;
use oncepay::domain::order::{
    Answer, ChargeStatus, DisputePhase, Hint, Hinted, Input, NextAction, Order, Reason,
    RefundAnswer, RefundDecision, RefundNews, RefundRequest, RefundReview, RefundSource,
    RefundStatement, ReviewDecision, Source, Statement, UnknownAnswer,
};
use oncepay::domain::{Currency, Money};

const TRADES: [&str; 7] = ["T1", "T2", "T3", "", " ", "T\0", "late-T1"];
const REFUNDS: [&str; 8] = [
    "r1",
    "r2",
    "r3",
    "late-T1",
    "review-T1",
    "external-T1",
    "",
    "R1",
];
const PEOPLE: [&str; 3] = ["ann", "bob", ""];
const KINDS: [&str; 3] = ["credits", "seats", "nothing"];

/// One thing that happens; `order` is what those who know it go by.
pub(crate) fn happening(bytes: &mut Bytes<'_>, order: &Order) -> Input {
    match bytes.below(20) {
        0..=5 => Input::Answer {
            source: source(bytes),
            answer: answer(bytes, order),
        },
        6 => Input::TradeTaken {
            source: source(bytes),
            proof: Proof {
                trade_no: trade_no(bytes),
                money: money(bytes, order.money),
            },
        },
        7 => Input::Due,
        8 => Input::SubmitTimedOut {
            submit: submit(bytes),
        },
        9 => Input::UiDeadlinePassed,
        10 => Input::Recovered,
        11 => seldom(bytes),
        12 => Input::Review(Review {
            decision: *bytes.pick(ReviewDecision::ALL),
            basis: basis(bytes),
            channel_trade_no: bytes.flag().then(|| trade_no(bytes)),
            expected_version: order.version - i64::from(bytes.rarely(8)),
            operator: (*bytes.pick(&PEOPLE)).to_owned(),
        }),
        13 | 14 => Input::RefundRequested(RefundRequest {
            refund_no: refund_no(bytes),
            amount: amount(bytes, order.money.amount).max(1),
            reason: None,
            trade_no: bytes.flag().then(|| trade_no(bytes)),
            source: *bytes.pick(&[RefundSource::Merchant, RefundSource::Operator]),
            key_name: (*bytes.pick(&PEOPLE)).to_owned(),
        }),
        15 => Input::RefundReply {
            call: *bytes.pick(&[RefundCallKind::Send, RefundCallKind::Query]),
            refund_no: refund_no(bytes),
            answer: refund_answer(bytes, order.money.amount),
        },
        16 => Input::RefundTold {
            source: source(bytes),
            news: RefundNews {
                refund_no: refund_no(bytes),
                trade_no: bytes.flag().then(|| trade_no(bytes)),
                cumulative: bytes.flag(),
                ours_by_our_number: bytes.flag(),
                answer: refund_answer(bytes, order.money.amount),
            },
        },
        17 => refund_review(bytes, order),
        18 => Input::Fulfil {
            kind: (*bytes.pick(&KINDS)).to_owned(),
            outside: bytes.rarely(4).then(|| bytes.whole()),
        },
        _ => Input::Dispute {
            source: source(bytes),
            reference: (*bytes.pick(&["D1", "D2"])).to_owned(),
            phase: *bytes.pick(DisputePhase::ALL),
            summary: "a dispute".to_owned(),
        },
    }
}

fn seldom(bytes: &mut Bytes<'_>) -> Input {
    let by = "api:shop".to_owned();
    match bytes.below(4) {
        0 => Input::CloseRequested { by },
        1 => Input::QueryRequested { by },
        2 => Input::ActorFailed { summary: by },
        _ => Input::BillLine { summary: by },
    }
}

fn refund_review(bytes: &mut Bytes<'_>, order: &Order) -> Input {
    let refund_no = refund_no(bytes);
    let version = order.refund(&refund_no).map_or(1, |refund| refund.version);
    Input::RefundReview(RefundReview {
        refund_no,
        decision: *bytes.pick(RefundDecision::ALL),
        basis: basis(bytes),
        expected_version: version - i64::from(bytes.rarely(8)),
        operator: (*bytes.pick(&PEOPLE)).to_owned(),
    })
}

fn source(bytes: &mut Bytes<'_>) -> Source {
    match bytes.below(8) {
        0..=2 => Source::Reply {
            submit: submit(bytes),
        },
        3 | 4 => Source::Query,
        5 => Source::Close,
        kind => Source::Callback {
            repeat: kind == 7,
            digest: "sha256:00".to_owned(),
        },
    }
}

/// A channel's answer: mostly about this very order, and mostly of its money.
pub(crate) fn answer(bytes: &mut Bytes<'_>, order: &Order) -> Answer {
    let summary = String::new();
    match bytes.below(17) {
        0..=8 => Answer::Charge(statement(bytes, order)),
        9 => Answer::NotFound,
        10 => Answer::AlreadyPaid,
        11 => Answer::KeyConflict,
        12 => Answer::CannotClose,
        13 => Answer::Throttled { summary },
        14 => Answer::NotSent { summary },
        15 => Answer::Hint(Hint {
            says: *bytes.pick(&[Hinted::Paid, Hinted::Over]),
            reference: (*bytes.pick(&["P1", "P2", ""])).to_owned(),
        }),
        _ => Answer::Unknown(unknown(bytes)),
    }
}

fn unknown(bytes: &mut Bytes<'_>) -> UnknownAnswer {
    let reasons = [
        Reason::SubmitTimeout,
        Reason::ChannelUnavailable,
        Reason::UnreadableReply,
    ];
    UnknownAnswer {
        reason: *bytes.pick(&reasons),
        summary: String::new(),
    }
}

fn statement(bytes: &mut Bytes<'_>, order: &Order) -> Statement {
    let next_action = NextAction {
        kind: "qr_code".to_owned(),
        value: "QR".to_owned(),
    };
    let status = match bytes.below(10) {
        0 | 1 => ChargeStatus::Paid,
        2 => ChargeStatus::PaidAndSomeRefunded,
        3 => ChargeStatus::PaidAndRefunded,
        4 => ChargeStatus::Pending { next_action: None },
        5 => ChargeStatus::Pending {
            next_action: Some(next_action),
        },
        6 => ChargeStatus::Processing,
        7 => ChargeStatus::Declined,
        8 => ChargeStatus::Closed,
        _ => ChargeStatus::Unexplained("FROZEN".to_owned()),
    };
    let other = |bytes: &mut Bytes<'_>, own: &str| {
        let own = if bytes.rarely(16) { "other" } else { own };
        own.to_owned()
    };
    Statement {
        status,
        order_no: other(bytes, order.order_no.as_str()),
        idempotency_key: bytes.flag().then(|| other(bytes, &order.idempotency_key)),
        merchant: bytes
            .flag()
            .then(|| other(bytes, &order.fingerprint.merchant)),
        money: (!bytes.rarely(8)).then(|| money(bytes, order.money)),
        trade_no: (!bytes.rarely(8)).then(|| trade_no(bytes)),
        reference: None,
        summary: String::new(),
    }
}

fn refund_answer(bytes: &mut Bytes<'_>, of: i64) -> RefundAnswer {
    let summary = String::new();
    match bytes.below(12) {
        0..=2 => RefundAnswer::Succeeded(refund_statement(bytes, of)),
        3 => RefundAnswer::Pending(refund_statement(bytes, of)),
        4 | 5 => RefundAnswer::Failed(refund_statement(bytes, of)),
        6 => RefundAnswer::Repeatable { summary },
        7 => RefundAnswer::Conflict { summary },
        8 => RefundAnswer::NotFound,
        9 => RefundAnswer::Throttled { summary },
        10 => RefundAnswer::NotSent { summary },
        _ => RefundAnswer::Unknown(unknown(bytes)),
    }
}

fn refund_statement(bytes: &mut Bytes<'_>, of: i64) -> RefundStatement {
    RefundStatement {
        refund_no: refund_no(bytes),
        amount: bytes.flag().then(|| amount(bytes, of)),
        trade_no: bytes.flag().then(|| trade_no(bytes)),
        channel_refund_no: None,
        summary: String::new(),
    }
}

fn submit(bytes: &mut Bytes<'_>) -> u32 {
    *bytes.pick(&[1, 1, 2, 3, 0, 9, u32::MAX])
}

fn money(bytes: &mut Bytes<'_>, own: Money) -> Money {
    if !bytes.rarely(4) {
        return own;
    }
    let currency = *bytes.pick(&["CNY", "USD", "JPY"]);
    Money::new(
        amount(bytes, own.amount),
        Currency::parse(currency).unwrap_or(own.currency),
    )
}

/// Around all, a part of it, or anything.
pub(crate) fn amount(bytes: &mut Bytes<'_>, of: i64) -> i64 {
    match bytes.below(8) {
        0 => of,
        1 => of - 1,
        2 => of.saturating_add(1),
        3 => of / 2,
        4 => of / 3,
        5 => 1,
        _ => bytes.whole(),
    }
}

fn trade_no(bytes: &mut Bytes<'_>) -> String {
    let at = bytes.below(16);
    match TRADES.get(at) {
        Some(trade_no) => (*trade_no).to_owned(),
        None if at == 7 => "T".repeat(255),
        None if at == 8 => "T".repeat(256),
        None => "T1".to_owned(),
    }
}

fn refund_no(bytes: &mut Bytes<'_>) -> String {
    (*bytes.pick(&REFUNDS)).to_owned()
}

fn basis(bytes: &mut Bytes<'_>) -> String {
    let basis = if bytes.rarely(8) { " " } else { "a statement" };
    basis.to_owned()
}
