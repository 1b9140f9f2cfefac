//! What can go wrong, and how often it does.

/// Declares the mishaps: a number from 0 on, how often in 10,000 chances, and words for people.
macro_rules! mishaps {
    ($($n:literal $name:ident $odds:literal $words:literal;)+) => {
        /// One kind of thing that goes wrong in the world around the decisions, or that somebody does.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Mishap { $(#[doc = $words] $name,)+ }

        impl Mishap {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];
            pub(super) const COUNT: usize = Self::ALL.len();

            /// Its number, from 0 on without gaps.
            #[must_use]
            pub const fn number(self) -> u8 {
                match self { $(Self::$name => $n,)+ }
            }

            /// In 10,000 chances, for an order of the usual temper.
            pub(super) const fn odds(self) -> u64 {
                match self { $(Self::$name => $odds,)+ }
            }

            /// Its name in a test.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)+ }
            }

            /// For people, in the plural.
            #[must_use]
            pub const fn words(self) -> &'static str {
                match self { $(Self::$name => $words,)+ }
            }
        }
    };
}

mishaps! {
    // On the wire, of any call.
    0 RequestLost 300 "requests lost on the way";
    1 RequestLate 400 "requests that arrive after their call has ended, or nearly";
    2 RequestTwice 200 "requests that arrive twice";
    3 ReplyLost 400 "replies lost";
    4 ReplyLate 500 "replies that come late";
    5 ReplyBroken 300 "replies that nobody can read or trust";
    6 Reset 300 "connections reset while the request travels on";
    7 Throttled 200 "calls that the processor throttles";
    8 NotSent 150 "calls that never left";
    // The processor and its charges.
    9 Hides 900 "charges that the processor does not find for a while";
    10 Declines 600 "charges declined";
    11 Deliberates 500 "charges that the processor thinks about for long";
    12 ChangesMind 250 "charges that were refused or closed and are paid after all";
    13 OtherAmount 80 "payments of another amount";
    14 TradeReused 150 "trade numbers that the processor uses twice";
    15 Unexplained 50 "answers with a status that nobody knows";
    16 AlreadyPaid 300 "answers that say paid and prove nothing";
    17 RefusesClose 400 "closes that the processor refuses";
    18 NeverPays 2000 "payers who never pay";
    19 PaysTwice 200 "payers who pay twice";
    // Notices.
    20 NoticeLost 800 "notices lost for good";
    21 NoticeLate 1500 "notices that come late";
    22 NoticeTwice 1200 "notices that come twice";
    23 Bill 300 "lines of a bill";
    // Refunds at the processor.
    24 RefundFails 500 "refunds that fail";
    25 RefundPends 800 "refunds that take days";
    26 RefundRefused 250 "refunds refused for now";
    27 RefundHides 400 "refunds that the processor does not find for a while";
    28 RefundBounces 250 "refunds that come back after they were made";
    29 RefundElsewhere 200 "refunds made at the processor itself";
    30 Dispute 200 "disputes";
    // People.
    31 ClicksAgain 1500 "users who click again";
    32 MerchantCloses 500 "closes that the merchant asks for";
    33 Impatient 800 "queries that a person asks for";
    34 WantsBack 2500 "refunds that are asked for";
    35 WantsBackAgain 1500 "refunds that are asked for again, or beyond what is left";
    36 OperatorTries 1500 "reviews that try RESUBMIT or CLOSE first";
    37 OperatorLate 2000 "operators who look days later";
    38 Replaces 1500 "orders placed anew after the first has ended";
    39 Spends 800 "debits and holds of an account";
    40 SpendsAgain 2000 "debits and holds that are asked for twice";
    // Receivers.
    41 GrantFails 300 "grants that fail at first";
    42 GrantTwice 300 "grants that two workers take up";
    43 MailFails 1500 "mails that no server takes";
    44 WebhookFails 1500 "webhooks that are not taken";
    45 WebhookUnnoted 300 "webhooks that were taken and whose answer is lost";
    // The process.
    46 CrashBeforeCommit 10 "crashes before a commit";
    47 CrashAfterCommit 10 "crashes between a commit and what follows it";
    48 CrashAmidEffects 10 "crashes after some calls have begun";
    49 StaleCopy 150 "decisions on a copy of the row that is not the newest";
    50 ActorDies 20 "actors that die";
    51 ActorFails 2000 "actors that die again and again";
    52 TimerTwice 150 "timers that come twice or early";
    53 AsksFirst 200 "orders whose number the processor may know already";
    // The machine.
    54 PowerCut 0 "crashes at any moment";
    55 ClockStep 0 "steps of the wall clock";
    56 AccountSwitched 0 "starts under another account of the merchant";
    // Added later: numbers are for ever, since rolls hang on them.
    57 Flickers 500 "charges that are not found once, where a single answer proves nothing";
}

impl Mishap {
    /// It ends the process, for all orders.
    pub(super) const fn is_crash(self) -> bool {
        matches!(
            self,
            Self::CrashBeforeCommit | Self::CrashAfterCommit | Self::CrashAmidEffects
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mishaps_are_numbered_without_gaps() {
        for (n, mishap) in Mishap::ALL.iter().enumerate() {
            assert_eq!(usize::from(mishap.number()), n, "{mishap:?}");
        }
    }
}
