//! What may happen, in small numbers, so that it collides.

use crate::vault::Mood;
use oncepay::domain::schedule::{LateSuccess, OnRefund};
use proptest::prelude::*;

/// How the runtime is configured in one run of the simulation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policies {
    pub(crate) one_charge_per_key: bool,
    pub(crate) late_success: Late,
    pub(crate) on_refund: Back,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Late(pub(crate) LateSuccess);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Back(pub(crate) OnRefund);

impl Late {
    pub(crate) const fn word(self) -> &'static str {
        match self.0 {
            LateSuccess::Manual => "manual",
            LateSuccess::Fulfil => "fulfil",
            LateSuccess::Refund => "refund",
        }
    }
}

impl Back {
    pub(crate) const fn word(self) -> &'static str {
        match self.0 {
            OnRefund::Debt => "debt",
            OnRefund::Hold => "hold",
            OnRefund::Keep => "keep",
        }
    }
}

/// One thing that happens. Orders, accounts and numbers are named by small integers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    Create {
        order: u8,
        mood: Mood,
        /// The same number, another price.
        other: bool,
    },
    Close(u8),
    Query(u8),
    Refund {
        order: u8,
        no: u8,
        amount: i64,
        /// Of the payer's second payment.
        second: bool,
        mood: Mood,
    },
    Account {
        account: u8,
        no: u8,
        does: Does,
    },
    /// The payer pays: in time, too late, or twice.
    Pays(u8),
    /// Money goes back that nobody here asked for.
    External {
        order: u8,
        amount: i64,
    },
    /// The vault settles its refunds.
    Settle {
        order: u8,
        /// Those that were done fail after all.
        bounces: bool,
    },
    Lie {
        order: u8,
        no: u8,
    },
    /// The next question about the order is answered so.
    Asked {
        order: u8,
        mood: Mood,
    },
    /// One of the vault's notices arrives, perhaps again.
    Notice(u8),
    /// What is slow is answered.
    LetGo,
    Pass(i64),
    /// A timer comes, early or twice.
    Timer(u8),
    /// A person looks at what waits for one, and does what the vault's books say.
    Person(u8),
    Crash,
}

/// What is asked of an account under a number. Quantities are credits.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Does {
    Debit(i64),
    Hold(i64),
    Capture(i64),
    Release,
}

/// A step, and whether the next one waits for it.
pub(crate) type Beat = (Step, bool);

const SECONDS: i64 = 1_000;

fn mood() -> impl Strategy<Value = Mood> {
    prop_oneof![
        4 => Just(Mood::Prompt),
        2 => Just(Mood::ReplyLost),
        2 => Just(Mood::NotArrived),
        2 => Just(Mood::Slow),
        2 => Just(Mood::Limbo),
        2 => Just(Mood::Waits),
        1 => Just(Mood::Refuses),
        1 => Just(Mood::NotNow),
    ]
}

fn amount() -> impl Strategy<Value = i64> {
    prop_oneof![Just(1), Just(250), Just(333), Just(500), Just(1_000)]
}

/// Most of it happens to one order: only then does it collide.
fn order() -> impl Strategy<Value = u8> {
    prop_oneof![5 => Just(0_u8), 2 => Just(1), 1 => Just(2)]
}

fn payments() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (order(), mood(), prop::bool::weighted(0.05))
            .prop_map(|(order, mood, other)| Step::Create { order, mood, other }),
        2 => order().prop_map(Step::Close),
        1 => order().prop_map(Step::Query),
        9 => (order(), 0..4_u8, amount(), prop::bool::weighted(0.15), mood()).prop_map(
            |(order, no, amount, second, mood)| Step::Refund { order, no, amount, second, mood }
        ),
        2 => order().prop_map(Step::Pays),
        2 => (order(), amount()).prop_map(|(order, amount)| Step::External { order, amount }),
        2 => (order(), prop::bool::weighted(0.4))
            .prop_map(|(order, bounces)| Step::Settle { order, bounces }),
        1 => (order(), 0..4_u8).prop_map(|(order, no)| Step::Lie { order, no }),
        2 => (order(), mood()).prop_map(|(order, mood)| Step::Asked { order, mood }),
        6 => any::<u8>().prop_map(Step::Notice),
        1 => order().prop_map(Step::Timer),
        2 => order().prop_map(Step::Person),
    ]
}

fn accounts() -> impl Strategy<Value = Step> {
    let quantity = || 1..9_i64;
    let does = prop_oneof![
        quantity().prop_map(Does::Debit),
        quantity().prop_map(Does::Hold),
        quantity().prop_map(Does::Capture),
        Just(Does::Release),
    ];
    (0..2_u8, 0..3_u8, does).prop_map(|(account, no, does)| Step::Account { account, no, does })
}

fn world() -> impl Strategy<Value = Step> {
    let passes = prop_oneof![
        2 => Just(3 * SECONDS),
        3 => Just(61 * SECONDS),
        2 => Just(301 * SECONDS),
        1 => Just(3_601 * SECONDS),
    ];
    prop_oneof![
        1 => Just(Step::LetGo),
        3 => passes.prop_map(Step::Pass),
        1 => Just(Step::Crash),
    ]
}

fn beat() -> impl Strategy<Value = Beat> {
    let step = prop_oneof![8 => payments(), 3 => accounts(), 3 => world()];
    (step, prop::bool::weighted(0.7))
}

pub(crate) fn story() -> impl Strategy<Value = (Policies, Vec<Beat>)> {
    let late = prop_oneof![
        Just(LateSuccess::Manual),
        Just(LateSuccess::Fulfil),
        Just(LateSuccess::Refund)
    ];
    let back = prop_oneof![
        Just(OnRefund::Debt),
        Just(OnRefund::Hold),
        Just(OnRefund::Keep)
    ];
    let policies =
        (any::<bool>(), late, back).prop_map(|(one_charge_per_key, late, back)| Policies {
            one_charge_per_key,
            late_success: Late(late),
            on_refund: Back(back),
        });
    let begins = (mood(), any::<bool>()).prop_map(|(mood, waits)| {
        let step = Step::Create {
            order: 0,
            mood,
            other: false,
        };
        (step, waits)
    });
    let goes_on = prop::collection::vec(beat(), 4..36);
    let beats = (begins, goes_on).prop_map(|(first, then)| [vec![first], then].concat());
    (policies, beats)
}
