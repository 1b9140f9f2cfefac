//! The user and the merchant: they order, click again, lose patience, and want their money back.

use super::case::first_of;
use super::clocks::{DAY, HOUR, MINUTE, Moment, SECOND};
use super::event::What;
use super::memory::{Verdict, Write};
use super::mishap::Mishap;
use super::parts::Parts;
use super::profile::money;
use super::run::{Run, Step};
use crate::domain::order::decide::Context;
use crate::domain::order::{Entitlement, Input, Order, RefundRequest, RefundSource};
use crate::domain::{OrderId, OrderNo};

const CREATES_MAX: u16 = 40;

pub(super) fn close_wanted() -> Input {
    Input::CloseRequested {
        by: "api:shop".to_owned(),
    }
}

pub(super) fn query_wanted() -> Input {
    Input::QueryRequested {
        by: "operator:ann".to_owned(),
    }
}

pub(super) fn bill() -> Input {
    Input::BillLine {
        summary: "a line of the bill".to_owned(),
    }
}

impl<P: Parts> Run<'_, P> {
    /// The merchant's request of the order arrives, for the first time or again.
    pub(super) fn create(&mut self, no: u32, attempt: u16) -> Step {
        if !self.up {
            if attempt < CREATES_MAX {
                let attempt = attempt.saturating_add(1);
                self.after(30 * SECOND, no, What::Create { attempt });
            }
            return Ok(());
        }
        let created = self.be_born(no);
        if self.store.row(no).is_none() && attempt < CREATES_MAX {
            // No answer: the same again.
            let attempt = attempt.saturating_add(1);
            self.after(20 * SECOND, no, What::Create { attempt });
        }
        created
    }

    fn be_born(&mut self, no: u32) -> Step {
        let now = self.clocks.moment;
        let awake = self
            .cases
            .get(&no)
            .is_some_and(|case| case.actor.awake_until.is_some_and(|until| now <= until));
        if awake && self.store.row(no).is_some() {
            self.say(no, || "is ordered again".to_owned());
            return Ok(());
        }
        let Some(template) = self.template(no) else {
            return Ok(());
        };
        let context = Context {
            now: self.clocks.now(),
            rules: self.rules_of(no),
            open_submits: &[],
            open_refunds: &[],
            new_refund_id: "",
            successor: None,
        };
        let decision = self.parts.create(&template, "api:shop", &context);
        self.say(no, || format!("is ordered: {}", template.money));
        let write = Write {
            no,
            expected_version: None,
            decision,
            notice: None,
            unless_replaced: false,
            successor: None,
        };
        self.is_asked_for(no);
        let run = self.clocks.epoch;
        let patience = self.rules_of(no).ui_deadline_ms;
        self.after(patience, no, What::Deadline { run });
        let verdict = self.commit(write, &Input::Recovered)?;
        if verdict == Verdict::OrderExists {
            // The same payload: it is the same order.
            self.load(no)?;
        } else if let Some(case) = self.cases.get_mut(&no) {
            case.actor.awake_until = Some(now.saturating_add(2 * SECOND));
        }
        Ok(())
    }

    /// Its life counts from the request that makes its row.
    fn is_asked_for(&mut self, no: u32) {
        let now = self.clocks.moment;
        let has_row = self.store.row(no).is_some();
        let Some(case) = self.cases.get_mut(&no).filter(|_| !has_row) else {
            return;
        };
        let for_the_first_time = case.born.is_none();
        case.born = Some(now);
        if for_the_first_time {
            self.plan_its_people(no);
        }
    }

    fn template(&mut self, no: u32) -> Option<Order> {
        let ask_first = self.hit(no, Mishap::AsksFirst).is_some();
        let account = self.rules_of(no).fingerprint.clone()?;
        let case = self.cases.get(&no)?;
        let at = self.clocks.wall();
        let order_id = OrderId(format!("ord_{no}"));
        let order_no = OrderNo(format!("O{no}"));
        let life = case.expires_in_s.saturating_mul(1_000);
        Some(Order {
            account: case.account.clone(),
            entitlements: vec![
                Entitlement::new("credits".to_owned(), case.credits),
                Entitlement::new("seats".to_owned(), 3),
            ],
            replaces: first_of(no).map(|first| OrderNo(format!("O{first}"))),
            expires_at: at.plus(life),
            ask_first,
            ..Order::unborn(order_id, order_no, account, money(case.amount)?, at)
        })
    }

    /// What the people around it will do.
    fn plan_its_people(&mut self, no: u32) {
        let mut maybe = |mishap: Mishap, range: (Moment, Moment), what: What| {
            if let Some(mut chance) = self.hit(no, mishap) {
                let after = chance.between(range.0, range.1);
                self.after(after, no, what);
            }
        };
        let again = What::Create { attempt: 0 };
        maybe(Mishap::ClicksAgain, (SECOND, MINUTE), again);
        let again = What::Create { attempt: 0 };
        maybe(Mishap::ClicksAgain, (SECOND, HOUR), again);
        maybe(Mishap::MerchantCloses, (SECOND, HOUR), What::CloseWanted);
        maybe(Mishap::Impatient, (SECOND, 6 * MINUTE), What::QueryWanted);
        maybe(Mishap::Impatient, (SECOND, HOUR), What::QueryWanted);
        maybe(Mishap::Bill, (HOUR, 2 * DAY), What::Bill);
        let wants = What::WantsBack { again: false };
        maybe(Mishap::WantsBack, (MINUTE, 3 * DAY), wants);
        let wants = What::WantsBack { again: true };
        maybe(Mishap::WantsBackAgain, (MINUTE, 4 * DAY), wants);
        maybe(
            Mishap::RefundElsewhere,
            (MINUTE, 3 * DAY),
            What::RefundElsewhere,
        );
        let phase = crate::domain::order::DisputePhase::Opened;
        maybe(Mishap::Dispute, (HOUR, 5 * DAY), What::Disputed { phase });
        maybe(Mishap::Replaces, (MINUTE, DAY), What::PlacedAnew);
        let spends = What::Spends { again: false };
        maybe(Mishap::Spends, (MINUTE, 2 * DAY), spends);
        maybe(Mishap::ActorDies, (SECOND, HOUR), What::ActorDies);
    }

    /// The user is answered without a result.
    pub(super) fn deadline(&mut self, no: u32, run: i64) -> Step {
        let waits = self
            .store
            .order(no)
            .is_some_and(|order| !order.answers_a_wait());
        if waits && self.is_of_this_run(run) {
            self.happened(no, Input::UiDeadlinePassed, None)?;
        }
        Ok(())
    }

    /// Somebody asks for something, once, if anybody listens.
    pub(super) fn asks_for(&mut self, no: u32, input: Input) -> Step {
        self.happened(no, input, None)?;
        Ok(())
    }

    /// The merchant wants money given back: a part or all, a trade that is not the order's own, more than is left, or
    /// the same again.
    pub(super) fn wants_back(&mut self, no: u32, again: bool) -> Step {
        let salt = if again { 41 } else { 40 };
        let mut chance = self.trait_of(no, salt);
        let Some(order) = self.store.order(no) else {
            return Ok(());
        };
        let Some(paid) = order.payments.first().map(|payment| payment.money.amount) else {
            return Ok(());
        };
        let amount = match chance.below(6) {
            0 | 1 => paid,
            2 => paid.saturating_add(1),
            3 => paid / 2,
            _ => paid / 3,
        };
        let same_number = again && chance.below(3) == 0;
        let refund_no = if again && !same_number { "r2" } else { "r1" };
        let request = RefundRequest {
            refund_no: format!("{refund_no}-{no}"),
            amount: amount.max(1),
            reason: None,
            trade_no: None,
            source: RefundSource::Merchant,
            key_name: "shop".to_owned(),
        };
        self.ask_back(no, request)?;
        Ok(())
    }

    pub(super) fn ask_back(&mut self, no: u32, request: RefundRequest) -> Step {
        if let Some(case) = self.cases.get_mut(&no)
            && !case.facts.refunds_asked.contains(&request.refund_no)
        {
            case.facts.refunds_asked.push(request.refund_no.clone());
        }
        self.happened(no, Input::RefundRequested(request), None)?;
        Ok(())
    }

    /// The first has ended: the user orders the same anew.
    pub(super) fn placed_anew(&mut self, no: u32) {
        let ended = self
            .store
            .order(no)
            .is_some_and(|order| order.status.is_ended());
        let anew = super::case::anew(no).filter(|anew| !self.cases.contains_key(anew));
        if let Some(anew) = anew.filter(|_| ended) {
            self.open(anew);
            self.after(0, anew, What::Create { attempt: 0 });
        }
    }
}
