//! Certificates: the numbers by which Alipay names them (MD5 of the issuer's name and the serial number), their ends, and
//! the chain that leads from one to the bundle of roots.

use crate::channels::rsa::RsaVerifier;
use crate::domain::UnixMillis;
use md5::{Digest, Md5};
use x509_cert::Certificate;
use x509_cert::der::Encode;

/// RSA with SHA-256, with which Alipay signs all certificates below its root.
const RSA_SHA256: &str = "1.2.840.113549.1.1.11";
/// Of Alipay's there are two: the certificate, and the one that signed it.
const CHAIN_MAX: usize = 4;

/// `app_cert_sn`, `alipay_cert_sn`: 32 hex digits. The issuer is written as `CN=…,OU=…,O=…,C=…`, the serial number in
/// decimal. (The official SDKs' `AntCertificationUtil.getCertSN`.)
pub(super) fn number(certificate: &Certificate) -> String {
    let content = certificate.tbs_certificate();
    let serial = decimal(content.serial_number().as_bytes());
    hex::encode(Md5::digest(format!("{}{serial}", content.issuer())))
}

/// `alipay_root_cert_sn`: those of the bundle that are signed with RSA, joined with `_`. The bundle also has some that
/// are signed with ECDSA or SM2, which do not count. `None`: there is none with RSA.
pub(super) fn root_number(bundle: &[Certificate]) -> Option<String> {
    const SIGNED_WITH_RSA: &str = "1.2.840.113549.1.1.";
    let numbers: Vec<String> = bundle
        .iter()
        .filter(|certificate| {
            let algorithm = certificate.signature_algorithm().oid.to_string();
            algorithm.starts_with(SIGNED_WITH_RSA)
        })
        .map(number)
        .collect();
    (!numbers.is_empty()).then(|| numbers.join("_"))
}

/// Whether its time is over.
pub(super) fn has_ended(certificate: &Certificate, now: UnixMillis) -> bool {
    let not_after = certificate.tbs_certificate().validity().not_after;
    let end_s = not_after.to_unix_duration().as_secs();
    i64::try_from(end_s).is_ok_and(|end_s| end_s < now.0.div_euclid(1_000))
}

/// Whether signatures lead from the first certificate of a file, by way of the others in it, to one of the bundle; or
/// where that ends.
pub(super) fn leads_to(bundle: &[Certificate], file: &[Certificate]) -> Result<(), String> {
    let mut at = file.first().ok_or("holds no certificate")?;
    for _ in 0..CHAIN_MAX {
        if bundle.iter().any(|root| has_signed(root, at)) {
            return Ok(());
        }
        let issuer = at.tbs_certificate().issuer();
        at = file
            .iter()
            .find(|it| has_signed(it, at))
            .ok_or_else(|| format!("is signed by nobody that root_cert leads to: {issuer}"))?;
    }
    Err("is too far from root_cert".to_owned())
}

/// Whether the name and the signature are those of this issuer.
fn has_signed(issuer: &Certificate, certificate: &Certificate) -> bool {
    let (by, of) = (issuer.tbs_certificate(), certificate.tbs_certificate());
    if by.subject() != of.issuer()
        || certificate.signature_algorithm().oid.to_string() != RSA_SHA256
    {
        return false;
    }
    let key = RsaVerifier::of_info(by.subject_public_key_info());
    let signed = (of.to_der().ok(), certificate.signature().as_bytes());
    match (key, signed) {
        (Some(key), (Some(text), Some(signature))) => key.verifies_bytes(&text, signature),
        _ => false,
    }
}

/// A number of any length, from its bytes, the highest first.
fn decimal(bytes: &[u8]) -> String {
    let mut digits: Vec<u32> = Vec::new();
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            let value = *digit * 256 + carry;
            *digit = value % 10;
            carry = value / 10;
        }
        while carry > 0 {
            digits.push(carry % 10);
            carry /= 10;
        }
    }
    let written: String = digits
        .iter()
        .rev()
        .filter_map(|digit| char::from_digit(*digit, 10))
        .collect();
    if written.is_empty() {
        "0".to_owned()
    } else {
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serial_number_is_written_in_decimal_however_long_it_is() {
        assert_eq!(decimal(&[]), "0");
        assert_eq!(decimal(&[0, 0]), "0");
        assert_eq!(decimal(&[1, 0]), "256");
        assert_eq!(decimal(&[0xff; 8]), u64::MAX.to_string());
        assert_eq!(
            decimal(&[0xff; 20]),
            "1461501637330902918203684832716283019655932542975"
        );
    }
}
