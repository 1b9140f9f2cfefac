//! What a processor's replies mean: whatever comes back, nothing counts that is not the processor's own word about this
//! very request, and only a charge that is called paid in it pays an order.

use super::bytes::Bytes;
use super::processor::{Mark, Plan, Stage, order};
use super::wording::{ORDER_NO, reply};
use crate::scene::Scene;
use oncepay::domain::order::refund::RefundCallKind;
use oncepay::domain::order::{
    Answer, ChargeStatus, Input, Reason, RefundAnswer, RefundStatement, Source, Statement,
};
use serde_json::Value;

const STATUSES: [u16; 20] = [
    200, 200, 200, 404, 409, 200, 201, 202, 204, 301, 400, 401, 402, 422, 429, 500, 502, 503, 599,
    999,
];
const MARKS: [Mark; 12] = [
    Mark::Own,
    Mark::Own,
    Mark::Own,
    Mark::Previous,
    Mark::None,
    Mark::Foreign,
    Mark::OtherRequest,
    Mark::OtherStatus,
    Mark::OtherBody,
    Mark::Old,
    Mark::Twice,
    Mark::Made,
];

/// Which call is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Submit,
    Query,
    Close,
    Refund,
    QueryRefund,
}

pub(crate) fn hold(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let calls = [
        Call::Submit,
        Call::Query,
        Call::Close,
        Call::Refund,
        Call::QueryRefund,
    ];
    let call = *bytes.pick(&calls);
    let status = *bytes.pick(&STATUSES);
    let mark = *bytes.pick(&MARKS);
    let raw = bytes.rarely(6);
    let made = bytes.text(60);
    let body = if raw {
        bytes.rest().to_vec()
    } else {
        reply(&mut bytes)
    };
    let plan = Plan {
        status,
        mark,
        // A 204 has no body, whatever is written.
        body: if status == 204 && !raw {
            Vec::new()
        } else {
            body
        },
        made,
        raw,
    };
    let mut stage = Stage::get();
    match call {
        Call::Submit | Call::Query | Call::Close => charge(call, &plan, &stage.ask(call, &plan)),
        Call::Refund | Call::QueryRefund => refund(call, &plan, &stage.ask_refund(call, &plan)),
    }
}

fn charge(call: Call, plan: &Plan, answer: &Answer) {
    if !plan.counts() {
        let Answer::Unknown(unknown) = answer else {
            panic!("it counts: {answer:?} of {plan:?}");
        };
        let reasons = [Reason::ChannelUnavailable, Reason::UnreadableReply];
        assert!(reasons.contains(&unknown.reason), "{unknown:?}");
        return pays_nothing(call, answer);
    }
    let body = plan.body_read();
    let code = body["code"].as_str();
    match answer {
        Answer::Charge(statement) => {
            let fits = plan.status == 200 || (call == Call::Close && plan.status == 409);
            assert!(fits, "{plan:?}");
            stands_in_the_body(statement, &body);
            pays_if_it_says_so(call, answer, statement);
        }
        Answer::NotFound => {
            assert!(call != Call::Submit && plan.status == 404 && code == Some("not_found"));
        }
        Answer::KeyConflict => {
            assert!(call == Call::Submit && plan.status == 409);
            assert_eq!(code, Some("idempotency_conflict"));
        }
        Answer::CannotClose => assert!(call == Call::Close && plan.status == 409 && code.is_some()),
        Answer::Unknown(_) => pays_nothing(call, answer),
        Answer::AlreadyPaid
        | Answer::Hint(_)
        | Answer::Throttled { .. }
        | Answer::NotSent { .. } => {
            panic!("the protocol has no such reply: {answer:?} of {plan:?}");
        }
    }
}

