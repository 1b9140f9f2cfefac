//! Charges: what is sent, and what every code and every status of WeChat Pay means.

use super::{NOW_S, ORDER, Stage, charge};
use crate::doubles::wechat::{Op, keys};
use oncepay::channels::Admission;
use oncepay::channels::rsa::RsaVerifier;
use oncepay::domain::order::{Answer, ChargeStatus, Statement};
use oncepay::domain::{Currency, Money};
use serde_json::{Value, json};

fn said(answer: Answer) -> Statement {
    let Answer::Charge(statement) = &answer else {
        panic!("no statement: {answer:?}")
    };
    statement.clone()
}

/// One word for an answer.
fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Charge(statement) => match statement.status {
            ChargeStatus::Paid => "paid",
            ChargeStatus::PaidAndRefunded => "paid and refunded",
            ChargeStatus::PaidAndSomeRefunded => "paid and some refunded",
            ChargeStatus::Pending { .. } => "pending",
            ChargeStatus::Processing => "processing",
            ChargeStatus::Declined => "declined",
            ChargeStatus::Closed => "closed",
            ChargeStatus::Unexplained(_) => "unexplained",
        },
        Answer::NotFound => "not found",
        Answer::AlreadyPaid | Answer::Hint(_) => "already paid",
        Answer::KeyConflict => "conflict",
        Answer::CannotClose => "cannot close",
        Answer::Throttled { .. } => "throttled",
        Answer::NotSent { .. } => "not sent",
        Answer::Unknown(_) => "unknown",
    }
}

#[tokio::test]
async fn a_native_order_shows_a_code_is_paid_and_says_so() {
    let stage = Stage::open().await;
    let call = charge("native");

    let pending = said(stage.channel.submit(&call).await);
    let ChargeStatus::Pending {
        next_action: Some(action),
    } = pending.status
    else {
        panic!("{pending:?}")
    };
    assert_eq!(action.kind, "qr_code");
    assert_eq!(action.value, "weixin://wxpay/bizpayurl?pr=p4lpSuKzz");
    let sent: Value = serde_json::from_slice(&stage.gateway.last(Op::Submit).body).unwrap();
    assert_eq!(
        sent,
        json!({"appid": keys::APPID, "mchid": keys::MCHID, "description": "测试商品", "out_trade_no": ORDER,
               "time_expire": "2026-11-30T20:00:12+08:00", "notify_url": "https://merchant.example/notify/wechat",
               "amount": {"total": 8888, "currency": "CNY"}})
    );
    let serial = stage.gateway.last(Op::Submit);
    assert_eq!(serial.header("wechatpay-serial"), keys::PUBLIC_KEY_ID);

    let unpaid = stage.channel.query(&call).await;
    assert_eq!(word(&unpaid), "pending");
    stage.gateway.pay(ORDER);
    let paid = said(stage.channel.query(&call).await);
    assert_eq!(paid.status, ChargeStatus::Paid);
    assert_eq!(paid.money, Some(call.money));
    assert_eq!(paid.merchant.as_deref(), Some(keys::MCHID));
    assert!(
        paid.trade_no
            .is_some_and(|number| number.starts_with("4200"))
    );
    assert!(!paid.summary.contains("oUpF8"), "no payer in it");
    assert_eq!(word(&stage.channel.close(&call).await), "already paid");
}

#[tokio::test]
async fn a_repeated_submit_is_the_same_charge_and_signed_anew() {
    let stage = Stage::open().await;
    let call = charge("native");

    let first = stage.channel.submit(&call).await;
    let before = stage.gateway.last(Op::Submit);
    stage.hands.pass(500);
    assert_eq!(stage.channel.submit(&call).await, first);
    let after = stage.gateway.last(Op::Submit);

    assert_eq!(before.body, after.body);
    assert_ne!(
        before.authorization("nonce_str"),
        after.authorization("nonce_str")
    );
    assert_eq!(after.authorization("timestamp"), (NOW_S + 500).to_string());
    assert_eq!(stage.gateway.inside().book.charges[ORDER].submits, 2);
    let mut other = call.clone();
    other.money.amount = 1;
    assert_eq!(word(&stage.channel.submit(&other).await), "conflict");
}

