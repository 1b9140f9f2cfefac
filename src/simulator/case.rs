//! One order of a story: what it is by birth, what the process remembers of it, and what the processor's books hold.

use super::charge::Charge;
use super::clocks::{DAY, HOUR, MINUTE, Moment};
use super::dice::{Choice, Dice};
use super::mishap::Mishap;
use super::profile::{Manner, Profile};
use crate::domain::UnixMillis;
use crate::domain::order::Order;

/// The number of an order that was placed anew, from the number of the first.
const ANEW: u32 = 1 << 30;
/// Orders that share an account.
const PER_ACCOUNT: u32 = 4;

/// See the module.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) profile: usize,
    /// Multiplies the odds of everything that goes wrong.
    pub(super) temper: u64,
    pub(super) amount: i64,
    pub(super) account: Option<String>,
    pub(super) credits: i64,
    pub(super) expires_in_s: i64,
    rolled: Vec<u16>,
    /// Events of it that are still to come.
    pub(super) pending: u32,
    /// Events that have come.
    pub(super) events: u32,
    pub(super) born: Option<Moment>,
    pub(super) actor: Memory,
    pub(super) charge: Charge,
    pub(super) facts: Facts,
}

/// What a process remembers of an order: it is gone with the process.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Its actor stays for a while after a message.
    pub(super) awake_until: Option<Moment>,
    pub(super) open_submits: Vec<u32>,
    pub(super) open_refunds: Vec<String>,
    pub(super) armed: Option<UnixMillis>,
    /// Start-up has found its row and not looked at it yet.
    pub(super) found: bool,
    /// A copy of the row that is not the newest.
    pub(super) stale: Option<Box<Order>>,
}

/// What a witness remembers who sees everything.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Numbers of refunds that somebody has asked for.
    pub(super) refunds_asked: Vec<String>,
    /// Submits by which the processor has taken money.
    pub(super) taken: u32,
    /// Webhooks that the merchant has received: their ids.
    pub(super) received: Vec<String>,
    pub(super) debits: u16,
    /// How often an operator has looked.
    pub(super) visits: u16,
}

impl Case {
    pub(super) fn new(no: u32, dice: &Dice, profiles: &[Profile]) -> Self {
        let profiles_count = i64::try_from(profiles.len()).unwrap_or(1);
        let profile = usize::try_from(dice.trait_of(no, 1).below(profiles_count)).unwrap_or(0);
        let temper = match dice.trait_of(no, 2).below(10) {
            0..=3 => 1,
            4..=7 => 4,
            _ => 16,
        };
        let manner = profiles.get(profile).map(|profile| profile.manner);
        let life = &mut dice.trait_of(no, 3);
        let expires_in_ms = match manner {
            Some(Manner::ByABank) => life.between(2 * DAY, 7 * DAY),
            Some(Manner::AtOnce | Manner::ByThePayer) | None => life.between(5 * MINUTE, 2 * HOUR),
        };
        let holder = (no & !ANEW) / PER_ACCOUNT;
        let has_account = dice.trait_of(no, 4).below(8) != 0;
        Self {
            profile,
            temper,
            amount: dice.trait_of(no, 5).between(1, 100_000),
            account: has_account.then(|| format!("a{holder}")),
            credits: dice.trait_of(no, 6).between(1, 500),
            expires_in_s: expires_in_ms / 1_000,
            rolled: vec![0; Mishap::COUNT],
            pending: 0,
            events: 0,
            born: None,
            actor: Memory::default(),
            charge: Charge::default(),
            facts: Facts::default(),
        }
    }

    /// The next roll for this mishap of this order.
    pub(super) fn next(&mut self, order: u32, mishap: Mishap) -> Choice {
        let mut nth = 0;
        if let Some(rolled) = self.rolled.get_mut(usize::from(mishap.number())) {
            *rolled = rolled.saturating_add(1);
            nth = *rolled;
        }
        Choice { order, mishap, nth }
    }
}

/// The number of the order that is placed anew after this one; an order is placed anew once.
pub(super) const fn anew(no: u32) -> Option<u32> {
    if no & ANEW == 0 {
        Some(no | ANEW)
    } else {
        None
    }
}

/// The order that this one is placed anew for.
pub(super) const fn first_of(no: u32) -> Option<u32> {
    if no & ANEW == 0 {
        None
    } else {
        Some(no & !ANEW)
    }
}

/// The number of the first order of a purchase.
pub(super) const fn root(no: u32) -> u32 {
    no & !ANEW
}
