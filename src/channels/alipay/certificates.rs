//! The numbers by which Alipay names certificates: MD5 of the issuer's name and the serial number.

use md5::{Digest, Md5};
use x509_cert::Certificate;

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
