//! The words that script the sandbox.

use oncepay::sandbox::directives::{Callbacks, Fault, Outcome, RefundOutcome, Script, Times};
use std::time::Duration;

#[test]
fn several_directives_at_the_end_are_combined() {
    let script =
        Script::parse("VIP+ 月卡 #delay=70s:2 #no-callback #query=timeout:1 #refund=pending");
    assert_eq!(
        script.delay,
        Some((Duration::from_secs(70), Times::First(2)))
    );
    assert_eq!(script.callbacks, Callbacks(0));
    assert_eq!(script.query, Some((Fault::Timeout, Times::First(1))));
    assert_eq!(script.refund, RefundOutcome::Pending);
    assert_eq!(script.unknown, Vec::<String>::new());
    assert_eq!(Script::fault(script.query, 1), Some(Fault::Timeout));
    assert_eq!(Script::fault(script.query, 2), None);
}

#[test]
fn only_words_at_the_end_are_directives() {
    assert_eq!(Script::parse("#declined but bought"), Script::default());
    assert_eq!(Script::parse("book no.#1"), Script::default());
    assert_eq!(Script::parse(""), Script::default());
    assert_eq!(Script::parse("#declined").outcome, Outcome::Declined);
}

#[test]
fn unknown_and_malformed_directives_are_listed_and_ignored() {
    let script =
        Script::parse("a #delay=soon #teapot #http=200 #close=refuse #query=refuse #callbacks=5");
    assert_eq!(
        script.unknown,
        ["#delay=soon", "#teapot", "#http=200", "#query=refuse"]
    );
    assert_eq!(script.close, Some((Fault::Refuse, Times::Always)));
    assert_eq!(script.callbacks, Callbacks(5));
    let flood = Script::parse("a #callbacks=101");
    assert_eq!((flood.callbacks, flood.unknown.len()), (Callbacks(1), 1));
    assert_eq!(Script::parse("a #callbacks=100").callbacks, Callbacks(100));
    assert_eq!(script.delay, None);
}

#[test]
fn durations_have_units() {
    for (text, millis) in [
        ("300ms", 300),
        ("5s", 5_000),
        ("2m", 120_000),
        ("1h", 3_600_000),
    ] {
        let script = Script::parse(&format!("a #pay-after={text}"));
        assert_eq!(
            script.pay_after,
            Some(Duration::from_millis(millis)),
            "{text}"
        );
    }
}

#[test]
fn a_charge_that_is_paid_later_is_pending_until_then() {
    assert_eq!(Script::parse("a #pay-after=5s").outcome, Outcome::Pending);
    assert_eq!(
        Script::parse("a #processing #pay-after=5s").outcome,
        Outcome::Processing
    );
}

proptest::proptest! {
    #[test]
    fn no_subject_breaks_the_reader(subject in ".{0,128}", directive in "#[a-z-]{0,16}=?[0-9a-z:-]{0,24}") {
        let script = Script::parse(&format!("{subject} {directive}"));
        proptest::prop_assert!(script.unknown.iter().all(|word| word.starts_with('#')));
    }
}

#[test]
fn refunds_have_words_of_their_own() {
    let script = Script::parse(
        "a #refund=bounced #refund-after=2s #lost-refund=1 #lost-refund-reply #refund-delay=3s:1 \
         #refund-query=not-found:2 #wrong-refund=7 #no-refund-callback",
    );
    assert_eq!(script.unknown, Vec::<String>::new());
    assert_eq!(script.refund, RefundOutcome::Bounced);
    assert_eq!(script.refund_after, Some(Duration::from_secs(2)));
    let faults = script.refund_faults;
    assert_eq!(faults.lost_request, Times::First(1));
    assert_eq!(faults.lost_reply, Times::Always);
    assert_eq!(
        faults.delay,
        Some((Duration::from_secs(3), Times::First(1)))
    );
    assert_eq!(faults.query, Some((Fault::NotFound, Times::First(2))));
    assert_eq!((faults.amount, faults.no_callback), (Some(7), true));
    let later = Script::parse("a #refund=failed-later").refund;
    assert_eq!(later, RefundOutcome::FailedLater);
    assert_eq!(Script::parse("a #refund=never").unknown, ["#refund=never"]);
}
