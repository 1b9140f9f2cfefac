//! Signatures: ours are those of any other implementation, a text verifies under its key alone, and it makes no
//! difference in how many parts it is handed over. Timestamps and the names in addresses beside them.

use super::bytes::Bytes;
use super::keys::{FOREIGN, PREVIOUS, SECRET, one_byte_off, signature};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use oncepay::channels::http::sign::{self, Stamped, encode_segment};
use oncepay::channels::signing::{self, SigningKey, is_fresh};
use oncepay::config::secret::is_signing_key;
use oncepay::domain::UnixMillis;
use secrecy::SecretString;

pub(crate) fn hold(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    match bytes.below(4) {
        0 => secrets(&mut bytes),
        1 => timestamps(&mut bytes),
        2 => segments(&mut bytes),
        _ => texts(&mut bytes),
    }
}

fn key(secret: &str) -> SigningKey {
    SigningKey::parse(&SecretString::from(secret)).unwrap()
}

/// Any text is a key or is refused, by the configuration and by who uses it alike.
fn secrets(bytes: &mut Bytes<'_>) {
    let text = match bytes.below(3) {
        0 => bytes.text(100),
        1 => format!("whsec_{}", bytes.text(100)),
        _ => format!("whsec_{}", STANDARD.encode(bytes.piece(64))),
    };
    let secret = SecretString::from(text.as_str());
    let parsed = SigningKey::parse(&secret);
    assert_eq!(parsed.is_ok(), is_signing_key(&secret), "{text}");
    let Ok(key) = parsed else {
        return;
    };
    assert!(!format!("{key:?}").contains(&text));
    let over = bytes.rest();
    assert_eq!(key.sign(&[over]), signature(&text, over));
}

fn timestamps(bytes: &mut Bytes<'_>) {
    let now = UnixMillis(bytes.whole());
    let own = signing::timestamp(now);
    // Before 1970 nothing is signed: there is no such timestamp.
    assert_eq!(is_fresh(&own, now), now.0 >= 0, "{now:?}");
    let text = bytes.text(24);
    if is_fresh(&text, now) {
        let at: i128 = text.parse().unwrap();
        let now_s = i128::from(now.0).div_euclid(1_000);
        assert!((at - now_s).abs() <= 300, "{text} at {now:?}");
        assert!(text.bytes().all(|byte| byte.is_ascii_digit()));
    }
}

/// A segment of an address stands for one text alone.
fn segments(bytes: &mut Bytes<'_>) {
    let text = String::from_utf8_lossy(bytes.rest()).into_owned();
    let encoded = encode_segment(&text);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~%".contains(&byte);
    assert!(encoded.bytes().all(plain), "{encoded}");
    let mut decoded = Vec::new();
    let mut rest = encoded.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        if *first != b'%' {
            decoded.push(*first);
            continue;
        }
        let (code, more) = rest.split_at(2);
        rest = more;
        let code = std::str::from_utf8(code).unwrap();
        decoded.push(u8::from_str_radix(code, 16).unwrap());
    }
    assert_eq!(decoded, text.as_bytes());
}

fn texts(bytes: &mut Bytes<'_>) {
    let secret = *bytes.pick(&[SECRET, PREVIOUS]);
    let (place, by, split) = (bytes.below(4_096), bytes.byte(), bytes.below(4_096));
    let (id, timestamp, word) = (bytes.text(20), bytes.text(12), bytes.text(20));
    let (by_us, noise) = (bytes.flag(), bytes.text(60));
    let head = Stamped {
        id: &id,
        timestamp: &timestamp,
    };
    let body = bytes.rest();
    let parts: Vec<&[u8]> = match split % 3 {
        0 => sign::notice_text(head, body).to_vec(),
        1 => sign::request_text(head, "POST", &word, body).to_vec(),
        _ => sign::reply_text(head, &word, "200", body).to_vec(),
    };
    let text = parts.concat();
    let own = key(secret).sign(&parts);
    assert_eq!(own, signature(secret, &text), "not what others sign");
    assert_eq!(own, key(secret).sign(&[&text]));
    let (left, right) = text.split_at(split.checked_rem(text.len() + 1).unwrap_or_default());
    assert!(key(secret).verifies(&[left, right], &own));

    // During a rotation both sign, and who knows either of them is content.
    let both = format!(
        "{} {}",
        key(SECRET).sign(&parts),
        key(PREVIOUS).sign(&parts)
    );
    for known in [SECRET, PREVIOUS] {
        assert!(key(known).verifies(&parts, &both));
        let among = format!("{noise} {both}");
        assert!(noise.contains(' ') || key(known).verifies(&parts, &among));
    }
    assert!(!key(FOREIGN).verifies(&parts, &both), "a foreign key");
    assert!(!key(secret).verifies(&parts, &key(FOREIGN).sign(&parts)));

    if by_us && let Some(other) = one_byte_off(&text, place, by) {
        assert!(
            !key(secret).verifies(&[&other], &own),
            "one byte of the text"
        );
    }
    let other = one_byte_off(own.as_bytes(), place, by).and_then(|it| String::from_utf8(it).ok());
    if let Some(other) = other.filter(|_| !by_us) {
        assert!(
            !key(secret).verifies(&parts, &other),
            "one byte of {own}: {other}"
        );
    }
}
