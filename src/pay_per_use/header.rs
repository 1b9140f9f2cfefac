//! The three headers: JSON in base64.
//!
//! Source: github.com/alipay/ai, the contract of the A402 interface, and its sample proofs.

use super::offer::{Offer, amount};
use crate::channels::pay_per_use::{PaymentProof, Seller};
use crate::domain::order::statement::Proof;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::{Deserialize, Serialize};

/// Of a `402`: what to pay.
pub(super) const NEEDED: &str = "payment-needed";
/// Of a request: that it was paid.
pub(super) const PROOF: &str = "payment-proof";
/// Of what is released: which payment it was released for.
pub(super) const VALIDATION: &str = "payment-validation";

/// With padding or without.
const ANY_PADDING: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[derive(Serialize)]
struct Needed<'a> {
    protocol: NeededProtocol<'a>,
    method: NeededMethod<'a>,
}

#[derive(Serialize)]
struct NeededProtocol<'a> {
    out_trade_no: &'a str,
    amount: String,
    currency: &'a str,
    resource_id: &'a str,
    pay_before: &'a str,
    seller_signature: &'a str,
    seller_sign_type: &'static str,
    seller_unique_id: &'a str,
}

#[derive(Serialize)]
struct NeededMethod<'a> {
    seller_name: &'a str,
    seller_id: &'a str,
    seller_app_id: &'a str,
    goods_name: &'a str,
    seller_unique_id_key: &'static str,
    service_id: &'a str,
}

/// What `Payment-Needed` says of this offer, signed so.
pub(super) fn needed(
    offer: &Offer<'_>,
    seller: &Seller,
    seller_name: &str,
    signature: &str,
) -> Option<String> {
    let currency = offer.price.currency;
    written(&Needed {
        protocol: NeededProtocol {
            out_trade_no: &offer.number,
            amount: amount(offer.price),
            currency: currency.as_str(),
            resource_id: offer.resource,
            pay_before: &offer.pay_before,
            seller_signature: signature,
            seller_sign_type: "RSA2",
            seller_unique_id: &seller.seller_id,
        },
        method: NeededMethod {
            seller_name,
            seller_id: &seller.seller_id,
            seller_app_id: &seller.app_id,
            goods_name: offer.goods_name,
            seller_unique_id_key: "seller_id",
            service_id: offer.service_id,
        },
    })
}

#[derive(Deserialize)]
struct ProofJson {
    protocol: ProofProtocol,
    #[serde(default)]
    method: Option<ProofMethod>,
}

#[derive(Deserialize)]
struct ProofProtocol {
    payment_proof: String,
    trade_no: String,
}

#[derive(Deserialize)]
struct ProofMethod {
    #[serde(default)]
    client_session: Option<String>,
}

/// What `Payment-Proof` says. The contract asks for base64url, the live product writes the usual base64: both are read,
/// padded or not.
pub(super) fn proof(value: &str) -> Option<PaymentProof> {
    let usual = value.trim().replace('-', "+").replace('_', "/");
    let json = ANY_PADDING.decode(usual).ok()?;
    let ProofJson { protocol, method } = serde_json::from_slice(&json).ok()?;
    let is_whole = Proof::is_trade_no(&protocol.trade_no) && !protocol.payment_proof.is_empty();
    is_whole.then(|| PaymentProof {
        trade_no: protocol.trade_no,
        payment_proof: protocol.payment_proof,
        client_session: method.and_then(|method| method.client_session),
    })
}

#[derive(Serialize)]
struct Validation<'a> {
    trade_no: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    out_trade_no: Option<&'a str>,
    validated: bool,
    resource_id: &'a str,
}

/// What `Payment-Validation` says of what is released.
pub(super) fn validation(
    trade_no: &str,
    out_trade_no: Option<&str>,
    resource_id: &str,
) -> Option<String> {
    written(&Validation {
        trade_no,
        out_trade_no,
        validated: true,
        resource_id,
    })
}

fn written(json: &impl Serialize) -> Option<String> {
    Some(URL_SAFE_NO_PAD.encode(serde_json::to_vec(json).ok()?))
}
