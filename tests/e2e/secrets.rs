//! A whole payment at the finest log level: no key, signature, card or person leaves by log, mail, error or event.

use crate::support::{
    ADMIN, Chatty, MERCHANT, Mailbox, OPERATOR, Processor, Shop, Stage, VIEWER, eventually, order,
};
use serde_json::{Value, json};
use std::process::Command;

/// What a careless caller puts where it does not belong. Both cards pass the Luhn check.
const CARD: &str = "4111 1111 1111 1111";
const OTHER_CARD: &str = "5500005555555559";
const PHONE: &str = "13812345678";
const ADDRESS: &str = "zhang.san@example.net";
/// Looks like a card number, and is the merchant's own order number.
const ORDER_NO: &str = "20260726000017";
/// A key that nobody was given.
const STRANGER: &str = "stranger-with-a-wrong-key-0123456789";

/// Looks like a telephone, and is the merchant's own order number too.
const ORDER_NO_LIKE_A_PHONE: &str = "13987654321";
/// Looks like a mail address, and is an account.
const ACCOUNT: &str = "li.si@accounts.example.org";
/// Keys of others, which do not belong into any text either.
const FOREIGN_KEYS: [&str; 4] = [
    "sk_live_51HplantedKEYghi",
    "whsec_cGxhbnRlZFNlY3JldE9mQVNob3A=",
    "Bearer eyJplanted.eyJ0b2tlbiI6MX0.c2lnbmF0dXJl",
    "-----BEGIN PRIVATE KEY----- MIIEplantedPrivateKey -----END PRIVATE KEY-----",
];

const PEOPLE: [&str; 11] = [
    CARD,
    "4111111111111111",
    "4111-1111-1111-1111",
    OTHER_CARD,
    PHONE,
    ADDRESS,
    "zhang.san",
    "51Hplanted",
    "cGxhbnRlZF",
    "eyJplanted",
    "MIIEplanted",
];

/// Everything that a log must never hold of the keys.
fn keys(processor: &Processor) -> Vec<String> {
    let secret = processor.secret.clone();
    let bare = secret.trim_start_matches("whsec_").to_owned();
    let mut keys = vec![
        secret,
        bare,
        "test-secret-of-the-sandbox-processor".to_owned(),
    ];
    for key in [MERCHANT, OPERATOR, VIEWER, ADMIN] {
        let secret = key.rsplit('_').next().expect("a key has parts");
        keys.push(secret.to_owned());
    }
    keys
}

fn holds_none_of(what: &str, text: &str, forbidden: impl IntoIterator<Item = impl AsRef<str>>) {
    for leak in forbidden {
        let leak = leak.as_ref();
        let line = text.lines().find(|line| line.contains(leak));
        assert_eq!(line, None, "{leak} is in the {what}");
    }
}

/// A signature of 32 bytes in base64 after its version.
fn signature_in(text: &str) -> Option<&str> {
    let is_base64 =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '=');
    text.lines().find(|line| {
        line.match_indices("v1,").any(|(at, mark)| {
            let rest = &line[at + mark.len()..];
            rest.chars().take_while(|letter| is_base64(*letter)).count() >= 43
        })
    })
}

