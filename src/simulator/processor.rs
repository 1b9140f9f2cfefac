//! The processor: calls arrive, and its books move.

use super::call::{Call, Kind, Said};
use super::charge::{Standing, Trade};
use super::clocks::{DAY, HOUR, MINUTE, Moment, SECOND};
use super::event::What;
use super::mishap::Mishap;
use super::notice::by_notice;
use super::parts::Parts;
use super::profile::{Manner, money};
use super::rule::Rule;
use super::run::{Run, Step};
use crate::domain::order::{Answer, ChargeStatus, Input, NextAction, Reason, Statement};

/// Orders before this one whose trades may be used again for it.
const NEIGHBOURS: u32 = 6;

impl<P: Parts> Run<'_, P> {
    /// A request arrives.
    pub(super) fn arrives(&mut self, no: u32, call: &Call) -> Step {
        let said = match &call.kind {
            Kind::Submit { n, key, amount } => {
                self.submitted(no, *n, key, *amount)?;
                Said::OfCharge(self.said_of_submit(no))
            }
            Kind::Query => Said::OfCharge(self.said_of_query(no)),
            Kind::Close => Said::OfCharge(self.asked_to_close(no)),
            Kind::Refund {
                refund_no,
                trade_no,
                amount,
            } => Said::OfRefund(self.refund_arrives(no, refund_no, trade_no, *amount)?),
            Kind::QueryRefund { refund_no } => Said::OfRefund(self.said_of_refund(no, refund_no)),
        };
        let Some(back) = call.answers_after else {
            return Ok(());
        };
        let broken = self.hit(no, Mishap::ReplyBroken).is_some();
        let said = if broken {
            call.kind
                .unknown(Reason::UnreadableReply, "an answer without a signature")
        } else {
            said
        };
        if call.run == self.clocks.epoch {
            self.answer(no, &call.kind, said, back);
        }
        Ok(())
    }

    /// A submit: held against what it must be, then taken as this processor takes it.
    fn submitted(&mut self, no: u32, n: u32, key: &str, amount: i64) -> Step {
        let row = self.store.order(no);
        let committed = row.is_some_and(|order| order.submits.iter().any(|submit| submit.n == n));
        let one_key = *key == *format!("pay:order:O{no}");
        let profile = self.profile_of(no);
        let (manner, capabilities) = (profile.manner, profile.rules.capabilities.clone());
        let now = self.clocks.moment;
        let Some(case) = self.cases.get_mut(&no) else {
            return Ok(());
        };
        case.charge.under_way = case.charge.under_way.saturating_sub(1);
        let first_at = *case.charge.first_at.get_or_insert(now);
        let remembers = capabilities
            .key_life_ms
            .is_none_or(|life| now.saturating_sub(first_at) < life);
        let is_known = case.charge.stands != Standing::None;
        let price = case.amount;
        self.holds(
            Rule::CommittedFirst,
            no,
            committed,
            || "a submit that no row knows",
        )?;
        self.holds(
            Rule::OneKey,
            no,
            one_key && amount == price,
            || "another key or amount",
        )?;
        if is_known && capabilities.one_charge_per_key && remembers {
            return Ok(());
        }
        if let Some(mut chance) = self.hit(no, Mishap::Hides) {
            let hidden = chance.below(2 * MINUTE - SECOND);
            if let Some(case) = self.cases.get_mut(&no) {
                case.charge.visible_from = now.saturating_add(hidden);
            }
        }
        match manner {
            Manner::AtOnce => self.charged_at_once(no),
            Manner::ByThePayer => {
                self.opened(no);
                Ok(())
            }
            Manner::ByABank => {
                let declines = self.hit(no, Mishap::Declines).is_some();
                let after = self.trait_of(no, 20).between(HOUR, 4 * DAY);
                self.stand(no, Standing::Deliberating);
                self.after(after, no, What::Settles { paid: !declines });
                Ok(())
            }
        }
    }

    fn charged_at_once(&mut self, no: u32) -> Step {
        if self.hit(no, Mishap::Declines).is_some() {
            self.stand(no, Standing::Declined);
            self.may_change_its_mind(no);
            return Ok(());
        }
        if let Some(mut chance) = self.hit(no, Mishap::Deliberates) {
            let (after, paid) = (chance.between(30 * SECOND, 6 * HOUR), chance.below(3) != 0);
            self.stand(no, Standing::Deliberating);
            self.after(after, no, What::Settles { paid });
            return Ok(());
        }
        self.take(no, true)
    }

    fn opened(&mut self, no: u32) {
        self.stand(no, Standing::Open);
        let profile = self.profile_of(no);
        let own_expiry = profile.rules.capabilities.own_expiry;
        let Some(case) = self.cases.get(&no) else {
            return;
        };
        let life = case.expires_in_s.saturating_mul(SECOND);
        let ends = case.born.unwrap_or(self.clocks.moment).saturating_add(life);
        let left = ends.saturating_sub(self.clocks.moment).max(1);
        if self.hit(no, Mishap::NeverPays).is_none() {
            let pays = self
                .trait_of(no, 21)
                .between(5 * SECOND, (life / 2).max(6 * SECOND));
            self.after(pays, no, What::PayerPays { again: false });
            if let Some(mut chance) = self.hit(no, Mishap::PaysTwice) {
                let again = pays.saturating_add(chance.between(SECOND, 10 * MINUTE));
                self.after(again, no, What::PayerPays { again: true });
            }
        }
        if own_expiry {
            self.after(left, no, What::Expires);
        }
    }

    pub(super) fn stand(&mut self, no: u32, stands: Standing) {
        self.say(no, || format!("  the processor's books: {stands:?}"));
        if let Some(case) = self.cases.get_mut(&no) {
            case.charge.stands = stands;
            case.charge.was_refused |= matches!(stands, Standing::Declined | Standing::Closed);
        }
    }

    /// Money is taken. `asked`: by our submit, and not by the payer's own doing.
    pub(super) fn take(&mut self, no: u32, asked: bool) -> Step {
        let off = self
            .hit(no, Mishap::OtherAmount)
            .map(|mut chance| chance.between(1, 50));
        let reused = self
            .hit(no, Mishap::TradeReused)
            .and_then(|_| self.trade_of_a_neighbour(no));
        let Some(case) = self.cases.get_mut(&no) else {
            return Ok(());
        };
        let insists = !case.charge.trades.is_empty()
            || matches!(case.charge.stands, Standing::Declined | Standing::Closed);
        let nth = case.charge.trades.len().saturating_add(1);
        let trade = Trade {
            no: reused.unwrap_or_else(|| format!("T{no}.{nth}")),
            amount: case.amount.saturating_add(off.unwrap_or(0)),
        };
        if asked {
            case.facts.taken = case.facts.taken.saturating_add(1);
        }
        let taken = case.facts.taken;
        let (trade_no, amount) = (trade.no.clone(), trade.amount);
        case.charge.trades.push(trade);
        self.stand(no, Standing::Paid);
        self.holds(
            Rule::ChargedOnce,
            no,
            taken <= 1,
            || "the processor has taken money twice",
        )?;
        if !asked {
            // It tells of the first payment once more, since nobody asks about an order that is paid.
            self.tell_of_charge(no, "paid", true);
        }
        let answer = self.statement(no, ChargeStatus::Paid, Some((&trade_no, amount)));
        let input = Input::Answer {
            source: by_notice(),
            answer,
        };
        self.tell(no, "paid", input, insists);
        Ok(())
    }

    fn trade_of_a_neighbour(&self, no: u32) -> Option<String> {
        let profile = self.cases.get(&no)?.profile;
        let neighbours = (1..=NEIGHBOURS).filter_map(|back| self.cases.get(&no.checked_sub(back)?));
        let mut of_channel = neighbours.filter(|case| case.profile == profile);
        of_channel.find_map(|case| case.charge.trades.first().map(|trade| trade.no.clone()))
    }

    pub(super) fn may_change_its_mind(&mut self, no: u32) {
        if let Some(mut chance) = self.hit(no, Mishap::ChangesMind) {
            let after = chance.between(SECOND, 2 * DAY);
            self.after(after, no, What::PaidAfterAll);
        }
    }

    fn said_of_submit(&mut self, no: u32) -> Answer {
        let paid = self.stands(no) == Standing::Paid;
        let known_before = self
            .store
            .order(no)
            .is_some_and(|order| order.submit_count() > 1);
        if paid && known_before && self.hit(no, Mishap::AlreadyPaid).is_some() {
            return Answer::AlreadyPaid;
        }
        self.books(no, true)
    }

    fn said_of_query(&mut self, no: u32) -> Answer {
        let now = self.clocks.moment;
        let visible = self
            .cases
            .get(&no)
            .is_some_and(|case| case.charge.visible_from <= now);
        if !visible || self.flickers(no) {
            return Answer::NotFound;
        }
        if self.stands(no) != Standing::None && self.hit(no, Mishap::Unexplained).is_some() {
            let status = ChargeStatus::Unexplained("ON_HOLD".to_owned());
            return self.statement(no, status, None);
        }
        self.as_it_stands(no)
    }

    /// A replica that lags: not found once, but never twice within a grace. Only where a channel promises no more.
    fn flickers(&mut self, no: u32) -> bool {
        let promises = self.profile_of(no).rules.capabilities.one_charge_per_key;
        let now = self.clocks.moment;
        if promises || self.hit(no, Mishap::Flickers).is_none() {
            return false;
        }
        let charge = self.cases.get_mut(&no).map(|case| &mut case.charge);
        let Some(charge) = charge.filter(|charge| charge.visible_from.saturating_add(HOUR) > now)
        else {
            return false;
        };
        let again = charge.flickered_at.is_some();
        charge.flickered_at = charge.flickered_at.or(Some(now));
        !again
    }

    fn asked_to_close(&mut self, no: u32) -> Answer {
        match self.stands(no) {
            Standing::Open if self.hit(no, Mishap::RefusesClose).is_some() => Answer::CannotClose,
            Standing::Open => {
                self.stand(no, Standing::Closed);
                self.may_change_its_mind(no);
                self.as_it_stands(no)
            }
            Standing::Deliberating => Answer::CannotClose,
            Standing::Paid => Answer::AlreadyPaid,
            Standing::None | Standing::Declined | Standing::Closed => self.as_it_stands(no),
        }
    }

    pub(super) fn stands(&self, no: u32) -> Standing {
        self.cases
            .get(&no)
            .map_or(Standing::None, |case| case.charge.stands)
    }

    /// What its books say, for whoever asks.
    pub(super) fn as_it_stands(&self, no: u32) -> Answer {
        let tells = !self.profile_of(no).rules.capabilities.repeats_action;
        self.books(no, tells)
    }

    /// What its books say, with what the payer is shown or without.
    fn books(&self, no: u32, shows: bool) -> Answer {
        let shown = || NextAction {
            kind: "qr_code".to_owned(),
            value: "pay".to_owned(),
        };
        let status = match self.stands(no) {
            Standing::None => return Answer::NotFound,
            Standing::Open => ChargeStatus::Pending {
                next_action: shows.then(shown),
            },
            Standing::Deliberating => ChargeStatus::Processing,
            Standing::Declined => ChargeStatus::Declined,
            Standing::Closed => ChargeStatus::Closed,
            Standing::Paid => ChargeStatus::Paid,
        };
        let charge = self.cases.get(&no).map(|case| &case.charge);
        let trade = charge.and_then(|charge| charge.trades.first());
        let gone = charge
            .zip(trade)
            .map(|(charge, trade)| charge.gone(&trade.no));
        let status = match (status, trade, gone) {
            (ChargeStatus::Paid, Some(trade), Some(gone)) if gone >= trade.amount => {
                ChargeStatus::PaidAndRefunded
            }
            (status, _, _) => status,
        };
        self.statement(
            no,
            status,
            trade.map(|trade| (trade.no.as_str(), trade.amount)),
        )
    }

    fn statement(&self, no: u32, status: ChargeStatus, trade: Option<(&str, i64)>) -> Answer {
        let price = self.cases.get(&no).map_or(0, |case| case.amount);
        Answer::Charge(Statement {
            status,
            order_no: format!("O{no}"),
            idempotency_key: Some(format!("pay:order:O{no}")),
            merchant: Some("M1".to_owned()),
            money: money(trade.map_or(price, |(_, amount)| amount)),
            trade_no: trade.map(|(trade_no, _)| trade_no.to_owned()),
            reference: None,
            summary: String::new(),
        })
    }

    /// The processor has made up its mind.
    pub(super) fn settles(&mut self, no: u32, paid: bool) -> Step {
        if self.stands(no) != Standing::Deliberating {
            return Ok(());
        }
        if paid {
            return self.take(no, true);
        }
        self.stand(no, Standing::Declined);
        self.tell_of_charge(no, "declined", false);
        self.may_change_its_mind(no);
        Ok(())
    }

    /// It ends an unpaid order by itself.
    pub(super) fn expires(&mut self, no: u32) {
        if self.stands(no) == Standing::Open {
            self.stand(no, Standing::Closed);
            self.tell_of_charge(no, "closed", false);
            self.may_change_its_mind(no);
        }
    }

    /// `again`: the payer has paid already, and does it once more.
    pub(super) fn payer_pays(&mut self, no: u32, again: bool) -> Step {
        match self.stands(no) {
            Standing::Open if !again => self.take(no, true),
            Standing::Paid if again => self.take(no, false),
            Standing::None
            | Standing::Open
            | Standing::Deliberating
            | Standing::Paid
            | Standing::Declined
            | Standing::Closed => Ok(()),
        }
    }

    /// What was refused or closed is paid after all.
    pub(super) fn paid_after_all(&mut self, no: u32) -> Step {
        let refused = matches!(self.stands(no), Standing::Declined | Standing::Closed);
        let nothing_taken = self
            .cases
            .get(&no)
            .is_some_and(|case| case.facts.taken == 0);
        if refused && nothing_taken {
            return self.take(no, true);
        }
        Ok(())
    }

    fn tell_of_charge(&mut self, no: u32, status: &'static str, insists: bool) {
        let answer = self.as_it_stands(no);
        let input = Input::Answer {
            source: by_notice(),
            answer,
        };
        self.tell(no, status, input, insists);
    }

    /// Plans something for later.
    pub(super) fn after(&mut self, millis: Moment, no: u32, what: What) {
        let at = self.clocks.moment.saturating_add(millis.max(0));
        self.plan(at, no, what);
    }
}
