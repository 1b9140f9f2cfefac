//! The app's key and Alipay's, held against each other before anything is signed with them.

use super::certificates;
use super::{AlipaySettings, Certificates, Trust};
use crate::channels::opening::{Opening, SettingRefusal};
use crate::channels::rsa::{self, RsaSigner, RsaVerifier};
use crate::channels::words::printable;
use x509_cert::Certificate;

/// What signs, what verifies, and in certificate mode the numbers of the certificates.
pub(super) struct Keys {
    pub(super) app: RsaSigner,
    /// One; or two while Alipay's certificate changes.
    alipay: Vec<AlipayKey>,
    pub(super) certificates: Option<Numbers>,
}

/// A key of Alipay's, and in certificate mode the setting and the number of its certificate.
struct AlipayKey {
    certificate: Option<(&'static str, String)>,
    key: RsaVerifier,
}

/// What requests name, see [`certificates`].
pub(super) struct Numbers {
    pub(super) app: String,
    pub(super) root: String,
}

impl Keys {
    /// Reads the keys. What goes wrong most often is told from the rest: the app's own public key in the place of
    /// Alipay's, and a certificate of another key.
    pub(super) fn of(opening: &Opening, settings: &AlipaySettings) -> Result<Self, SettingRefusal> {
        let app = RsaSigner::parse(&settings.app_private_key)
            .map_err(|refusal| opening.refuse("app_private_key", refusal))?;
        match &settings.trust {
            Trust::PublicKey(key) => with_public_key(opening, app, key),
            Trust::Certificates(files) => with_certificates(opening, app, files),
        }
    }

    /// Whether Alipay has signed this text: with the key of the certificate that it names, or with any that is loaded
    /// where it names none. An error says that the certificate is not loaded.
    pub(super) fn verifies(
        &self,
        named: Option<&str>,
        text: &[u8],
        signature: &str,
    ) -> Result<bool, String> {
        let is_named = |key: &&AlipayKey| match (&key.certificate, named) {
            (Some((_, number)), Some(named)) => number == named,
            (Some(_), None) | (None, _) => true,
        };
        let mut keys = self.alipay.iter().filter(is_named).peekable();
        match named {
            Some(named) if keys.peek().is_none() => Err(self.not_loaded(named)),
            Some(_) | None => Ok(keys.any(|key| key.key.verifies(text, signature))),
        }
    }

    fn not_loaded(&self, named: &str) -> String {
        let loaded = self
            .alipay
            .iter()
            .filter_map(|key| key.certificate.as_ref());
        let loaded: Vec<String> = loaded
            .map(|(setting, number)| format!("{setting} is {number}"))
            .collect();
        let named = printable(named);
        format!(
            "signed under certificate {named}, and {}",
            loaded.join(", ")
        )
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
        alipay: vec![AlipayKey {
            certificate: None,
            key: alipay,
        }],
        certificates: None,
    })
}

fn with_certificates(
    opening: &Opening,
    app: RsaSigner,
    files: &Certificates,
) -> Result<Keys, SettingRefusal> {
    let (of_app, app_key) = leaf(opening, "app_cert", &files.app)?;
    if app_key != app.public() {
        let problem = "is not a certificate of app_private_key";
        return Err(opening.refuse("app_cert", problem));
    }
    let bundle =
        rsa::certificates(&files.root).map_err(|refusal| opening.refuse("root_cert", refusal))?;
    let root = certificates::root_number(&bundle).ok_or_else(|| {
        let problem = "has no certificate that is signed with RSA; needed is Alipay's bundle (alipayRootCert.crt)";
        opening.refuse("root_cert", problem)
    })?;
    let beside = Beside {
        opening,
        app: app.public(),
        bundle,
    };
    let (of_alipay, key) = beside.alipay("alipay_cert", &files.alipay)?;
    for (setting, certificate) in [("app_cert", &of_app), ("alipay_cert", &of_alipay)] {
        if certificates::has_ended(certificate, opening.clock.wall()) {
            let problem = "has ended; needed is the one that followed it";
            return Err(opening.refuse(setting, problem));
        }
    }
    // The end of the previous one is not looked at: that it is near is why there is another.
    let previous = files.previous.as_deref();
    let previous = previous.map(|text| beside.alipay("previous_alipay_cert", text));
    let previous = previous.transpose()?.map(|(_, key)| key);
    Ok(Keys {
        app,
        alipay: [key].into_iter().chain(previous).collect(),
        certificates: Some(Numbers {
            app: certificates::number(&of_app),
            root,
        }),
    })
}

/// What a certificate of Alipay's is held against.
struct Beside<'a> {
    opening: &'a Opening,
    /// The app's own public key.
    app: RsaVerifier,
    bundle: Vec<Certificate>,
}

impl Beside<'_> {
    /// The certificate of Alipay's in this file, and its key. The sandbox's files do not all hold the certificate that
    /// leads to the root.
    fn alipay(
        &self,
        setting: &'static str,
        text: &str,
    ) -> Result<(Certificate, AlipayKey), SettingRefusal> {
        let opening = self.opening;
        let (certificate, key) = leaf(opening, setting, text)?;
        if key == self.app {
            let problem =
                "is the app's own certificate; needed is Alipay's (alipayCertPublicKey_RSA2.crt)";
            return Err(opening.refuse(setting, problem));
        }
        if opening.account.live {
            let file =
                rsa::certificates(text).map_err(|refusal| opening.refuse(setting, refusal))?;
            certificates::leads_to(&self.bundle, &file)
                .map_err(|problem| opening.refuse(setting, problem))?;
        }
        let number = certificates::number(&certificate);
        let key = AlipayKey {
            certificate: Some((setting, number)),
            key,
        };
        Ok((certificate, key))
    }
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
