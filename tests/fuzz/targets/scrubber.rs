//! The scrubber: any text is scrubbed without a panic, a card number, a mail address or a key that is planted in any
//! text does not survive, and what was scrubbed once is not scrubbed further.

use super::bytes::Bytes;
use oncepay::scrub::{is_clean, scrub};

/// What must not leave, and the part of it that would tell.
const PLANTS: [(&str, &str); 12] = [
    ("4111111111111111", "4111111111111111"),
    ("4111 1111 1111 1111", "1111 1111 1111"),
    ("4111-1111-1111-1111", "1111-1111-1111"),
    ("378282246310005", "378282246310005"),
    ("6222021234567890128", "6222021234567890128"),
    ("4222222222222", "4222222222222"),
    ("zhang.san@example.com", "zhang.san"),
    ("zhang.san%40example.com", "zhang.san"),
    (
        "opk_merchant_0123456789abcdef0123456789abcdef",
        "0123456789abcdef",
    ),
    ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqr"),
    ("sk_live_51HabcDEFghi", "51HabcDEFghi"),
    ("13812345678", "13812345678"),
];

/// Letters that belong to no number, name, address or key.
const APART: [&str; 6] = [
    " — card: ",
    "\n», «",
    " (number) ",
    "，号码：",
    " is | ",
    " <b>; ",
];

pub(crate) fn hold(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let (plant, telling) = *bytes.pick(&PLANTS);
    let (before, after) = (*bytes.pick(&APART), *bytes.pick(&APART));
    let place = bytes.below(4_096);
    let keep = bytes.text(20);
    let around = String::from_utf8_lossy(bytes.rest()).into_owned();
    settles(&around);
    kept(&around, &keep);

    let at = around.char_indices().map(|(at, _)| at);
    let places: Vec<usize> = at.chain([around.len()]).collect();
    let (left, right) = around.split_at(places[place % places.len()]);
    let text = format!("{left}{before}{plant}{after}{right}");
    let scrubbed = scrub(&text, &[]);
    assert!(
        !scrubbed.contains(telling) || around.contains(telling),
        "{text:?}\n{scrubbed:?}"
    );
    assert!(!is_clean(&text), "{text:?}");
    settles(&text);
}

/// What was scrubbed once stays as it is, however often it passes.
fn settles(text: &str) {
    let once = scrub(text, &[]);
    assert_eq!(scrub(&once, &[]), once, "{text:?}");
    assert!(!is_clean(text) || once == text, "{text:?}");
}

/// An identifier that is kept does not disturb what stands apart from it.
fn kept(text: &str, keep: &str) {
    let kept = scrub(text, &[keep]);
    assert_eq!(scrub(text, &[keep, ""]), kept);
    const CARD: &str = "5555555555554444";
    let apart = scrub(&format!("{text} — {CARD} — {keep}"), &[keep]);
    let hides = keep.len() >= 11 || text.contains(CARD);
    assert!(
        hides || !apart.contains(CARD),
        "{text:?} keeps {keep:?}: {apart:?}"
    );
}
