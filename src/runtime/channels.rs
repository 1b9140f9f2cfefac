//! From what is configured to channels.

use super::RuntimeError;
use crate::channels::Channel;
use crate::channels::alipay::{self, AlipaySettings, Certificates, Trust};
use crate::channels::http::{HttpChannel, HttpChannelSettings};
use crate::channels::opening::Opening;
use crate::channels::stripe::{self, StripeSettings};
use crate::channels::tokenpay::{self, TokenpaySettings, WhenExpired};
use crate::channels::wechat::{self, WechatSettings};
use crate::clock::SharedClock;
use crate::config::{
    AlipayTrust, ChannelKind, ChannelSettings, TokenpayExpired, TokenpayKeys, is_loopback,
};
use crate::domain::order::Fingerprint;
use std::sync::Arc;

/// Opens a channel: its keys are read, and held against each other.
pub fn open_channel(
    name: &str,
    configured: &ChannelSettings,
    clock: &SharedClock,
) -> Result<Arc<dyn Channel>, RuntimeError> {
    let opening = Opening {
        account: Fingerprint {
            channel: name.to_owned(),
            merchant: configured.merchant.clone(),
            live: configured.live,
        },
        base_url: configured.base_url.clone(),
        loopback: is_loopback(&configured.base_url),
        amount_max: configured.amount_max,
        clock: Arc::clone(clock),
    };
    of_kind(opening, configured)
}

fn of_kind(
    opening: Opening,
    configured: &ChannelSettings,
) -> Result<Arc<dyn Channel>, RuntimeError> {
    Ok(match configured.kind.clone() {
        ChannelKind::Http {
            secret,
            previous_secret,
        } => {
            let settings = HttpChannelSettings {
                name: opening.account.channel,
                base_url: opening.base_url,
                secret,
                previous_secret,
                live: Some(opening.account.live),
                merchant: Some(opening.account.merchant),
                amount_max: opening.amount_max,
            };
            Arc::new(HttpChannel::new(settings, opening.clock)?)
        }
        ChannelKind::Alipay(keys) => {
            let trust = match keys.trust {
                AlipayTrust::PublicKey(key) => Trust::PublicKey(key),
                AlipayTrust::Certificates {
                    app,
                    root,
                    alipay,
                    previous,
                } => Trust::Certificates(Certificates {
                    app,
                    root,
                    alipay,
                    previous,
                }),
            };
            let settings = AlipaySettings {
                app_id: keys.app_id,
                seller_id: keys.seller_id,
                app_private_key: keys.app_private_key,
                trust,
                product_code: keys.product_code,
            };
            alipay::open(opening, settings)?
        }
        ChannelKind::Wechat(keys) => {
            let settings = WechatSettings {
                mchid: keys.mchid,
                appid: keys.appid,
                merchant_private_key: keys.merchant_private_key,
                merchant_serial: keys.merchant_serial,
                apiv3_key: keys.apiv3_key,
                public_key: keys.public_key,
                platform_certs: keys.platform_certs,
            };
            wechat::open(opening, settings)?
        }
        ChannelKind::Stripe(keys) => {
            let settings = StripeSettings {
                secret_key: keys.secret_key,
                webhook_secrets: keys.webhook_secrets,
            };
            stripe::open(opening, settings)?
        }
        ChannelKind::Tokenpay(keys) => tokenpay::open(opening, tokenpay_settings(keys))?,
    })
}

fn tokenpay_settings(keys: TokenpayKeys) -> TokenpaySettings {
    TokenpaySettings {
        api_token: keys.api_token,
        token_currency: keys.token_currency,
        base_currency: keys.base_currency,
        when_expired: match keys.expired {
            TokenpayExpired::Closed => WhenExpired::Close,
            TokenpayExpired::Manual => WhenExpired::Manual,
        },
    }
}
