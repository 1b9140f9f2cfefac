//! The processor's side of refunds and disputes.

use super::charge::{GivenBack, Return};
use super::clocks::{DAY, HOUR, MINUTE, SECOND};
use super::event::What;
use super::mishap::Mishap;
use super::notice::by_notice;
use super::parts::Parts;
use super::rule::Rule;
use super::run::{Run, Step};
use crate::domain::order::{DisputePhase, Input, RefundAnswer, RefundNews, RefundStatement};

impl<P: Parts> Run<'_, P> {
    /// A refund arrives. The same number is the same refund.
    pub(super) fn refund_arrives(
        &mut self,
        no: u32,
        refund_no: &str,
        trade_no: &str,
        amount: i64,
    ) -> Result<RefundAnswer, super::run::Stop> {
        self.refund_was_asked_for(no, refund_no, trade_no, amount)?;
        let known = self
            .cases
            .get(&no)
            .and_then(|case| case.charge.refund(refund_no));
        if let Some(known) = known {
            return Ok(said_of(known));
        }
        if self.hit(no, Mishap::RefundRefused).is_some() {
            let summary = "the merchant's balance is too low".to_owned();
            return Ok(RefundAnswer::Repeatable { summary });
        }
        let fails = self.hit(no, Mishap::RefundFails).is_some();
        let pends = self.hit(no, Mishap::RefundPends);
        let hides = self.hit(no, Mishap::RefundHides);
        let now = self.clocks.moment;
        let hidden = hides.map_or(0, |mut chance| chance.below(2 * MINUTE - SECOND));
        let Some(case) = self.cases.get_mut(&no) else {
            return Ok(RefundAnswer::NotFound);
        };
        let fits = amount <= case.charge.left(trade_no);
        let stands = if fails || !fits {
            Return::Failed
        } else if pends.is_some() {
            Return::Pending
        } else {
            Return::Done
        };
        case.charge.refunds.push(GivenBack {
            no: refund_no.to_owned(),
            trade_no: trade_no.to_owned(),
            amount,
            stands,
            was_done: stands == Return::Done,
            visible_from: now.saturating_add(hidden),
        });
        self.say(no, || {
            format!("  the processor's books: refund {refund_no} {stands:?}")
        });
        match (stands, pends) {
            (Return::Pending, Some(mut chance)) => {
                let (after, done) = (chance.between(HOUR, 8 * DAY), chance.below(4) != 0);
                let refund_no = refund_no.into();
                self.after(after, no, What::RefundSettles { refund_no, done });
            }
            (Return::Done, _) => self.may_bounce(no, refund_no),
            (Return::Pending | Return::Failed, _) => {}
        }
        self.tell_of_refund(no, refund_no);
        let told = self
            .cases
            .get(&no)
            .and_then(|case| case.charge.refund(refund_no));
        Ok(told.map_or(RefundAnswer::NotFound, said_of))
    }

    fn refund_was_asked_for(&self, no: u32, refund_no: &str, trade_no: &str, amount: i64) -> Step {
        let row = self.store.order(no);
        let refund = row.and_then(|order| order.refund(refund_no));
        let same = refund
            .is_some_and(|refund| refund.trade_no == trade_no && refund.money.amount == amount);
        let asked = self.cases.get(&no).is_some_and(|case| {
            let by_policy = [format!("late-{trade_no}"), format!("review-{trade_no}")];
            let by_name = case
                .facts
                .refunds_asked
                .iter()
                .any(|asked| asked == refund_no);
            by_name || by_policy.iter().any(|number| number == refund_no)
        });
        self.holds(
            Rule::RefundAsked,
            no,
            same && asked,
            || "a refund that nobody asked for",
        )
    }

    fn may_bounce(&mut self, no: u32, refund_no: &str) {
        if let Some(mut chance) = self.hit(no, Mishap::RefundBounces) {
            let after = chance.between(HOUR, 5 * DAY);
            let refund_no = refund_no.into();
            self.after(
                after,
                no,
                What::RefundSettles {
                    refund_no,
                    done: false,
                },
            );
        }
    }

    /// What was pending is done or fails; what was done comes back.
    pub(super) fn refund_settles(&mut self, no: u32, refund_no: &str, done: bool) {
        let case = self.cases.get_mut(&no);
        let Some(refund) = case.and_then(|case| case.charge.refund_mut(refund_no)) else {
            return;
        };
        match (refund.stands, done) {
            (Return::Pending, true) => {
                refund.stands = Return::Done;
                refund.was_done = true;
                self.may_bounce(no, refund_no);
            }
            (Return::Pending | Return::Done, false) => refund.stands = Return::Failed,
            (Return::Done | Return::Failed, _) => return,
        }
        self.say(no, || {
            format!("  the processor's books: refund {refund_no}, done: {done}")
        });
        self.tell_of_refund(no, refund_no);
    }

    pub(super) fn said_of_refund(&self, no: u32, refund_no: &str) -> RefundAnswer {
        let now = self.clocks.moment;
        let known = self
            .cases
            .get(&no)
            .and_then(|case| case.charge.refund(refund_no));
        let visible = known.filter(|refund| refund.visible_from <= now);
        visible.map_or(RefundAnswer::NotFound, said_of)
    }

    /// Somebody gives money back at the processor itself.
    pub(super) fn refund_elsewhere(&mut self, no: u32) {
        let share = self.trait_of(no, 30).between(1, 5);
        let Some(case) = self.cases.get_mut(&no) else {
            return;
        };
        let Some(trade_no) = case.charge.trades.first().map(|trade| trade.no.clone()) else {
            return;
        };
        let left = case.charge.left(&trade_no);
        let amount = if share == 4 { left } else { left / 4 };
        if amount <= 0 {
            return;
        }
        let refund_no = format!("theirs-{no}-{}", case.charge.refunds.len());
        case.charge.refunds.push(GivenBack {
            no: refund_no.clone(),
            trade_no,
            amount,
            stands: Return::Done,
            was_done: true,
            visible_from: 0,
        });
        self.say(no, || {
            format!("  the processor's books: {amount} went back as {refund_no}")
        });
        self.tell_of_refund(no, &refund_no);
    }

    /// A payer disputes what was paid.
    pub(super) fn disputed(&mut self, no: u32, phase: DisputePhase) {
        let paid = self
            .cases
            .get(&no)
            .is_some_and(|case| !case.charge.trades.is_empty());
        if !paid {
            return;
        }
        let input = Input::Dispute {
            source: by_notice(),
            reference: format!("D{no}"),
            phase,
            summary: String::new(),
        };
        self.tell(no, phase.as_str(), input, true);
        match phase {
            DisputePhase::Opened => {
                let mut chance = self.trait_of(no, 31);
                let phase = if chance.below(2) == 0 {
                    DisputePhase::Won
                } else {
                    DisputePhase::Lost
                };
                let after = chance.between(DAY, 9 * DAY);
                self.after(after, no, What::Disputed { phase });
            }
            DisputePhase::Lost => self.refund_elsewhere(no),
            DisputePhase::Won | DisputePhase::Ended => {}
        }
    }

    /// What it says of a refund by itself, until somebody has heard it.
    fn tell_of_refund(&mut self, no: u32, refund_no: &str) {
        let known = self
            .cases
            .get(&no)
            .and_then(|case| case.charge.refund(refund_no));
        let Some(refund) = known else {
            return;
        };
        let status = match refund.stands {
            Return::Pending => "refund pending",
            Return::Done => "refund done",
            Return::Failed => "refund failed",
        };
        let news = RefundNews {
            refund_no: refund.no.clone(),
            trade_no: Some(refund.trade_no.clone()),
            cumulative: false,
            ours_by_our_number: true,
            answer: said_of(refund),
        };
        let input = Input::RefundTold {
            source: by_notice(),
            news,
        };
        self.tell(no, status, input, true);
    }
}

fn said_of(refund: &GivenBack) -> RefundAnswer {
    let statement = RefundStatement {
        refund_no: refund.no.clone(),
        amount: Some(refund.amount),
        trade_no: Some(refund.trade_no.clone()),
        channel_refund_no: None,
        summary: String::new(),
    };
    match refund.stands {
        Return::Pending => RefundAnswer::Pending(statement),
        Return::Done => RefundAnswer::Succeeded(statement),
        Return::Failed => RefundAnswer::Failed(statement),
    }
}