/// Every row of the database as text.
fn database_dump(shop: &Shop) -> String {
    if !shop.database.is_sqlite() {
        let dump = Command::new("pg_dump").arg(&shop.database.url).output();
        return String::from_utf8_lossy(&dump.expect("pg_dump runs").stdout).into_owned();
    }
    let data = shop.database.file().parent().expect("it is in a folder");
    let mut text = String::new();
    for file in std::fs::read_dir(data).expect("the folder is there") {
        let path = file.expect("a file").path();
        if path.is_file() {
            let bytes = std::fs::read(&path).expect("it can be read");
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
    text
}

/// An order that a person must look at, and what a careless one writes about it. Its id.
async fn reviewed_with_too_many_words(shop: &Shop, processor: &Processor) -> String {
    let subject = format!("{CARD} {PHONE} #lost-reply #query=unknown #no-callback");
    let mut body = order(ORDER_NO, &subject);
    let [live, hook, bearer, private] = FOREIGN_KEYS;
    body["metadata"] = json!({"card": OTHER_CARD, "mail": ADDRESS, "a": live, "b": hook, "c": bearer, "d": private});
    body["payer"] = json!(ADDRESS);
    body["account"] = json!(ACCOUNT);
    body["return_url"] =
        json!("https://shop.example.com/?pan=4111-1111-1111-1111&mail=zhang.san%40example.net");
    let created = shop.create_async(&body).await;
    assert_eq!(created.status, 202, "{:?}", created.body);
    assert_eq!(
        created.body["subject"], body["subject"],
        "the merchant's own words stay with the order"
    );
    assert_eq!(created.text("account"), ACCOUNT);
    let order_id = created.text("order_id");
    let manual = shop.becomes(order_id, "MANUAL").await;
    let keys = FOREIGN_KEYS.join(" ");
    let basis =
        format!("the payer {ADDRESS} ({PHONE}) paid with {CARD}, order {ORDER_NO}, says {keys}");
    let review = json!({"decision": "PAID", "basis": basis, "channel_trade_no": "bank-17",
        "expected_version": manual["version"]});
    let reviewed = shop.review(order_id, OPERATOR, &review).await;
    assert_eq!(reviewed.text("status"), "PAID", "{:?}", reviewed.body);
    let notice = json!({"trade_no": "bank-17", "order_no": ORDER_NO, "amount": 1999, "currency": "CNY",
        "idempotency_key": created.text("idempotency_key"), "status": "PAID"});
    let taken = shop.notify_signed(processor, "n-0", &notice).await;
    assert_eq!(taken.status, 200, "{:?}", taken.body);
    order_id.to_owned()
}

/// Strangers send what they should not, and with a wrong key.
async fn strangers_knock(shop: &Shop) {
    let forged = [
        ("webhook-id", "n-1".to_owned()),
        ("webhook-timestamp", "1".to_owned()),
        ("webhook-signature", format!("v1,{OTHER_CARD}")),
    ];
    let body = format!("{{\"card\": \"{CARD}\"}}").into_bytes();
    let refused = shop.notify("sandbox", &forged, body.clone()).await;
    assert_eq!(refused.status, 401);
    let by_card = shop.notify("4111111111111111", &forged, body).await;
    assert_eq!(by_card.status, 404);
    let headers = [
        ("x-request-id", "4111-1111-1111-1111"),
        ("idempotency-key", OTHER_CARD),
    ];
    let asked = format!("/v1/orders?{OTHER_CARD}=1&mail={ADDRESS}&order_no=4111111111111111%20");
    let answer = shop.ask_with("GET", &asked, &headers, None).await;
    assert_eq!(answer.status, 422);
    holds_none_of("answer", &answer.body.to_string(), PEOPLE);
    assert!(answer.header("x-request-id").starts_with("req_"));
    for foreign in FOREIGN_KEYS {
        let stranger = shop.ask("GET", "/v1/orders", foreign, None).await;
        assert_eq!(stranger.status, 401);
        holds_none_of("answer", &stranger.body.to_string(), PEOPLE);
    }
    let key = format!("opk_merchant_{STRANGER}");
    let stranger = shop.ask("GET", "/v1/orders", &key, None).await;
    assert_eq!(stranger.status, 401);
}

/// One order whose channel says a card number for a status, one that is declined with too many words, and one that is
/// simply paid. Their ids.
async fn ordinary_business(shop: &Shop) -> [String; 3] {
    let subject = format!("VIP #status={OTHER_CARD}");
    let frozen = shop.create_async(&order("frozen", &subject)).await;
    shop.becomes(frozen.text("order_id"), "MANUAL").await;
    let mut body = order("declined", "VIP");
    body["channel"] = json!("chatty");
    let declined = shop.create_async(&body).await;
    let ended = shop.becomes(declined.text("order_id"), "FAILED").await;
    let error = ended["last_error"].as_str().unwrap_or_default();
    assert!(error.contains("declined: [card number]"), "{error}");
    holds_none_of("order", error, PEOPLE);
    let paid = shop.create(&order(ORDER_NO_LIKE_A_PHONE, "VIP")).await;
    shop.becomes(paid.text("order_id"), "PAID").await;
    eventually("its callback has come", || async {
        let order = shop.get(paid.text("order_id")).await;
        let came = order["callback_count"] == 1;
        came.then_some(()).ok_or_else(|| order.to_string())
    })
    .await;
    [&frozen, &declined, &paid].map(|order| order.text("order_id").to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_payment_at_trace_leaks_nothing() {
    a_whole_payment_leaks_nothing("human").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_payment_at_trace_leaks_nothing_in_json_either() {
    let log = a_whole_payment_leaks_nothing("json").await;
    for line in log.lines().filter(|line| line.starts_with('{')) {
        let line: Value = serde_json::from_str(line).expect("each line is an object");
        for field in ["timestamp", "level", "target"] {
            assert!(line[field].is_string(), "{line}");
        }
    }
}

/// What it has logged, in this format.
async fn a_whole_payment_leaks_nothing(format: &str) -> String {
    let (processor, mailbox) = (Processor::start().await, Mailbox::open().await);
    let keys_said = FOREIGN_KEYS.join(" ");
    let chatty = Chatty::open(&format!(
        "declined: {CARD} of {ADDRESS}, {PHONE}, {keys_said}"
    ))
    .await;
    let mut stage = Stage::with_a_short_ladder()
        // Also what the HTTP server says itself.
        .with("ONCEPAY_LOG", "trace,actix_http=trace")
        .with("ONCEPAY_LOG_FORMAT", format);
    stage.server = "return_hosts = [\"shop.example.com\"]".to_owned();
    stage.more = chatty.channel();
    let mut shop = Shop::open_with_mail(&processor, stage, Some(&mailbox)).await;
    let reviewed = reviewed_with_too_many_words(&shop, &processor).await;
    strangers_knock(&shop).await;
    let [frozen, declined, paid] = ordinary_business(&shop).await;
    eventually("both mails have come", || async {
        let count = mailbox.distinct();
        (count >= 2).then_some(()).ok_or_else(|| count.to_string())
    })
    .await;

    let mut events = String::new();
    for order_id in [reviewed, frozen, declined, paid] {
        events.push_str(&json!(shop.events(&order_id).await).to_string());
    }
    let alerts = json!(shop.alerts().await).to_string();
    let mails: String = mailbox.mails().into_iter().map(|mail| mail.text).collect();
    assert_eq!(shop.stop().code(), Some(0));
    let log = shop.running.log();
    let dump = database_dump(&shop);

    assert!(log.contains("TRACE"), "the finest level is on");
    for (what, text) in [
        ("log", &log),
        ("events", &events),
        ("mails", &mails),
        ("database", &dump),
    ] {
        assert!(
            text.contains(ORDER_NO),
            "typed identifiers stay in the {what}"
        );
    }
    for (what, text) in [("log", &log), ("database", &dump)] {
        assert!(
            text.contains(ORDER_NO_LIKE_A_PHONE),
            "a number stays in the {what}"
        );
    }
    for (what, text) in [
        ("log", &log),
        ("mails", &mails),
        ("events", &events),
        ("alerts", &alerts),
    ] {
        holds_none_of(what, text, PEOPLE);
    }
    for (what, text) in [
        ("log", &log),
        ("mails", &mails),
        ("events", &events),
        ("alerts", &alerts),
        ("database", &dump),
    ] {
        holds_none_of(what, text, keys(&processor));
        holds_none_of(what, text, [STRANGER]);
        assert_eq!(signature_in(text), None, "a signature is in the {what}");
    }
    log
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_does_not_repeat_what_it_refuses() {
    let processor = Processor::start().await;
    let stage = Stage::default().with("ONCEPAY_LOG", "trace");
    let shop = Shop::open(&processor, stage).await;
    let mut wrong = Vec::new();
    for field in [
        "order_no",
        "currency",
        "method",
        "account",
        "return_url",
        "replaces",
        "payer",
    ] {
        let mut body = order("e-1", "VIP");
        body[field] = json!(format!("{CARD} {ADDRESS} \u{1}"));
        wrong.push(body);
    }
    let mut unknown = order("e-2", "VIP");
    unknown["card_number"] = json!(OTHER_CARD);
    wrong.push(unknown);
    let mut named = order("e-2", "VIP");
    named[OTHER_CARD] = json!(1);
    named[ADDRESS] = json!(1);
    named[FOREIGN_KEYS[0]] = json!(1);
    named["metadata"] = json!({CARD: 1, PHONE: "\u{1}"});
    wrong.push(named);
    let mut text = order("e-3", "VIP");
    text["amount"] = json!(OTHER_CARD);
    wrong.push(text);

    for body in wrong {
        let answer = shop.create(&body).await;
        assert_eq!(answer.status, 422, "{:?}", answer.body);
        holds_none_of("answer", &answer.body.to_string(), PEOPLE);
    }
    holds_none_of("log", &shop.running.log(), PEOPLE);
}
