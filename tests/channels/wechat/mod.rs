//! The WeChat Pay channel against its double and against what official SDKs have made.

mod bill_limits;
mod bills;
mod certificates;
mod charges;
mod notices;
mod refunds;
mod settings;
mod trust;

use crate::doubles::wechat::{WechatDouble, keys};
use oncepay::channels::opening::{Opening, SettingRefusal};
use oncepay::channels::wechat::{self, WechatSettings};
use oncepay::channels::{Channel, ChargeCall, RefundCall};
use oncepay::clock::{Clock, SharedClock};
use oncepay::domain::order::Fingerprint;
use oncepay::domain::{Currency, Money, UnixMillis};
use secrecy::SecretString;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// 2026-11-30T10:00:12Z, when the vectors were made.
const NOW_S: i64 = 1_796_032_812;

/// A clock that a test moves.
pub(super) struct Hands {
    wall_ms: AtomicI64,
    mono_ms: AtomicI64,
}

impl Hands {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            wall_ms: AtomicI64::new(NOW_S * 1000),
            mono_ms: AtomicI64::new(0),
        })
    }

    fn pass(&self, seconds: i64) {
        self.wall_ms.fetch_add(seconds * 1000, Ordering::SeqCst);
        self.mono_ms.fetch_add(seconds * 1000, Ordering::SeqCst);
    }
}

impl Clock for Hands {
    fn wall(&self) -> UnixMillis {
        UnixMillis(self.wall_ms.load(Ordering::SeqCst))
    }

    fn mono_ms(&self) -> i64 {
        self.mono_ms.load(Ordering::SeqCst)
    }
}

fn settings() -> WechatSettings {
    WechatSettings {
        mchid: keys::MCHID.to_owned(),
        appid: keys::APPID.to_owned(),
        merchant_private_key: SecretString::from(keys::MERCHANT_KEY),
        merchant_serial: keys::MERCHANT_SERIAL.to_owned(),
        apiv3_key: SecretString::from(keys::APIV3_KEY),
        public_key: Some((
            keys::PUBLIC_KEY_ID.to_owned(),
            keys::PLATFORM_PUBLIC_KEY.to_owned(),
        )),
        platform_certs: Vec::new(),
    }
}

/// Without any key of WeChat Pay's: certificates are downloaded.
fn settings_without_keys() -> WechatSettings {
    WechatSettings {
        public_key: None,
        ..settings()
    }
}

fn open_at(
    base_url: &str,
    clock: SharedClock,
    settings: WechatSettings,
) -> Result<Arc<dyn Channel>, SettingRefusal> {
    let opening = Opening {
        account: Fingerprint {
            channel: "wechat".to_owned(),
            merchant: keys::MCHID.to_owned(),
            live: false,
        },
        base_url: base_url.to_owned(),
        loopback: true,
        amount_max: Some(1_000_000),
        clock,
    };
    wechat::open(opening, settings)
}

/// A channel, its gateway and their clock.
struct Stage {
    channel: Arc<dyn Channel>,
    gateway: WechatDouble,
    hands: Arc<Hands>,
}

impl Stage {
    async fn open() -> Self {
        Self::with(settings(), keys::PUBLIC_KEY_ID).await
    }

    /// WeChat Pay signs under this serial number.
    async fn with(settings: WechatSettings, serial: &str) -> Self {
        let hands = Hands::new();
        let clock: SharedClock = hands.clone();
        let gateway = WechatDouble::start(clock.clone(), serial).await;
        let channel = open_at(&gateway.base_url(), clock, settings).expect("a channel");
        Self {
            channel,
            gateway,
            hands,
        }
    }
}

fn cny(amount: i64) -> Money {
    Money::new(amount, Currency::parse("CNY").expect("a currency"))
}

const ORDER: &str = "ORDER20261130000001";

/// A call about an order of 88.88 CNY that was made now.
fn charge(method: &str) -> ChargeCall {
    ChargeCall {
        order_no: ORDER.to_owned(),
        idempotency_key: format!("pay:order:{ORDER}"),
        method: method.to_owned(),
        money: cny(8888),
        subject: "测试商品".to_owned(),
        expires_in_s: 7200,
        notify_url: "https://merchant.example/notify/wechat".to_owned(),
        return_url: None,
        payer: (method == "jsapi").then(|| "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o".to_owned()),
        channel_ref: None,
        trade_no: None,
        created_at: UnixMillis(NOW_S * 1000),
        first_submit_at: None,
        timeout: Duration::from_secs(20),
    }
}

/// A call about a refund of 10.00 of those 88.88 CNY.
fn refund(trade_no: &str) -> RefundCall {
    RefundCall {
        order_no: ORDER.to_owned(),
        idempotency_key: format!("pay:order:{ORDER}"),
        method: "native".to_owned(),
        charged: cny(8888),
        refund_no: "r-1".to_owned(),
        trade_no: trade_no.to_owned(),
        paid: cny(8888),
        money: cny(1000),
        reason: Some("退货".to_owned()),
        channel_ref: None,
        channel_refund_no: None,
        created_at: UnixMillis(NOW_S * 1000),
        first_sent_at: None,
        notify_url: "https://merchant.example/notify/wechat".to_owned(),
        timeout: Duration::from_secs(20),
    }
}
