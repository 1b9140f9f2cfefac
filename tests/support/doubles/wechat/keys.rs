//! The keys that the double and its shops share; they were made for tests alone.

pub const MCHID: &str = "1900000001";
pub const APPID: &str = "wx0000000000000001";
pub const MERCHANT_SERIAL: &str = "3775B6A45ACD588826D15E583A95F5DD00000001";
pub const PUBLIC_KEY_ID: &str = "PUB_KEY_ID_0116000000002026113000000000000001";
pub const PLATFORM_SERIAL: &str = "5157F09EFDC096DE15EBE81A47057A7232F1B8E1";
/// Of a certificate that replaces the other one. Its first bit is set, so that its DER has a zero byte before it.
pub const SECOND_SERIAL: &str = "F157F09EFDC096DE15EBE81A47057A7232F1B8E2";

macro_rules! key {
    ($name:literal) => {
        include_str!(concat!("../../../channels/vectors/wechat/keys/", $name))
    };
}

pub const APIV3_KEY: &str = key!("wechat_apiv3.key");
pub const MERCHANT_KEY: &str = key!("wechat_merchant.pkcs8.pem");
pub const MERCHANT_KEY_PKCS1: &str = key!("wechat_merchant.pkcs1.pem");
pub const MERCHANT_PUBLIC_KEY: &str = key!("wechat_merchant.pub.pem");
pub const PLATFORM_KEY: &str = key!("wechat_platform.pkcs8.pem");
pub const PLATFORM_PUBLIC_KEY: &str = key!("wechat_platform.pub.pem");
pub const PLATFORM_CERTIFICATE: &str = key!("wechat_platform.cert.pem");
pub const SECOND_KEY: &str = key!("wechat_platform_2.pkcs8.pem");
pub const SECOND_CERTIFICATE: &str = key!("wechat_platform_2.cert.pem");
pub const ATTACKERS_KEY: &str = key!("attacker.pkcs8.pem");
