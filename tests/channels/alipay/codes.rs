//! Every code of the table, through the real channel.

use super::{call, channel, refund_call, refund_word, word};
use crate::doubles::alipay::{AlipayDouble, Mishap};

/// Code, sub-code, and what a submit, a query, a close, a refund and its query make of it.
const TABLE: &str = "
10003 -                               pending     unreadable unreadable  unreadable unreadable
20000 isp.unknow-error                trouble     trouble    trouble     trouble    trouble
20000 aop.unknow-error                trouble     trouble    trouble     trouble    trouble
20001 aop.invalid-auth-token          not_sent    unreadable unreadable  repeatable unreadable
40001 isv.missing-method              declined    unreadable unreadable  repeatable unreadable
40001 isv.missing-signature           not_sent    unreadable unreadable  repeatable unreadable
40001 isv.missing-app-id              not_sent    unreadable unreadable  repeatable unreadable
40002 isv.invalid-parameter           declined    unreadable unreadable  repeatable unreadable
40002 isv.invalid-app-id              not_sent    unreadable unreadable  repeatable unreadable
40002 isv.invalid-signature           not_sent    unreadable unreadable  repeatable unreadable
40006 isv.insufficient-isv-permissions not_sent   unreadable unreadable  repeatable unreadable
40005 isv.app-call-limited            throttled   throttled  throttled   throttled  throttled
40004 ACQ.SYSTEM_ERROR                trouble     trouble    trouble     trouble    trouble
40004 AQC.SYSTEM_ERROR                trouble     trouble    trouble     trouble    trouble
40004 ACQ.TRADE_HAS_SUCCESS           ask_at_once unreadable ask_at_once unreadable unreadable
40004 ACQ.TRADE_HAS_CLOSE             closed      unreadable ask_at_once unreadable unreadable
40004 ACQ.CONTEXT_INCONSISTENT        conflict    unreadable unreadable  unreadable unreadable
40004 ACQ.TRADE_NOT_EXIST             unreadable  not_found  not_found   unreadable unreadable
40004 ACQ.INVALID_PARAMETER           declined    unreadable unreadable  failed     unreadable
40004 ACQ.PARTNER_ERROR               declined    unreadable unreadable  repeatable unreadable
40004 ACQ.TOTAL_FEE_EXCEED            declined    unreadable unreadable  unreadable unreadable
40004 ACQ.EXIST_FORBIDDEN_WORD        declined    unreadable unreadable  failed     unreadable
40004 ACQ.ACCESS_FORBIDDEN            declined    unreadable unreadable  repeatable unreadable
40004 ACQ.SELLER_BEEN_BLOCKED         declined    unreadable unreadable  repeatable unreadable
40004 ACQ.PAYMENT_AUTH_CODE_INVALID   declined    unreadable unreadable  unreadable unreadable
40004 ACQ.REASON_TRADE_STATUS_INVALID unreadable  unreadable ask_at_once unreadable unreadable
40004 ACQ.TRADE_STATUS_ERROR          unreadable  unreadable ask_at_once failed     unreadable
40004 ACQ.SELLER_BALANCE_NOT_ENOUGH   unreadable  unreadable unreadable  repeatable unreadable
40004 ACQ.REFUND_AMT_NOT_EQUAL_TOTAL  unreadable  unreadable unreadable  failed     unreadable
40004 ACQ.REASON_TRADE_REFUND_FEE_ERR unreadable  unreadable unreadable  failed     unreadable
40004 ACQ.TRADE_NOT_ALLOW_REFUND      unreadable  unreadable unreadable  failed     unreadable
40004 ACQ.TRADE_HAS_FINISHED          unreadable  unreadable unreadable  failed     unreadable
40004 ACQ.REASON_TRADE_BEEN_FREEZEN   unreadable  unreadable unreadable  failed     unreadable
40004 ACQ.DISCORDANT_REPEAT_REQUEST   unreadable  unreadable unreadable  conflict   unreadable
40004 ACQ.REFUND_CHARGE_ERROR         unreadable  unreadable unreadable  trouble    unreadable
40004 ACQ.NEVER_HEARD_OF              unreadable  unreadable unreadable  unreadable unreadable
49999 ACQ.TRADE_NOT_EXIST             unreadable  unreadable unreadable  unreadable unreadable
";

const METHODS: [&str; 5] = [
    "alipay.trade.precreate",
    "alipay.trade.query",
    "alipay.trade.close",
    "alipay.trade.refund",
    "alipay.trade.fastpay.refund.query",
];

#[tokio::test]
async fn every_code_means_what_the_table_says_and_no_other_means_anything() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let call = call("A1", "qr");
    let refund = refund_call("A1", "T1", "r-1", 100);
    for line in TABLE.lines().filter(|line| !line.is_empty()) {
        let cells: Vec<&'static str> = line.split_whitespace().collect();
        let sub_code = if cells[1] == "-" { "" } else { cells[1] };
        for method in METHODS {
            double.misbehave(method, Mishap::Code(cells[0], sub_code));
        }
        let seen = [
            word(&channel.submit(&call).await),
            word(&channel.query(&call).await),
            word(&channel.close(&call).await),
            refund_word(&channel.refund(&refund).await),
            refund_word(&channel.query_refund(&refund).await),
        ];
        let seen: Vec<String> = seen.iter().map(|word| word.replace(' ', "_")).collect();
        assert_eq!(seen, cells[2..], "{line}");
    }
    assert_eq!(double.trade("A1"), None);
}

#[tokio::test]
async fn what_the_gateway_says_of_itself_counts_if_it_is_signed_and_of_the_gateway() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let call = call("A1", "qr");
    for (code, signed, expected) in [
        ("40002", true, "not sent"),
        ("40002", false, "unreadable"),
        ("20000", true, "trouble"),
        ("40005", true, "throttled"),
        // An error of the gateway is never a word about a trade.
        ("40004", true, "unreadable"),
        ("10000", true, "unreadable"),
    ] {
        double.misbehave("alipay.trade.precreate", Mishap::GatewayError(code, signed));
        let answer = channel.submit(&call).await;
        assert_eq!(word(&answer), expected, "{code} {signed}");
    }
    double.misbehave(
        "alipay.trade.precreate",
        Mishap::GatewayError("40002", false),
    );
    let told = channel.submit(&call).await.summary().to_owned();
    assert_eq!(told, "unsigned, code 40002 isv.invalid-signature");
}
