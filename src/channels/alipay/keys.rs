//! The app's key and Alipay's, held against each other before anything is signed with them.

use super::certificates;
use super::{AlipaySettings, Trust};
use crate::channels::opening::{Opening, SettingRefusal};
use crate::channels::rsa::{self, RsaSigner, RsaVerifier};
use x509_cert::Certificate;

/// What signs, what verifies, and in certificate mode the numbers of the certificates.
pub(super) struct Keys {
    pub(super) app: RsaSigner,
    pub(super) alipay: RsaVerifier,
    pub(super) certificates: Option<Numbers>,
}

/// See [`certificates`].
pub(super) struct Numbers {
    pub(super) app: String,
    pub(super) root: String,
    pub(super) alipay: String,
}

impl Keys {
    /// Reads the keys. What goes wrong most often is told from the rest: the app's own public key in the place of
    /// Alipay's, and a certificate of another key.
    pub(super) fn of(opening: &Opening, settings: &AlipaySettings) -> Result<Self, SettingRefusal> {
        let app = RsaSigner::parse(&settings.app_private_key)
            .map_err(|refusal| opening.refuse("app_private_key", refusal))?;
        match &settings.trust {
            Trust::PublicKey(key) => with_public_key(opening, app, key),
            Trust::Certificates {
                app: of_app,
                root,
                alipay,
            } => with_certificates(opening, app, of_app, root, alipay),
        }
    }
}

fn with_public_key(opening: &Opening, app: RsaSigner, key: &str) -> Result<Keys, SettingRefusal> {
    const KEY: &str = "alipay_public_key";
    let alipay = RsaVerifier::parse(key).map_err(|refusal| opening.refuse(KEY, refusal))?;
    if alipay == app.public() {
        let problem = "is the public key of app_private_key; needed is Alipay's, which the open platform shows for it";
        return Err(opening.refuse(KEY, problem));
    }
    Ok(Keys {
        app,
        alipay,
        certificates: None,
    })
}

fn with_certificates(
    opening: &Opening,
    app: RsaSigner,
    of_app: &str,
    root: &str,
    of_alipay: &str,
) -> Result<Keys, SettingRefusal> {
    let (of_app, app_key) = leaf(opening, "app_cert", of_app)?;
    if app_key != app.public() {
        let problem = "is not a certificate of app_private_key";
        return Err(opening.refuse("app_cert", problem));
    }
    let (of_alipay, alipay) = leaf(opening, "alipay_cert", of_alipay)?;
    if alipay == app.public() {
        let problem =
            "is the app's own certificate; needed is Alipay's (alipayCertPublicKey_RSA2.crt)";
        return Err(opening.refuse("alipay_cert", problem));
    }
    let bundle = rsa::certificates(root).map_err(|refusal| opening.refuse("root_cert", refusal))?;
    let root = certificates::root_number(&bundle).ok_or_else(|| {
        let problem = "has no certificate that is signed with RSA; needed is Alipay's bundle (alipayRootCert.crt)";
        opening.refuse("root_cert", problem)
    })?;
    Ok(Keys {
        app,
        alipay,
        certificates: Some(Numbers {
            app: certificates::number(&of_app),
            root,
            alipay: certificates::number(&of_alipay),
        }),
    })
}

/// The first certificate of a file, which is the one that the file is named after, and its key.
fn leaf(
    opening: &Opening,
    key: &'static str,
    text: &str,
) -> Result<(Certificate, RsaVerifier), SettingRefusal> {
    let all = rsa::certificates(text).map_err(|refusal| opening.refuse(key, refusal))?;
    let first = all.into_iter().next();
    let not_one = || opening.refuse(key, rsa::KeyRefusal::NotACertificate);
    let first = first.ok_or_else(not_one)?;
    let info = first.tbs_certificate().subject_public_key_info();
    let public = RsaVerifier::of_info(info).ok_or_else(not_one)?;
    Ok((first, public))
}
