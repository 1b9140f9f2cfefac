//! Alipay's open platform: trades by code (`qr`) and in the payer's browser (`page`, `wap`), through its gateway with
//! RSA2, with public keys or with certificates.

mod beijing;
mod bill;
mod bounce;
mod browser;
mod certificates;
mod charge;
mod codes;
mod form;
mod gateway;
mod keys;
mod methods;
mod notice;
mod pay_per_use;
mod refund;
mod reply;
pub mod sign;
mod yuan;

use super::bill::{BillCall, BillFault, BillTotals, EachLine};
use super::client;
use super::opening::{Opening, SettingRefusal};
use super::pay_per_use::PaysPerUse;
use super::{
    Acknowledge, AcknowledgementBody, Admission, Call, CallKind, Channel, ChargeCall, FieldRefusal,
    Notice, RawNotice, RefundCall, Rejection,
};
use crate::domain::UnixMillis;
use crate::domain::order::{Answer, Fingerprint, RefundAnswer};
use crate::domain::schedule::Capabilities;
use gateway::Gateway;
use keys::Keys;
use reqwest::Url;
use std::path::Path;
use std::sync::Arc;

/// What is Alipay's own in the configuration.
#[derive(Debug)]
pub struct AlipaySettings {
    pub app_id: String,
    /// The seller that notices and bills are to be of; `None`: it is not compared.
    pub seller_id: Option<String>,
    /// PKCS #8 or PKCS #1, in PEM or as its base64 alone.
    pub app_private_key: secrecy::SecretString,
    pub trust: Trust,
    /// Of the method `qr`, instead of the usual one, as the contract has it.
    pub product_code: Option<String>,
}

/// Whose signature is Alipay's.
#[derive(Debug)]
pub enum Trust {
    /// Alipay's own public key for the app: SPKI or PKCS #1, in PEM or as its base64 alone.
    PublicKey(String),
    Certificates(Certificates),
}

/// In PEM: `appCertPublicKey_….crt`, `alipayRootCert.crt` and `alipayCertPublicKey_RSA2.crt`.
#[derive(Debug)]
pub struct Certificates {
    pub app: String,
    pub root: String,
    pub alipay: String,
    /// What Alipay may still sign with while its certificate changes.
    pub previous: Option<String>,
}

/// Opens the channel.
///
/// # Errors
/// When a key cannot be read, or is not the other half of what it stands beside.
pub fn open(
    opening: Opening,
    settings: AlipaySettings,
) -> Result<Arc<dyn Channel>, SettingRefusal> {
    let keys = Keys::of(&opening, &settings)?;
    let address = Url::parse(&opening.base_url)
        .map_err(|error| opening.refuse("gateway", format!("is no address: {error}")))?;
    let client = client::client(opening.loopback)
        .map_err(|error| opening.refuse("gateway", format!("cannot be called: {error}")))?;
    Ok(Arc::new(Alipay {
        account: opening.account,
        amount_max: opening.amount_max,
        seller_id: settings.seller_id,
        product_code: settings.product_code,
        gateway: Gateway {
            client,
            address,
            loopback: opening.loopback,
            app_id: settings.app_id,
            keys,
            clock: opening.clock,
        },
    }))
}

struct Alipay {
    account: Fingerprint,
    amount_max: Option<i64>,
    seller_id: Option<String>,
    product_code: Option<String>,
    gateway: Gateway,
}

impl Channel for Alipay {
    fn name(&self) -> &str {
        &self.account.channel
    }

    fn account(&self) -> Fingerprint {
        self.account.clone()
    }

    /// One number is one trade for ever. A trade begins only when the payer scans the code or logs in, so that no close
    /// can end what was shown before; what ends it is `time_expire`, which every submit sets to the order's own end.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            one_charge_per_key: true,
            resubmits: true,
            key_life_ms: None,
            closes: true,
            refunds: true,
            own_expiry: true,
            asynchronous: false,
            repeats_action: true,
            settles_within_ms: 0,
        }
    }

    fn default_method(&self) -> &'static str {
        methods::DEFAULT
    }

    fn admits(&self, order: &Admission<'_>) -> Result<(), FieldRefusal> {
        methods::admits(order, self.amount_max)
    }

    fn submit<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        let product = self.product_code.as_deref();
        Box::pin(charge::submit(&self.gateway, product, call))
    }

    /// The address of a page, or its form, is made and signed here.
    fn answers_here(&self, kind: CallKind, call: &ChargeCall) -> bool {
        let method = methods::Method::named(&call.method);
        kind == CallKind::Submit && method.is_none_or(methods::Method::is_browsers)
    }

    fn query<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(charge::query(&self.gateway, call))
    }

    fn close<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(charge::close(&self.gateway, call))
    }

    fn refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(refund::send(&self.gateway, call))
    }

    fn query_refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(refund::query(&self.gateway, call))
    }

    fn fetch_bill<'a>(&'a self, call: BillCall<'a>) -> Call<'a, Result<(), BillFault>> {
        Box::pin(bill::fetch(&self.gateway, call))
    }

    fn read_bill(&self, file: &Path, each: EachLine<'_>) -> Result<BillTotals, BillFault> {
        bill::read(file, self.seller_id.as_deref(), each)
    }

    fn pay_per_use(&self) -> Option<&dyn PaysPerUse> {
        Some(self)
    }

    fn verify(&self, notice: &RawNotice<'_>, _now: UnixMillis) -> Result<Notice, Rejection> {
        let recipient = notice::Recipient {
            app_id: &self.gateway.app_id,
            seller_id: self.seller_id.as_deref(),
            keys: &self.gateway.keys,
        };
        notice::verify(&recipient, notice)
    }

    /// Anything but these seven bytes makes Alipay send the notice again.
    fn acknowledgement(&self, received: Acknowledge) -> AcknowledgementBody {
        AcknowledgementBody {
            content_type: "text/plain; charset=utf-8",
            body: match received {
                Acknowledge::Received => "success",
                Acknowledge::SendAgain => "fail",
            }
            .to_owned(),
        }
    }
}
