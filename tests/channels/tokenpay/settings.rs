//! What is refused when the channel is opened.

use super::{open, settings};
use oncepay::channels::tokenpay::TokenpaySettings;
use secrecy::SecretString;

#[test]
fn a_setting_that_cannot_be_is_named_and_no_secret_is_quoted() {
    let refused = |settings| {
        open("http://127.0.0.1:1", settings)
            .map(|_| ())
            .unwrap_err()
    };
    for token in ["", " secret", "secret\n"] {
        let refusal = refused(TokenpaySettings {
            api_token: SecretString::from(token),
            ..settings()
        });
        assert_eq!(refusal.key, "api_token");
        assert!(!refusal.to_string().contains("secret"), "{refusal}");
    }
    for currency in ["JPY", "KWD", "cny", "USDT"] {
        let refusal = refused(TokenpaySettings {
            base_currency: currency.to_owned(),
            ..settings()
        });
        assert_eq!(refusal.key, "base_currency", "{currency}");
    }
}
