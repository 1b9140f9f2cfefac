//! Lines of a configuration and variables of an environment, made of bytes.

use super::bytes::Bytes;

/// What nobody may be told, also not when it stands in the wrong place,
/// as far as it can be known by its look.
pub(crate) const SECRETS: [&str; 4] = [
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "opk_merchant_0123456789abcdef0123456789abcdef",
    ":hunter2hunter2@",
    "sk_live_51HabcDEFghi",
];

const KEYS: [&str; 62] = [
    "server.listen",
    "server.admin_listen",
    "server.public_url",
    "server.ui_deadline",
    "server.on_deadline",
    "server.trusted_proxies",
    "server.return_hosts",
    "server.body_limit",
    "server.in_flight_max",
    "server.data_dir",
    "database.url",
    "database.readers",
    "checks.submit_timeout",
    "checks.query_timeout",
    "checks.schedule",
    "checks.pending_schedule",
    "checks.expiry_attempts",
    "checks.expiry_margin",
    "checks.startup_grace",
    "checks.not_found_grace",
    "checks.max_submits",
    "checks.startup_spread",
    "callbacks.deadline",
    "channels.till.kind",
    "channels.till.base_url",
    "channels.till.secret",
    "channels.till.live",
    "channels.till.merchant",
    "channels.till.read_timeout",
    "channels.till.late_success",
    "channels.till.not_found_grace",
    "channels.till.amount_max",
    "channels.till.rate",
    "channels.till.circuit",
    "channels.till.circuit.failures",
    "channels.till.circuit.pause",
    "channels.my-till.kind",
    "channels.my-till.base_url",
    "channels.my-till.secret",
    "channels.my-till.read_timeout",
    "sandbox.mounted",
    "sandbox.allow",
    "alerts.from",
    "alerts.to",
    "alerts.smtp_url",
    "alerts.digest_window",
    "alerts.daily_at",
    "limits.requests_per_key",
    "limits.callbacks_per_address",
    "limits.account_daily.CNY",
    "review.second_person_above.cny",
    "fulfilment.url",
    "fulfilment.secrets",
    "fulfilment.schedule",
    "fulfilment.allow_private",
    "ledger.overdraft.u1",
    "ledger.on_refund",
    "ledger.subscription_period",
    "retention.deliveries",
    "keys",
    "reconcile",
    "unheard.of",
];

const VALUES: [&str; 54] = [
    "\"127.0.0.1:8080\"",
    "\"0.0.0.0:80\"",
    "\"[::ffff:127.0.0.1]:8080\"",
    "\"http://127.0.0.1:8080/sandbox\"",
    "\"https://pay.example.com\"",
    "\"https://pay.example.com/payments/\"",
    "\"http://pay.localhost/x\"",
    "\"http://[::ffff:127.0.0.1]:9/x\"",
    "\"http://[::1]:9\"",
    "\"HTTPS://Pay.Example.com:443/a b\"",
    "\"https://user:hunter2hunter2@example.com\"",
    "\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"",
    "\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "[\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"]",
    "{ env = \"SECRET\" }",
    "{ env = \"sk_live_51HabcDEFghi\" }",
    "\"sk_live_51HabcDEFghi\"",
    "\"smtps://ops:hunter2hunter2@mail.example.com:465\"",
    "\"smtp://127.0.0.1:2525\"",
    "\"postgres://pay:hunter2hunter2@db/oncepay\"",
    "\"sqlite://data/oncepay.db\"",
    "\"sqlite:\"",
    "\"http\"",
    "\"stripe\"",
    "true",
    "false",
    "0",
    "1",
    "20",
    "-1",
    "9223372036854775807",
    "1e3",
    "\"0\"",
    "\"1s\"",
    "\"120s\"",
    "\"61s\"",
    "\"1h\"",
    "\"366d\"",
    "\"9999999999d\"",
    "[\"1m\", \"5m\", \"15m\"]",
    "[]",
    "[\"1h\"]",
    "\"off\"",
    "\"200/s\"",
    "\"4294967295/s\"",
    "\"ops@example.com\"",
    "[\"ops@example.com\"]",
    "\"08:00\"",
    "\"refund\"",
    "\"accepted\"",
    "\"hold\"",
    "1979-05-27T07:32:00Z",
    "[{ name = \"shop\", role = \"merchant\", key = \"opk_merchant_0123456789abcdef0123456789abcdef\" }]",
    "[{ name = \"..\", role = \"opk_admin_0123456789abcdef0123456789abcdef\", key = 5 }]",
];

/// `server.listen = "127.0.0.1:8080"`, and sometimes nonsense.
pub(crate) fn line(bytes: &mut Bytes<'_>) -> String {
    if bytes.rarely(24) {
        return format!("{}\n", bytes.text(60));
    }
    // Good lines in one go: what stands behind the first refusal is looked at too.
    if bytes.rarely(12) {
        return "channels.till.kind = \"http\"\nchannels.till.base_url = \"http://127.0.0.1:8080/sandbox\"\n\
                channels.till.secret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\n"
            .to_owned();
    }
    format!("{} = {}\n", bytes.pick(&KEYS), value(bytes))
}

/// `ONCEPAY_SERVER__LISTEN` and its value, mostly without quotes.
pub(crate) fn variable(bytes: &mut Bytes<'_>) -> (String, String) {
    if bytes.rarely(8) {
        return (bytes.text(40), bytes.text(40));
    }
    let name = bytes.pick(&KEYS).to_uppercase().replace('.', "__");
    let name = name.replace('-', "_");
    let value = value(bytes);
    let value = if bytes.flag() {
        value
    } else {
        value.trim_matches('"').to_owned()
    };
    (format!("ONCEPAY_{name}"), value)
}

fn value(bytes: &mut Bytes<'_>) -> String {
    match bytes.below(12) {
        0 => bytes.whole().to_string(),
        1 => format!("{:?}", bytes.text(40)),
        _ => (*bytes.pick(&VALUES)).to_owned(),
    }
}
