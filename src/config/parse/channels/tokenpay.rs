//! `kind = "tokenpay"`: a TokenPay gateway that the merchant runs.

use super::{OfKind, base_url, is_merchant, merchant, needed_secret};
use crate::config::section::Section;
use crate::config::{ChannelKind, TokenpayExpired, TokenpayKeys};
use reqwest::Url;

/// What the gateway knows by name: its token or coin, and the chain.
const TOKENS: [&str; 7] = [
    "USDT_TRC20",
    "TRX",
    "EVM_BSC_USDT_BEP20",
    "EVM_ETH_USDT_ERC20",
    "EVM_ETH_USDC_ERC20",
    "EVM_BSC_BNB",
    "EVM_ETH_ETH",
];

/// What its `BaseCurrency` may be; the first where it is not configured.
const BASE_CURRENCIES: [&str; 8] = ["CNY", "USD", "EUR", "GBP", "AUD", "HKD", "TWD", "SGD"];

pub(super) fn read(section: &mut Section<'_>) -> Option<OfKind> {
    let base_url = base_url(section, "base_url", None);
    let merchant = merchant(section);
    let api_token = needed_secret(section, "api_token", "the gateway's ApiToken");
    let token_currency = section.parsed("token_currency", &TOKENS.join(", "), |text| {
        TOKENS.contains(&text).then(|| text.to_owned())
    });
    let base_currency = section.parsed("base_currency", &BASE_CURRENCIES.join(", "), |text| {
        BASE_CURRENCIES.contains(&text).then(|| text.to_owned())
    });
    let expired = section.parsed("expired", "\"closed\" or \"manual\"", |text| match text {
        "closed" => Some(TokenpayExpired::Closed),
        "manual" => Some(TokenpayExpired::Manual),
        _ => None,
    });
    let ([token, ..], [currency, ..]) = (TOKENS, BASE_CURRENCIES);
    let base_url = base_url?;
    Some(OfKind {
        // A gateway has one account, and no name for it.
        merchant: merchant.or_else(|| host(&base_url)),
        base_url,
        live: None,
        play_on_loopback: false,
        kind: ChannelKind::Tokenpay(TokenpayKeys {
            api_token: api_token?,
            token_currency: token_currency.unwrap_or_else(|| token.to_owned()),
            base_currency: base_currency.unwrap_or_else(|| currency.to_owned()),
            expired: expired.unwrap_or(TokenpayExpired::Closed),
        }),
    })
}

/// Where the gateway is: its host, and its port if it is named.
fn host(base_url: &str) -> Option<String> {
    let url = Url::parse(base_url).ok()?;
    let name = url.host_str()?;
    let host = match url.port() {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    };
    is_merchant(&host).then_some(host)
}
