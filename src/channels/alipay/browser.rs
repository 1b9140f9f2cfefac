//! Payments that begin in the payer's browser: nothing is called, the payer carries the signed request to Alipay.

use super::gateway::{CONTENT, Gateway, Returns};
use crate::domain::order::NextAction;
use serde::Serialize;

/// Bytes of an address that servers and proxies carry without being asked: half of the 8 KiB that is common for all
/// of a request's head.
const ADDRESS_MAX: usize = 4_096;

/// What the payer's browser opens: an address, or a form that sends itself where the address would be too long.
/// `None`: it cannot be signed.
pub(super) fn action(
    gateway: &Gateway,
    method: &'static str,
    content: &impl Serialize,
    returns: Returns<'_>,
) -> Option<NextAction> {
    let mut signed = gateway.sign(method, content, returns)?;
    let in_body = gateway.address_with(&signed.parameters);
    signed.parameters.push((CONTENT, signed.content.clone()));
    let address = gateway.address_with(&signed.parameters);
    if address.as_str().len() <= ADDRESS_MAX {
        return Some(NextAction {
            kind: "redirect".to_owned(),
            value: address.into(),
        });
    }
    Some(NextAction {
        kind: "form".to_owned(),
        value: format!(
            "<form id=\"alipay\" method=\"post\" accept-charset=\"utf-8\" action=\"{}\">\
             <input type=\"hidden\" name=\"{CONTENT}\" value=\"{}\"></form>\
             <script>document.getElementById(\"alipay\").submit()</script>",
            attribute(in_body.as_str()),
            attribute(&signed.content)
        ),
    })
}

/// As the value of an attribute in quotes.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
