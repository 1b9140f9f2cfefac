//! WeChat Pay, APIv3, for a merchant of its own: `native` (a QR code) and `jsapi` (inside WeChat).
//!
//! Requests are signed with the merchant's key, replies and notices with WeChat Pay's; nothing that is not so signed
//! says anything. A reply's signature does not bind it to its request, so that the numbers in it are compared.

mod admit;
mod authentic;
mod beijing;
mod bill;
mod charge;
mod codes;
mod download;
mod gateway;
mod keys;
mod notice;
mod refund;
mod refund_no;
mod sealed;
mod settings;
mod sign;
mod wire;

use super::bill::{BillCall, BillFault, BillTotals, EachLine};
use super::client::{self, CallFailure, Silence};
use super::opening::{Opening, SettingRefusal};
use super::{
    Acknowledge, AcknowledgementBody, Admission, Call, Channel, ChargeCall, FieldRefusal, Notice,
    RawNotice, RefundCall, Rejection, signing,
};
use crate::domain::UnixMillis;
use crate::domain::order::{Answer, Fingerprint, RefundAnswer};
use crate::domain::schedule::Capabilities;
use charge::Account;
use gateway::{Clock, Gateway, Request, Said};
use keys::KeyRing;
use sign::{Merchant, Stamp};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use wire::{AmountBody, AppParams, CloseBody, PayerBody, SubmitBody};

pub use settings::WechatSettings;

const NATIVE: &str = "native";
const JSAPI: &str = "jsapi";

/// A merchant of WeChat Pay and one app of its.
#[derive(Debug)]
struct WechatChannel {
    account: Fingerprint,
    mchid: String,
    appid: String,
    amount_max: Option<i64>,
    loopback: bool,
    gateway: Arc<Gateway>,
}

/// The channel with these keys.
///
/// # Errors
/// Names the key of the configuration that cannot be read or does not fit the others. It never quotes a secret.
pub fn open(
    opening: Opening,
    settings: WechatSettings,
) -> Result<Arc<dyn Channel>, SettingRefusal> {
    let keys = settings.keys(&opening)?;
    let client = client::client(opening.loopback)
        .map_err(|error| opening.refuse("base_url", format!("has no client: {error}")))?;
    let gateway = Gateway {
        client,
        base: opening.base_url,
        merchant: Merchant {
            mchid: settings.mchid.clone(),
            serial: settings.merchant_serial,
        },
        signer: keys.signer,
        apiv3: keys.apiv3,
        ring: KeyRing::new(keys.configured),
        public_key_id: keys.public_key_id,
        downloads: keys.downloads.then(Default::default),
        clock: Clock(opening.clock),
    };
    Ok(Arc::new(WechatChannel {
        account: opening.account,
        mchid: settings.mchid,
        appid: settings.appid,
        amount_max: opening.amount_max,
        loopback: opening.loopback,
        gateway: Arc::new(gateway),
    }))
}

