//! The sandbox's directives: any subject is read, what is no directive is named, and only the end of a subject scripts.

use super::bytes::Bytes;
use oncepay::sandbox::directives::Script;

const KNOWN: [&str; 36] = [
    "declined",
    "pending",
    "processing",
    "delay=",
    "land-after=",
    "lost-request",
    "lost-reply",
    "unsigned",
    "http=",
    "decline-submit=",
    "query=",
    "close=",
    "pay-after=",
    "late-success",
    "pay-twice",
    "callbacks=",
    "no-callback",
    "callback-delay=",
    "wrong-amount=",
    "wrong-currency=",
    "wrong-key=",
    "wrong-order=",
    "status=",
    "refund=",
    "refund-after=",
    "lost-refund",
    "lost-refund-reply",
    "refund-delay=",
    "refund-query=",
    "wrong-refund=",
    "no-refund-callback",
    "lost-request=",
    "lost-reply=",
    "unsigned=",
    "lost-refund=",
    "x=",
];
const VALUES: [&str; 22] = [
    "5s",
    "300ms",
    "0",
    "1",
    "2",
    "-1",
    "+1",
    "4294967295",
    "4294967296",
    "18446744073709551615ms",
    "18446744073709551615h",
    "unknown",
    "timeout",
    "not-found",
    "unsigned:1",
    "refuse:2",
    "500",
    "500-charged:1",
    "99999",
    "failed-later",
    "h",
    "é",
];

pub(crate) fn hold(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let subject = subject(&mut bytes);
    let script = Script::parse(&subject);
    assert_eq!(script, Script::parse(&subject), "not the same twice");
    let words: Vec<&str> = subject.split_whitespace().collect();
    let scripted = words
        .iter()
        .rev()
        .take_while(|word| word.starts_with('#'))
        .count();
    assert!(script.unknown.len() <= scripted);
    for word in &script.unknown {
        assert!(words.contains(&word.as_str()), "{word} was never said");
    }
    if scripted == 0 {
        assert_eq!(script, Script::default(), "scripted by no directive");
    }
    assert_eq!(
        Script::parse(&format!("{subject} plain")),
        Script::default(),
        "scripted from the middle of a subject"
    );
    let twice = Script::parse(&format!("{subject} #no-such-directive"));
    assert_eq!(
        twice.unknown.last().map(String::as_str),
        Some("#no-such-directive")
    );
    // Each copy of a notice is a request that this very machine makes.
    assert!(
        script.callbacks.0 <= 100,
        "{} copies at once",
        script.callbacks.0
    );
}

/// Free text, with directives at its end.
fn subject(bytes: &mut Bytes<'_>) -> String {
    let mut subject = String::new();
    for _ in 0..bytes.below(6) {
        subject.push_str(" #");
        subject.push_str(KNOWN[bytes.below(KNOWN.len())]);
        if bytes.flag() {
            subject.push_str(VALUES[bytes.below(VALUES.len())]);
        }
        if bytes.rarely(4) {
            subject.push_str(":3");
        }
    }
    let free = String::from_utf8_lossy(bytes.rest()).into_owned();
    if subject.len().is_multiple_of(2) {
        format!("{free}{subject}")
    } else {
        format!("{subject}{free}")
    }
}
