//! A good configuration to start from, and what is said about a bad one.

use oncepay::config::{ConfigError, Settings};

/// A merchant's configuration in which everything is in order.
pub(crate) const GOOD: &str = r#"
[server]
listen = "127.0.0.1:8080"
public_url = "http://127.0.0.1:8080"
ui_deadline = "60s"
[checks]
submit_timeout = "3s"
schedule = ["1m", "5m", "15m"]
[channels.sandbox]
kind = "http"
base_url = "http://127.0.0.1:8080/sandbox"
secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
read_timeout = "120s"
[[keys]]
name = "shop"
role = "merchant"
scopes = ["refunds"]
key = "opk_merchant_0123456789abcdef0123456789abcdef"
"#;

/// What an operator in a hurry may try when notices are refused.
pub(crate) const SWITCHES: [&str; 4] = [
    "verify",
    "verify_signature",
    "skip_verification",
    "insecure",
];

/// The good configuration with one piece exchanged.
pub(crate) fn with(old: &str, new: &str) -> String {
    assert!(
        GOOD.contains(old),
        "`{old}` is not in the good configuration"
    );
    GOOD.replace(old, new)
}

pub(crate) fn accept(text: &str) -> Settings {
    Settings::from_text(text).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn refuse(text: &str) -> ConfigError {
    match Settings::from_text(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error,
    }
}

/// Asserts that exactly this key is refused and that the message says this.
#[track_caller]
pub(crate) fn refused_at(text: &str, path: &str, says: &str) {
    let error = refuse(text);
    let paths: Vec<_> = error
        .problems
        .iter()
        .map(|problem| problem.path.as_str())
        .collect();
    assert_eq!(paths, [path], "{error}");
    assert!(
        error.to_string().contains(says),
        "`{says}` is not said by: {error}"
    );
}
