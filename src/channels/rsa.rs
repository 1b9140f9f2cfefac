//! RSA signatures with SHA-256 in the form of PKCS #1 v1.5, and the forms in which merchants get their keys.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{
    KeyPair, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair, UnparsedPublicKey,
};
use secrecy::{ExposeSecret, SecretString};
use x509_cert::Certificate;
use x509_cert::der::Decode;
use x509_cert::spki::SubjectPublicKeyInfoOwned;

/// What is wrong with a key in the configuration; never the key itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyRefusal {
    #[error("must be a key in PEM, or its base64 alone")]
    Encoding,
    #[error("must be an RSA private key of at least 2048 bits, in PKCS #8 or PKCS #1")]
    NotPrivate,
    #[error("must be an RSA public key of at least 2048 bits")]
    NotPublic,
    #[error("must be a certificate in PEM with an RSA key")]
    NotACertificate,
    #[error("must be {wanted}, and is {given}")]
    Another { wanted: Kind, given: Kind },
    #[error("must be stored without its passphrase, as `openssl pkey -in FILE` writes it")]
    Encrypted,
}

/// What a block of PEM holds, by its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    PrivateKey,
    PublicKey,
    Certificate,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::PrivateKey => "an RSA private key",
            Self::PublicKey => "an RSA public key",
            Self::Certificate => "a certificate",
        })
    }
}

impl Kind {
    /// Of the first block; base64 alone does not say what it is.
    fn of(text: &str) -> Option<Self> {
        let (label, _) = text.trim().strip_prefix(BEGIN)?.split_once("-----")?;
        match label {
            private if private.ends_with("PRIVATE KEY") => Some(Self::PrivateKey),
            public if public.ends_with("PUBLIC KEY") => Some(Self::PublicKey),
            certificate if certificate.ends_with("CERTIFICATE") => Some(Self::Certificate),
            _ => None,
        }
    }

    /// Refuses what says of itself that it is something else.
    fn wants(self, text: &str) -> Result<(), KeyRefusal> {
        match Self::of(text) {
            Some(given) if given != self => Err(KeyRefusal::Another {
                wanted: self,
                given,
            }),
            Some(Self::PrivateKey) if text.contains("ENCRYPTED") => Err(KeyRefusal::Encrypted),
            Some(_) | None => Ok(()),
        }
    }
}

/// A private key that signs.
pub struct RsaSigner {
    key: RsaKeyPair,
    random: SystemRandom,
}

impl std::fmt::Debug for RsaSigner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("RsaSigner(…)")
    }
}

impl RsaSigner {
    /// The key in this text: PKCS #8 or PKCS #1, in PEM or as its base64 alone.
    ///
    /// # Errors
    /// When it has another form.
    pub fn parse(text: &SecretString) -> Result<Self, KeyRefusal> {
        Kind::PrivateKey.wants(text.expose_secret())?;
        let der = der(text.expose_secret())?;
        let key = RsaKeyPair::from_pkcs8(&der).or_else(|_not_pkcs8| RsaKeyPair::from_der(&der));
        let key = key.ok().ok_or(KeyRefusal::NotPrivate)?;
        Ok(Self {
            key,
            random: SystemRandom::new(),
        })
    }

    /// The signature of this text in base64. It can fail only if the system gives no random numbers, which blind it.
    #[must_use]
    pub fn sign(&self, text: &[u8]) -> Option<String> {
        let mut signature = vec![0; self.key.public().modulus_len()];
        let signed = self
            .key
            .sign(&RSA_PKCS1_SHA256, &self.random, text, &mut signature);
        signed.ok().map(|()| STANDARD.encode(signature))
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> RsaVerifier {
        RsaVerifier {
            key: self.key.public_key().as_ref().to_vec(),
        }
    }
}

/// A public key that verifies. Two are equal if they are the same key.
#[derive(Clone, PartialEq, Eq)]
pub struct RsaVerifier {
    /// DER of PKCS #1.
    key: Vec<u8>,
}

impl std::fmt::Debug for RsaVerifier {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("RsaVerifier(…)")
    }
}

