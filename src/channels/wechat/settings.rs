//! What a WeChat Pay channel is configured with, and what is refused at start.

use super::keys::{self, NamedKey};
use super::sealed::Apiv3Key;
use crate::channels::opening::{Opening, SettingRefusal};
use crate::channels::rsa::{RsaSigner, RsaVerifier};
use secrecy::SecretString;

/// A channel's keys, as texts. The public key, the certificates, both, or neither: without either, and beside
/// configured certificates, the certificates are downloaded.
#[derive(Debug)]
pub struct WechatSettings {
    pub mchid: String,
    pub appid: String,
    /// PKCS #8 or PKCS #1, in PEM or as its base64 alone.
    pub merchant_private_key: SecretString,
    /// The serial number of the merchant's certificate, in upper-case hexadecimal digits.
    pub merchant_serial: String,
    /// 32 bytes.
    pub apiv3_key: SecretString,
    /// Its id (`PUB_KEY_ID_…`), and WeChat Pay's public key.
    pub public_key: Option<(String, String)>,
    /// Certificates of the platform in PEM.
    pub platform_certs: Vec<String>,
}

/// The keys, read and held against each other.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) signer: RsaSigner,
    pub(super) apiv3: Apiv3Key,
    pub(super) configured: Vec<NamedKey>,
    /// The public key's id, where there is one: WeChat Pay is asked to sign with that key.
    pub(super) public_key_id: Option<String>,
    /// Whether certificates are downloaded.
    pub(super) downloads: bool,
}

const OWN_KEY: &str = "is the merchant's own key; needed is the one that WeChat Pay signs with";
const OWN_CERTIFICATE: &str = "is the merchant's own certificate; needed is one of the platform's, which WeChat Pay signs with";
const EXPIRED: &str =
    "has a certificate that has expired, which nothing is verified with any more: serial number";
const PLATFORM_SERIAL: &str =
    "is the serial number of a certificate in platform_certs; needed is that of the merchant's own";

impl WechatSettings {
    pub(super) fn keys(&self, opening: &Opening) -> Result<Keys, SettingRefusal> {
        let signer = RsaSigner::parse(&self.merchant_private_key)
            .map_err(|refusal| opening.refuse("merchant_private_key", refusal))?;
        let apiv3 = Apiv3Key::new(&self.apiv3_key)
            .ok_or_else(|| opening.refuse("apiv3_key", "must be exactly 32 bytes"))?;
        let own = signer.public();
        let mut configured = self.certificates(opening, &own)?;
        if configured
            .iter()
            .any(|it| it.serial == self.merchant_serial)
        {
            return Err(opening.refuse("merchant_serial", PLATFORM_SERIAL));
        }
        let downloads = self.public_key.is_none() || !configured.is_empty();
        if let Some((id, text)) = &self.public_key {
            let key = RsaVerifier::parse(text)
                .map_err(|refusal| opening.refuse("public_key", refusal))?;
            if key == own {
                return Err(opening.refuse("public_key", OWN_KEY));
            }
            let serial = id.clone();
            let expires_at = None;
            configured.push(NamedKey {
                serial,
                key,
                expires_at,
            });
        }
        Ok(Keys {
            signer,
            apiv3,
            configured,
            public_key_id: self.public_key.as_ref().map(|(id, _)| id.clone()),
            downloads,
        })
    }

    fn certificates(
        &self,
        opening: &Opening,
        own: &RsaVerifier,
    ) -> Result<Vec<NamedKey>, SettingRefusal> {
        let mut all = Vec::new();
        for bundle in &self.platform_certs {
            let keys = keys::of_certificates(bundle)
                .map_err(|refusal| opening.refuse("platform_certs", refusal))?;
            if keys.iter().any(|named| named.key == *own) {
                return Err(opening.refuse("platform_certs", OWN_CERTIFICATE));
            }
            let now = opening.clock.wall();
            if let Some(over) = keys.iter().find(|named| named.has_expired(now)) {
                let problem = format!("{EXPIRED} {}", over.serial);
                return Err(opening.refuse("platform_certs", problem));
            }
            all.extend(keys);
        }
        Ok(all)
    }
}
