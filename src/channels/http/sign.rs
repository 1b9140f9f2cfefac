//! The texts that are signed in the processor protocol. What is signed is what is on the wire, byte for byte.

/// Names of the three headers of a signed message.
pub const ID: &str = "webhook-id";
pub const TIMESTAMP: &str = "webhook-timestamp";
pub const SIGNATURE: &str = "webhook-signature";
/// The header of every POST.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The id and the timestamp of a signed message, as its headers have them.
#[derive(Debug, Clone, Copy)]
pub struct Stamped<'a> {
    pub id: &'a str,
    pub timestamp: &'a str,
}

/// `{id}.{timestamp}.{METHOD} {path}\n{body}`; `path` is the raw path and query as sent.
#[must_use]
pub const fn request_text<'a>(
    head: Stamped<'a>,
    method: &'a str,
    path: &'a str,
    body: &'a [u8],
) -> [&'a [u8]; 9] {
    [
        head.id.as_bytes(),
        b".",
        head.timestamp.as_bytes(),
        b".",
        method.as_bytes(),
        b" ",
        path.as_bytes(),
        b"\n",
        body,
    ]
}

/// `{id}.{timestamp}.{webhook-id of the request}.{STATUS}\n{body}`: bound to the request that it answers.
#[must_use]
pub const fn reply_text<'a>(
    head: Stamped<'a>,
    request_id: &'a str,
    status: &'a str,
    body: &'a [u8],
) -> [&'a [u8]; 9] {
    [
        head.id.as_bytes(),
        b".",
        head.timestamp.as_bytes(),
        b".",
        request_id.as_bytes(),
        b".",
        status.as_bytes(),
        b"\n",
        body,
    ]
}

/// `{id}.{timestamp}.{body}`: Standard Webhooks.
#[must_use]
pub const fn notice_text<'a>(head: Stamped<'a>, body: &'a [u8]) -> [&'a [u8]; 5] {
    [
        head.id.as_bytes(),
        b".",
        head.timestamp.as_bytes(),
        b".",
        body,
    ]
}

/// Percent-encodes one segment of a path: everything but unreserved characters.
#[must_use]
pub fn encode_segment(segment: &str) -> String {
    let mut encoded = String::with_capacity(segment.len().saturating_mul(2));
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