#[tokio::test]
async fn a_jsapi_order_carries_what_the_payers_wechat_pays_with() {
    let stage = Stage::open().await;
    let pending = said(stage.channel.submit(&charge("jsapi")).await);
    let ChargeStatus::Pending {
        next_action: Some(action),
    } = pending.status
    else {
        panic!("{pending:?}")
    };

    assert_eq!(action.kind, "app_params");
    let params: Value = serde_json::from_str(&action.value).unwrap();
    let text = |field: &str| params[field].as_str().unwrap_or_default().to_owned();
    assert_eq!(text("appId"), keys::APPID);
    assert_eq!(text("timeStamp"), NOW_S.to_string());
    assert_eq!(text("signType"), "RSA");
    assert_eq!(
        text("package"),
        "prepay_id=wx301800120000000000000000000001"
    );
    let signed = format!(
        "{}\n{}\n{}\n{}\n",
        text("appId"),
        text("timeStamp"),
        text("nonceStr"),
        text("package")
    );
    let key = RsaVerifier::parse(keys::MERCHANT_PUBLIC_KEY).unwrap();
    assert!(key.verifies(signed.as_bytes(), &text("paySign")));
    let sent: Value = serde_json::from_slice(&stage.gateway.last(Op::Submit).body).unwrap();
    assert_eq!(
        sent["payer"],
        json!({"openid": "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"})
    );
}

#[tokio::test]
async fn an_unpaid_order_is_closed_and_stays_so() {
    let stage = Stage::open().await;
    let call = charge("native");
    assert_eq!(word(&stage.channel.query(&call).await), "not found");
    assert_eq!(word(&stage.channel.close(&call).await), "not found");
    stage.channel.submit(&call).await;

    assert_eq!(word(&stage.channel.close(&call).await), "closed");
    assert_eq!(word(&stage.channel.query(&call).await), "closed");
    assert_eq!(word(&stage.channel.close(&call).await), "closed");
    assert_eq!(word(&stage.channel.submit(&call).await), "closed");
}

#[tokio::test]
async fn every_status_of_a_trade_means_what_the_table_says() {
    let stage = Stage::open().await;
    let call = charge("native");
    stage.channel.submit(&call).await;
    stage.gateway.pay(ORDER);
    for (state, meaning) in [
        ("SUCCESS", "paid"),
        ("REFUND", "paid and some refunded"),
        ("NOTPAY", "pending"),
        ("CLOSED", "closed"),
        ("REVOKED", "closed"),
        ("PAYERROR", "declined"),
        ("USERPAYING", "pending"),
        ("ACCEPT", "pending"),
        ("FROZEN", "unexplained"),
        ("success", "unexplained"),
    ] {
        stage.gateway.stands_at(ORDER, state);
        assert_eq!(word(&stage.channel.query(&call).await), meaning, "{state}");
    }
}

/// Code, HTTP status, and its meaning as the answer of a submit, of a query, and of a close.
const CODES: &str = "
SYSTEM_ERROR          500  unknown       unknown       unknown
SYSTEMERROR           400  unknown       unknown       unknown
BANK_ERROR            400  unknown       unknown       unknown
BANKERROR             500  unknown       unknown       unknown
FREQUENCY_LIMITED     429  throttled     throttled     throttled
FREQUENCY_LIMIT_EXCEED 429 throttled     throttled     throttled
RATELIMIT_EXCEEDED    429  throttled     throttled     throttled
ORDERPAID             400  already-paid  already-paid  already-paid
ORDER_PAID            403  already-paid  already-paid  already-paid
ORDER_CLOSED          400  closed        closed        closed
ORDERCLOSED           200  closed        closed        closed
ORDERNOTEXIST         404  unknown       not-found     not-found
ORDER_NOT_EXIST       404  unknown       not-found     not-found
RESOURCE_NOT_EXISTS   404  unknown       unknown       unknown
OUT_TRADE_NO_USED     403  conflict      unknown       unknown
USERPAYING            202  pending       pending       cannot-close
USER_PAYING           200  pending       pending       cannot-close
TRADE_ERROR           403  declined      unknown       cannot-close
RULE_LIMIT            403  declined      unknown       cannot-close
RULELIMIT             403  declined      unknown       cannot-close
NO_AUTH               403  declined      unknown       cannot-close
PARAM_ERROR           400  declined      unknown       cannot-close
INVALID_REQUEST       400  declined      unknown       cannot-close
APPID_MCHID_NOT_MATCH 400  declined      unknown       cannot-close
MCH_NOT_EXISTS        400  declined      unknown       cannot-close
OPENID_MISMATCH       400  declined      unknown       cannot-close
SIGN_ERROR            401  not-sent      not-sent      not-sent
NOT_ENOUGH            403  unknown       unknown       unknown
USER_ACCOUNT_ABNORMAL 403  unknown       unknown       unknown
NO_STATEMENT_EXIST    400  unknown       unknown       unknown
STATEMENT_CREATING    400  unknown       unknown       unknown
NEVER_HEARD_OF        400  unknown       unknown       unknown
ORDERPAID             502  unknown       unknown       unknown
PARAM_ERROR           500  unknown       unknown       unknown
";

