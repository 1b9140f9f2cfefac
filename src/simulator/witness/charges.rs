//! What money may do to an order, and what may be sent.

use super::Change;
use crate::domain::UnixMillis;
use crate::domain::order::{Answer, ChargeStatus, Effect, Input, Reason, Source};
use crate::simulator::charge::Standing;
use crate::simulator::parts::Parts;
use crate::simulator::rule::Rule;
use crate::simulator::run::{Run, Step};

impl<P: Parts> Run<'_, P> {
    pub(super) fn examine_charge(&self, change: &Change<'_>) -> Step {
        self.examine_payments(change)?;
        self.examine_paid(change)?;
        self.examine_ended(change)?;
        for effect in &change.write.decision.effects {
            if let Effect::Submit { n } = effect {
                self.examine_submit(change, *n)?;
            }
        }
        Ok(())
    }

    /// What is put on record was taken, with this amount, and is nobody else's.
    fn examine_payments(&self, change: &Change<'_>) -> Step {
        let Some(case) = self.cases.get(&change.no) else {
            return Ok(());
        };
        let by_review = matches!(change.input, Input::Review(_));
        for payment in &change.write.decision.payments {
            let trade_no = &payment.trade_no;
            let taken = case.charge.trade(trade_no);
            let real = taken.is_some_and(|trade| by_review || trade.amount == payment.money.amount);
            let what = || format!("payment {trade_no} of {}", payment.money);
            self.holds(Rule::NothingInvented, change.no, real, what)?;
            let owner = self
                .store
                .owner_of(&change.next().fingerprint.channel, trade_no);
            let free = owner.is_none_or(|owner| owner == change.no);
            self.holds(Rule::TradeOnce, change.no, free, || {
                format!("trade {trade_no}")
            })?;
        }
        Ok(())
    }

    fn examine_paid(&self, change: &Change<'_>) -> Step {
        let (no, next) = (change.no, change.next());
        let was_paid = change.before.is_some_and(|before| before.status.is_paid());
        if was_paid || !next.status.is_paid() {
            return Ok(());
        }
        let own = next.own_payment();
        let charge = self.cases.get(&no).map(|case| &case.charge);
        let trade = own.and_then(|own| charge?.trade(&own.trade_no));
        let by_review = next.reason == Some(Reason::Review);
        let paid = own.zip(trade).is_some_and(|(own, trade)| {
            own.money.amount == trade.amount && (by_review || own.money == next.money)
        });
        let what = || format!("paid by {own:?}; the processor has {trade:?}");
        self.holds(Rule::PaidIsPaid, no, paid, what)?;
        let replaced = change.write.unless_replaced && change.write.successor.is_some();
        self.holds(
            Rule::NotReplacedPaid,
            no,
            !replaced,
            || "the order placed anew is open or paid",
        )
    }

    fn examine_ended(&self, change: &Change<'_>) -> Step {
        let (no, next) = (change.no, change.next());
        let had_ended = change.before.is_some_and(|before| before.status.is_ended());
        if had_ended || !next.status.is_ended() {
            return Ok(());
        }
        let Some(case) = self.cases.get(&no) else {
            return Ok(());
        };
        let charge = &case.charge;
        let once = self.rules_of(no).capabilities.one_charge_per_key;
        let over = match charge.stands {
            Standing::None => charge.under_way == 0,
            // The same request once more is answered the same, where the processor charges once for a key.
            Standing::Declined | Standing::Closed => charge.under_way == 0 || once,
            // It has changed its mind since it said so, and will tell.
            Standing::Paid => charge.was_refused,
            Standing::Open | Standing::Deliberating => false,
        };
        let what = || {
            format!(
                "{} ({:?}) while the processor's books say {:?}, with {} submits on their way",
                next.status, next.reason, charge.stands, charge.under_way
            )
        };
        self.holds(Rule::EndedIsUnpaid, no, over, what)
    }

    /// A submit is about to go out.
    fn examine_submit(&self, change: &Change<'_>, n: u32) -> Step {
        let (no, next) = (change.no, change.next());
        let rules = self.rules_of(no);
        let capabilities = &rules.capabilities;
        let replied = change.input.replied_submit();
        let open = self.cases.get(&no).is_some_and(|case| {
            let mut open = case.actor.open_submits.iter();
            open.any(|open| Some(*open) != replied)
        });
        let allowed = n == 1 || capabilities.resubmits;
        let what = || format!("submit {n}");
        self.holds(Rule::OneOpenSubmit, no, !open && allowed, what)?;
        let asked = calls_for_a_submit(change, capabilities.repeats_action);
        self.holds(Rule::Gate, no, n == 1 || asked, what)?;
        let now = self.clocks.wall();
        let since_first = |first: UnixMillis| now.since(first);
        let first_at = change.before.and_then(|before| before.first_submit_at());
        let too_old = capabilities.key_life_ms.zip(first_at.map(since_first));
        let in_time = now < next.expires_at
            && next.close_requested_at.is_none()
            && too_old.is_none_or(|(life, age)| age < life)
            && n <= rules.max_submits.saturating_add(next.extra_submits);
        self.holds(Rule::InTime, no, in_time, what)
    }
}

/// Whether a query has said that there is no charge, or that there is one whose reply, which shows what to pay, was lost.
fn calls_for_a_submit(change: &Change<'_>, repeats_action: bool) -> bool {
    let Input::Answer {
        source: Source::Query,
        answer,
    } = change.input
    else {
        return false;
    };
    let shown = change
        .before
        .is_some_and(|before| before.next_action.is_some());
    let pending = matches!(
        answer,
        Answer::Charge(said) if matches!(said.status, ChargeStatus::Pending { .. })
    );
    *answer == Answer::NotFound || (repeats_action && pending && !shown)
}