impl WechatChannel {
    fn names(&self) -> Account<'_> {
        Account {
            mchid: &self.mchid,
            appid: &self.appid,
        }
    }

    async fn post<T: serde::Serialize>(
        &self,
        target: String,
        body: &T,
        timeout: Duration,
    ) -> Result<Said, Silence> {
        let body = serde_json::to_vec(body).ok().ok_or_else(not_built)?;
        let request = Request::post(target, body);
        self.gateway.call(request, timeout).await
    }

    async fn make_submit(&self, call: &ChargeCall) -> Result<Answer, Silence> {
        let is_jsapi = call.method == JSAPI;
        let expires_at = call.created_at.plus(call.expires_in_s.saturating_mul(1000));
        let body = SubmitBody {
            appid: &self.appid,
            mchid: &self.mchid,
            description: &call.subject,
            out_trade_no: &call.order_no,
            time_expire: beijing::rfc3339(expires_at).ok_or_else(not_built)?,
            notify_url: &call.notify_url,
            amount: AmountBody {
                total: call.money.amount,
                currency: call.money.currency,
            },
            payer: call
                .payer
                .as_deref()
                .filter(|_| is_jsapi)
                .map(|openid| PayerBody { openid }),
        };
        let method = if is_jsapi { JSAPI } else { NATIVE };
        let target = format!("/v3/pay/transactions/{method}");
        let said = self.post(target, &body, call.timeout).await?;
        Ok(if is_jsapi {
            charge::jsapi(call, &said, |prepay_id| self.app_params(prepay_id))
        } else {
            charge::native(call, &said)
        })
    }

    /// What a payer's WeChat pays with, as JSON; signed now.
    fn app_params(&self, prepay_id: &str) -> Option<String> {
        let timestamp = signing::timestamp(self.gateway.clock.0.wall());
        let nonce = sign::nonce();
        let package = format!("prepay_id={prepay_id}");
        let stamp = Stamp {
            timestamp: &timestamp,
            nonce: &nonce,
        };
        let text = sign::pay_text(&self.appid, stamp, &package);
        let params = AppParams {
            app_id: &self.appid,
            time_stamp: &timestamp,
            nonce_str: &nonce,
            package: &package,
            sign_type: "RSA",
            pay_sign: &self.gateway.signer.sign(&text)?,
        };
        serde_json::to_string(&params).ok()
    }

    async fn make_query(&self, call: &ChargeCall) -> Result<Answer, Silence> {
        let target = format!(
            "/v3/pay/transactions/out-trade-no/{}?mchid={}",
            call.order_no, self.mchid
        );
        let said = self
            .gateway
            .call(Request::get(target), call.timeout)
            .await?;
        Ok(charge::queried(call, &said, self.names()))
    }

    async fn make_close(&self, call: &ChargeCall) -> Result<Answer, Silence> {
        let target = format!("/v3/pay/transactions/out-trade-no/{}/close", call.order_no);
        let body = CloseBody { mchid: &self.mchid };
        let said = self.post(target, &body, call.timeout).await?;
        Ok(charge::closed(call, &said))
    }

    async fn make_refund(&self, call: &RefundCall) -> Result<RefundAnswer, Silence> {
        let target = "/v3/refund/domestic/refunds".to_owned();
        let body = refund::SendBody::of(call);
        let said = self.post(target, &body, call.timeout).await?;
        Ok(refund::answered(refund::Call::Send, call, &said))
    }

    async fn make_refund_query(&self, call: &RefundCall) -> Result<RefundAnswer, Silence> {
        let target = format!("/v3/refund/domestic/refunds/{}", refund::number_of(call));
        let said = self
            .gateway
            .call(Request::get(target), call.timeout)
            .await?;
        Ok(refund::answered(refund::Call::Query, call, &said))
    }
}

fn not_built() -> Silence {
    CallFailure::NotSent("the request could not be built".to_owned()).into()
}

impl Channel for WechatChannel {
    fn name(&self) -> &str {
        &self.account.channel
    }

    fn account(&self) -> Fingerprint {
        self.account.clone()
    }

    /// A number is one charge for ever, and the same parameters again are the same charge; `time_expire` is the last
    /// moment at which a payer can pay.
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
        NATIVE
    }

    fn admits(&self, order: &Admission<'_>) -> Result<(), FieldRefusal> {
        admit::admits(order, self.amount_max)
    }

    fn submit<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(async { self.make_submit(call).await.unwrap_or_else(Into::into) })
    }

    fn query<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(async { self.make_query(call).await.unwrap_or_else(Into::into) })
    }

    fn close<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(async { self.make_close(call).await.unwrap_or_else(Into::into) })
    }

    fn refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(async { self.make_refund(call).await.unwrap_or_else(Into::into) })
    }

    fn query_refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(async {
            let answer = self.make_refund_query(call).await;
            answer.unwrap_or_else(Into::into)
        })
    }

    fn fetch_bill<'a>(&'a self, call: BillCall<'a>) -> Call<'a, Result<(), BillFault>> {
        Box::pin(bill::fetch(&self.gateway, self.loopback, call))
    }

    fn read_bill(&self, file: &Path, each: EachLine<'_>) -> Result<BillTotals, BillFault> {
        bill::read(file, self.names(), each)
    }

    fn verify(&self, notice: &RawNotice<'_>, now: UnixMillis) -> Result<Notice, Rejection> {
        notice::verify(&self.gateway, self.names(), notice, now)
    }

    /// Received is 200 without a body.
    fn acknowledgement(&self, received: Acknowledge) -> AcknowledgementBody {
        AcknowledgementBody {
            content_type: "application/json",
            body: match received {
                Acknowledge::Received => "",
                Acknowledge::SendAgain => r#"{"code":"FAIL","message":"to be sent again"}"#,
            }
            .to_owned(),
        }
    }
}