#[tokio::test]
async fn every_code_means_what_the_table_says() {
    let stage = Stage::open().await;
    let call = charge("native");
    for line in CODES.lines().filter(|line| !line.is_empty()) {
        let mut cells = line.split_whitespace();
        let mut cell = || cells.next().expect("five cells");
        let (code, status) = (cell(), cell().parse().unwrap());
        stage.gateway.next_code(Op::Submit, status, code);
        stage.gateway.next_code(Op::Query, status, code);
        stage.gateway.next_code(Op::Close, status, code);
        let answers = [
            stage.channel.submit(&call).await,
            stage.channel.query(&call).await,
            stage.channel.close(&call).await,
        ];
        for answer in answers {
            let expected = cell().replace('-', " ");
            assert_eq!(word(&answer), expected, "{line}: {answer:?}");
        }
    }
    assert!(stage.gateway.inside().book.charges.is_empty());
}

#[tokio::test]
async fn a_charge_of_another_app_or_number_is_no_charge_of_ours() {
    use crate::doubles::wechat::Mishap;
    let stage = Stage::open().await;
    let call = charge("native");
    stage.channel.submit(&call).await;
    stage.gateway.pay(ORDER);
    let right = stage.gateway.inside().book.transaction(ORDER);
    let told = |field: &str, value: &str| {
        let mut other = right.clone();
        other[field] = json!(value);
        stage
            .gateway
            .next(Op::Query, Mishap::Says((200, Some(other))));
    };

    told("appid", "wx0000000000000002");
    let statement = said(stage.channel.query(&call).await);
    assert_eq!(
        statement.merchant.as_deref(),
        Some("1900000001 app wx0000000000000002"),
        "it is held against the merchant and differs"
    );
    told("mchid", "1900000002");
    let statement = said(stage.channel.query(&call).await);
    assert_eq!(statement.merchant.as_deref(), Some("1900000002"));
    told("out_trade_no", "ORDER20261130000002");
    let statement = said(stage.channel.query(&call).await);
    assert_eq!(statement.order_no, "ORDER20261130000002");
    told("transaction_id", "");
    assert_eq!(said(stage.channel.query(&call).await).trade_no, None);
}

#[tokio::test]
async fn what_it_cannot_carry_is_refused_by_its_field() {
    let stage = Stage::open().await;
    let (long_subject, long_number) = ("月".repeat(128), "1".repeat(33));
    let usd = Money::new(1, Currency::parse("USD").unwrap());
    let refused = |change: &dyn Fn(&mut Admission<'_>)| {
        let mut order = Admission {
            order_no: ORDER,
            method: "native",
            money: super::cny(1),
            subject: "月卡",
            expires_in_s: 7200,
            payer: None,
        };
        change(&mut order);
        let order = Admission {
            order_no: if order.order_no == "long" {
                &long_number
            } else {
                order.order_no
            },
            subject: if order.subject == "long" {
                &long_subject
            } else {
                order.subject
            },
            ..order
        };
        stage.channel.admits(&order).err().map(|it| it.field)
    };
    assert_eq!(refused(&|_| {}), None);
    assert_eq!(refused(&|it| it.order_no = "12345"), Some("order_no"));
    assert_eq!(refused(&|it| it.order_no = "long"), Some("order_no"));
    assert_eq!(refused(&|it| it.order_no = "ORDER 1"), Some("order_no"));
    assert_eq!(refused(&|it| it.method = "app"), Some("method"));
    assert_eq!(refused(&|it| it.money = usd), Some("currency"));
    assert_eq!(refused(&|it| it.money.amount = 0), Some("amount"));
    assert_eq!(refused(&|it| it.money.amount = 1_000_001), Some("amount"));
    assert_eq!(refused(&|it| it.subject = "long"), Some("subject"));
    assert_eq!(refused(&|it| it.expires_in_s = 59), Some("expires_in"));
    assert_eq!(refused(&|it| it.expires_in_s = 7201), Some("expires_in"));

    let by = |it: &mut Admission<'_>, payer: Option<&'static str>| {
        (it.method, it.payer) = ("jsapi", payer);
    };
    let openid = Some("oUpF8uMuAJO_M2pxb1Q9zNjWeS6o");
    assert_eq!(refused(&|it| by(it, openid)), None);
    assert_eq!(refused(&|it| by(it, None)), Some("payer"));
    assert_eq!(refused(&|it| by(it, Some("a b"))), Some("payer"));
}
