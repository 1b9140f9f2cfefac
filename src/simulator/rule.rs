//! What no story may break.

use super::clocks::{DAY, HOUR, MINUTE, Moment, SECOND};
use std::fmt;

macro_rules! rules {
    ($($name:ident $words:literal;)+) => {
        /// One rule. The story's witness, who knows the processor's own books, holds every step against all of them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule { $(#[doc = $words] $name,)+ }

        impl Rule {
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// For people.
            #[must_use]
            pub const fn words(self) -> &'static str {
                match self { $(Self::$name => $words,)+ }
            }
        }
    };
}

rules! {
    ChargedOnce "an order is charged once by us";
    CommittedFirst "nothing is sent before the row that says so is committed";
    OneKey "every submit of an order bears its one key and its amount";
    OwnAccount "no call is made under another account than the row names";
    Gate "a further submit comes right after the channel has answered that it finds nothing";
    OneOpenSubmit "no submit goes out while an earlier one is open, or the channel may not be asked again";
    InTime "no submit goes out after the expiry, the key's life or a close that was asked for, nor beyond the limit";
    PaidIsPaid "what is PAID was paid, by this trade and with this amount, in the processor's books";
    EndedIsUnpaid "what becomes FAILED or CLOSED is not paid and cannot be paid any more by what is out";
    PaidStays "nothing undoes PAID";
    VersionMoves "every change moves the version, and none goes backwards";
    Remembered "what was on record stays on record: payments, refunds, submits";
    EventTold "every change of status has its event";
    NumberOnce "one row for one order number";
    TradeOnce "a trade belongs to one order";
    NoticeOnce "a notice counts once";
    AcknowledgedKept "a notice is acknowledged only once it is kept";
    AlertOnce "an alert is raised once for one episode";
    ManualTold "what is with a person has an open alert that asks one";
    Watched "what is in flight has a timer";
    Promised "a user who was answered without a result is told of: one note when it settles";
    RefundCap "refunds that have not failed never exceed what their trade paid";
    RefundAsked "a refund that is sent was asked for, under its one number, amount and trade";
    RefundTrue "a refund that SUCCEEDED went back, and one that FAILED did not";
    RefundStatusTrue "the status of a paid order follows the refunds of its own payment";
    GrantedOnce "an account moves once for one source and kind";
    GrantTrue "what the ledger holds of an order is what its row says was granted and not taken back";
    GrantPaid "nothing is granted but for an order that is paid";
    BalanceTrue "a balance is the sum of its entries";
    DebitOnce "a debit or hold that is asked for twice moves once";
    NotReplacedPaid "a first order does not become PAID by itself while the one that replaces it is open or paid";
    NothingLost "whatever the processor keeps is on record as paid, or a person was asked";
    NothingInvented "nothing is on record that the processor has not taken";
    Settled "in the end an order is settled, or a person was asked";
    Granted "in the end what was paid for is granted";
    Mailed "in the end every alert was mailed";
    Delivered "in the end the merchant was told, or a person was";
}

/// A rule that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub rule: Rule,
    /// Which order of the story.
    pub order: u32,
    /// Milliseconds since the story began.
    pub at: i64,
    /// What was seen.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rule, at) = (self.rule.words(), Since(self.at));
        write!(
            formatter,
            "broken: {rule}. Order {}, {at}: {}",
            self.order, self.what
        )
    }
}

/// A moment of the story, for people.
pub(super) struct Since(pub(super) Moment);

impl fmt::Display for Since {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (day, rest) = (self.0 / DAY, self.0 % DAY);
        let (hour, rest) = (rest / HOUR, rest % HOUR);
        let (minute, rest) = (rest / MINUTE, rest % MINUTE);
        let (second, milli) = (rest / SECOND, rest % SECOND);
        write!(
            formatter,
            "day {day} {hour:02}:{minute:02}:{second:02}.{milli:03}"
        )
    }
}