fn stands_in_the_body(statement: &Statement, body: &Value) {
    assert!(body.is_object(), "{body}");
    assert_eq!(body["order_no"], statement.order_no);
    assert_eq!(
        body["idempotency_key"].as_str(),
        statement.idempotency_key.as_deref()
    );
    let money = statement.money.unwrap();
    assert_eq!(body["amount"], money.amount);
    assert_eq!(body["currency"], money.currency.as_str());
    let word = body["status"].as_str().unwrap();
    assert_eq!(statement.status == ChargeStatus::Paid, word == "PAID");
    assert_eq!(
        statement.status == ChargeStatus::Declined,
        word == "DECLINED"
    );
    assert_eq!(statement.status == ChargeStatus::Closed, word == "CLOSED");
    if let Some(trade_no) = &statement.trade_no {
        assert_eq!(body["trade_no"], *trade_no);
    }
}

/// An order under way, to which this answer comes.
fn decided(call: Call, answer: &Answer) -> Scene {
    let mut scene = Scene::new();
    scene.order = order();
    scene.create();
    let source = match call {
        Call::Submit => Source::Reply { submit: 1 },
        Call::Query => Source::Query,
        Call::Close | Call::Refund | Call::QueryRefund => Source::Close,
    };
    let input = Input::Answer {
        source,
        answer: answer.clone(),
    };
    scene.apply(&input).unwrap();
    scene
}

fn pays_nothing(call: Call, answer: &Answer) {
    let scene = decided(call, answer);
    let status = scene.order.status;
    assert!(
        !status.is_paid() && !status.is_ended(),
        "{status} by {answer:?}"
    );
    assert!(scene.order.payments.is_empty());
}

fn pays_if_it_says_so(call: Call, answer: &Answer, statement: &Statement) {
    let order = order();
    let key = statement.idempotency_key.as_deref();
    let agrees = statement.money == Some(order.money)
        && statement.order_no == ORDER_NO
        && key == Some(&*order.idempotency_key);
    let says = statement.status == ChargeStatus::Paid && statement.trade_no.is_some();
    let paid = decided(call, answer).order.status.is_paid();
    assert_eq!(paid, agrees && says, "{statement:?}");
}

fn refund(call: Call, plan: &Plan, answer: &RefundAnswer) {
    if !plan.counts() {
        assert!(
            matches!(answer, RefundAnswer::Unknown(_)),
            "{answer:?} of {plan:?}"
        );
        return;
    }
    let body = plan.body_read();
    let code = body["code"].as_str();
    let stated = |statement: &RefundStatement, word: &str| {
        assert_eq!(plan.status, 200, "{plan:?}");
        assert_eq!(body["status"], word);
        assert_eq!(body["refund_no"], statement.refund_no);
        assert_eq!(body["amount"].as_i64(), statement.amount);
    };
    match answer {
        RefundAnswer::Succeeded(statement) => stated(statement, "SUCCEEDED"),
        RefundAnswer::Pending(statement) => stated(statement, "PENDING"),
        RefundAnswer::Failed(statement) => stated(statement, "FAILED"),
        RefundAnswer::NotFound => {
            assert!(call == Call::QueryRefund && plan.status == 404 && code == Some("not_found"));
        }
        RefundAnswer::Conflict { .. } => {
            assert!(call == Call::Refund && plan.status == 409);
            assert_eq!(code, Some("idempotency_conflict"));
        }
        RefundAnswer::Unknown(_) => {}
        RefundAnswer::Repeatable { .. }
        | RefundAnswer::Throttled { .. }
        | RefundAnswer::NotSent { .. } => {
            panic!("the protocol has no such reply: {answer:?} of {plan:?}");
        }
    }
    gives_back_if_it_says_so(call, answer);
}

/// A refund that is asked for, to which this answer comes.
fn gives_back_if_it_says_so(call: Call, answer: &RefundAnswer) {
    let mut scene = Scene::new();
    scene.order = order();
    scene.create();
    super::processor::pay_and_ask_back(&mut scene);
    let kind = if call == Call::Refund {
        RefundCallKind::Send
    } else {
        RefundCallKind::Query
    };
    let input = Input::RefundReply {
        call: kind,
        refund_no: "r1".to_owned(),
        answer: answer.clone(),
    };
    scene.apply(&input).unwrap();
    let given = scene.order.amount_refunded;
    let says = matches!(answer, RefundAnswer::Succeeded(statement)
        if statement.amount == Some(500) && statement.refund_no == "r1");
    assert!(given == 0 || says, "{given} by {answer:?}");
}