impl RsaVerifier {
    /// The key in this text: SPKI or PKCS #1, in PEM or as its base64 alone.
    ///
    /// # Errors
    /// When it has another form, or is a private key.
    pub fn parse(text: &str) -> Result<Self, KeyRefusal> {
        Kind::PublicKey.wants(text)?;
        let der = der(text)?;
        if let Ok(info) = SubjectPublicKeyInfoOwned::from_der(&der) {
            return Self::of_info(&info).ok_or(KeyRefusal::NotPublic);
        }
        Self::of_pkcs1(der).ok_or(KeyRefusal::NotPublic)
    }

    /// The key that a certificate is about.
    #[must_use]
    pub fn of_info(info: &SubjectPublicKeyInfoOwned) -> Option<Self> {
        const RSA_ENCRYPTION: &str = "1.2.840.113549.1.1.1";
        let is_rsa = info.algorithm.oid.to_string() == RSA_ENCRYPTION;
        let key = info.subject_public_key.as_bytes().filter(|_| is_rsa)?;
        Self::of_pkcs1(key.to_vec())
    }

    /// A modulus and an exponent, and nothing else: a private key has seven numbers more.
    fn of_pkcs1(key: Vec<u8>) -> Option<Self> {
        use x509_cert::der::asn1::UintRef;
        use x509_cert::der::{Reader, SliceReader};
        const BYTES_MIN: usize = 256;
        let mut outer = SliceReader::new(&key).ok()?;
        let modulus = outer.sequence(|inner| {
            let modulus: UintRef<'_> = inner.decode()?;
            let _exponent: UintRef<'_> = inner.decode()?;
            Ok::<_, x509_cert::der::Error>(modulus.as_bytes().len())
        });
        let whole = modulus.is_ok_and(|length| length >= BYTES_MIN) && outer.finish().is_ok();
        whole.then_some(Self { key })
    }

    /// Whether this signature in base64 is one of this text.
    #[must_use]
    pub fn verifies(&self, text: &[u8], signature: &str) -> bool {
        STANDARD
            .decode(signature)
            .is_ok_and(|signature| self.verifies_bytes(text, &signature))
    }

    /// Whether this signature is one of this text.
    #[must_use]
    pub fn verifies_bytes(&self, text: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &self.key)
            .verify(text, signature)
            .is_ok()
    }
}

/// The bytes of a key: PEM of any label, or base64 alone, broken into lines or not.
fn der(text: &str) -> Result<Vec<u8>, KeyRefusal> {
    let text = text.trim();
    if !text.starts_with(BEGIN) {
        return unwrapped(text);
    }
    let first = blocks(text)?.into_iter().next();
    first.map(|(_, der)| der).ok_or(KeyRefusal::Encoding)
}

const BEGIN: &str = "-----BEGIN ";

/// Labels and contents of the blocks in a text of PEM. Lines may have any width: those of Alipay's certificates have 76
/// columns, where the format asks for 64.
fn blocks(text: &str) -> Result<Vec<(&str, Vec<u8>)>, KeyRefusal> {
    text.split(BEGIN)
        .skip(1)
        .map(|block| {
            let (label, rest) = block.split_once("-----").ok_or(KeyRefusal::Encoding)?;
            let end = format!("-----END {label}-----");
            let (body, _) = rest.split_once(&end).ok_or(KeyRefusal::Encoding)?;
            Ok((label, unwrapped(body)?))
        })
        .collect()
}

fn unwrapped(base64: &str) -> Result<Vec<u8>, KeyRefusal> {
    let joined: String = base64
        .chars()
        .filter(|it| !it.is_ascii_whitespace())
        .collect();
    STANDARD.decode(joined).ok().ok_or(KeyRefusal::Encoding)
}

/// The certificates in a bundle of PEM, in their order.
///
/// # Errors
/// When one of them cannot be read, or there is none.
pub fn certificates(bundle: &str) -> Result<Vec<Certificate>, KeyRefusal> {
    Kind::Certificate.wants(bundle)?;
    let none = KeyRefusal::NotACertificate;
    let blocks = blocks(bundle).ok().ok_or(none)?;
    let all: Option<Vec<_>> = blocks
        .iter()
        .map(|(_, der)| Certificate::from_der(der).ok())
        .collect();
    all.filter(|all| !all.is_empty()).ok_or(none)
}
