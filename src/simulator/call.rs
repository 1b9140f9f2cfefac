//! Calls to the processor: what becomes of one on its way there and back.

use super::clocks::Moment;
use super::event::What;
use super::mishap::Mishap;
use super::parts::Parts;
use super::rule::Rule;
use super::run::{Run, Step};
use crate::domain::order::refund::RefundCallKind;
use crate::domain::order::statement::UnknownAnswer;
use crate::domain::order::{Answer, Effect, Input, Order, Reason, RefundAnswer, Source};

/// How long a request and a reply usually take.
const WAY_MS: Moment = 40;

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Submit {
        n: u32,
        key: String,
        amount: i64,
    },
    Query,
    Close,
    Refund {
        refund_no: String,
        trade_no: String,
        amount: i64,
    },
    QueryRefund {
        refund_no: String,
    },
}

/// A request that is on its way.
#[derive(Debug)]
pub(super) struct Call {
    /// The process that waits for its reply.
    pub(super) run: i64,
    pub(super) kind: Kind,
    /// How long its reply takes from its arrival on; `None`: no reply gets through.
    pub(super) answers_after: Option<Moment>,
}

/// What the processor says.
#[derive(Debug)]
pub(super) enum Said {
    OfCharge(Answer),
    OfRefund(RefundAnswer),
}

impl Kind {
    /// The call that an effect of a decision about this order makes.
    pub(super) fn of(effect: &Effect, order: &Order) -> Option<Self> {
        Some(match effect {
            Effect::Submit { n } => Self::Submit {
                n: *n,
                key: order.idempotency_key.clone(),
                amount: order.money.amount,
            },
            Effect::Query => Self::Query,
            Effect::Close => Self::Close,
            Effect::Refund { refund_no } => {
                let refund = order.refund(refund_no)?;
                Self::Refund {
                    refund_no: refund_no.clone(),
                    trade_no: refund.trade_no.clone(),
                    amount: refund.money.amount,
                }
            }
            Effect::QueryRefund { refund_no } => Self::QueryRefund {
                refund_no: refund_no.clone(),
            },
        })
    }

    const fn moves_money(&self) -> bool {
        matches!(self, Self::Submit { .. } | Self::Refund { .. })
    }

    const fn is_of_refund(&self) -> bool {
        matches!(self, Self::Refund { .. } | Self::QueryRefund { .. })
    }

    /// What the order hears.
    pub(super) fn heard(&self, said: Said) -> Input {
        match (self, said) {
            (Self::Submit { n, .. }, Said::OfCharge(answer)) => Input::Answer {
                source: Source::Reply { submit: *n },
                answer,
            },
            (Self::Close, Said::OfCharge(answer)) => Input::Answer {
                source: Source::Close,
                answer,
            },
            (_, Said::OfCharge(answer)) => Input::Answer {
                source: Source::Query,
                answer,
            },
            (Self::Refund { refund_no, .. }, Said::OfRefund(answer)) => Input::RefundReply {
                call: RefundCallKind::Send,
                refund_no: refund_no.clone(),
                answer,
            },
            (Self::QueryRefund { refund_no }, Said::OfRefund(answer)) => Input::RefundReply {
                call: RefundCallKind::Query,
                refund_no: refund_no.clone(),
                answer,
            },
            (Self::Submit { .. } | Self::Query | Self::Close, Said::OfRefund(answer)) => {
                Input::RefundReply {
                    call: RefundCallKind::Query,
                    refund_no: String::new(),
                    answer,
                }
            }
        }
    }

    /// No answer that counts.
    pub(super) fn unknown(&self, reason: Reason, summary: &str) -> Said {
        let unknown = UnknownAnswer {
            reason,
            summary: summary.to_owned(),
        };
        if self.is_of_refund() {
            Said::OfRefund(RefundAnswer::Unknown(unknown))
        } else {
            Said::OfCharge(Answer::Unknown(unknown))
        }
    }

    fn throttled(&self) -> Said {
        let summary = "slow down".to_owned();
        if self.is_of_refund() {
            Said::OfRefund(RefundAnswer::Throttled { summary })
        } else {
            Said::OfCharge(Answer::Throttled { summary })
        }
    }

    fn not_sent(&self) -> Said {
        let summary = "the connection was refused".to_owned();
        if self.is_of_refund() {
            Said::OfRefund(RefundAnswer::NotSent { summary })
        } else {
            Said::OfCharge(Answer::NotSent { summary })
        }
    }
}

impl<P: Parts> Run<'_, P> {
    /// A call begins: it is open from now on, and its end comes in any case, unless the process ends before.
    pub(super) fn begin(&mut self, no: u32, kind: Kind) -> Step {
        self.holds(
            Rule::OwnAccount,
            no,
            self.same_account(no),
            || "a call under another account",
        )?;
        let rules = self.rules_of(no);
        let timeout = if kind.moves_money() {
            rules.read_timeout_ms
        } else {
            rules.query_timeout_ms
        };
        let may_repeat =
            rules.capabilities.one_charge_per_key || !matches!(kind, Kind::Submit { .. });
        self.say(no, || format!("  calls: {kind:?}"));
        if let Some(case) = self.cases.get_mut(&no) {
            match &kind {
                Kind::Submit { n, .. } => case.actor.open_submits.push(*n),
                Kind::Refund { refund_no, .. } => case.actor.open_refunds.push(refund_no.clone()),
                Kind::Query | Kind::Close | Kind::QueryRefund { .. } => {}
            }
        }
        if kind.moves_money() && self.hit(no, Mishap::NotSent).is_some() {
            let said = kind.not_sent();
            self.answer(no, &kind, said, WAY_MS);
            return Ok(());
        }
        if self.hit(no, Mishap::Throttled).is_some() {
            let said = kind.throttled();
            self.answer(no, &kind, said, WAY_MS);
            return Ok(());
        }
        self.travel(no, kind, timeout, may_repeat);
        Ok(())
    }

    /// There and back, as far as it gets.
    fn travel(&mut self, no: u32, kind: Kind, timeout: Moment, may_repeat: bool) {
        let lost = self.hit(no, Mishap::RequestLost).is_some();
        let late = self.hit(no, Mishap::RequestLate);
        let way = late.map_or(WAY_MS, |mut chance| chance.between(WAY_MS, timeout));
        let reply_lost = self.hit(no, Mishap::ReplyLost).is_some();
        let reply_late = self.hit(no, Mishap::ReplyLate);
        let back = reply_late.map_or(WAY_MS, |mut chance| chance.between(WAY_MS, timeout));
        let reset = self.hit(no, Mishap::Reset);
        let twice = self
            .hit(no, Mishap::RequestTwice)
            .filter(|_| may_repeat && !lost);
        let in_time = way.saturating_add(back) < timeout;
        let answers = !lost && !reply_lost && reset.is_none() && in_time;
        if !answers {
            let (reason, summary, after) = match reset {
                Some(mut chance) => {
                    let after = chance.between(1, timeout);
                    (
                        Reason::ChannelUnavailable,
                        "the connection was reset",
                        after,
                    )
                }
                None => (Reason::SubmitTimeout, "no reply", timeout),
            };
            let said = kind.unknown(reason, summary);
            self.answer(no, &kind, said, after);
        }
        if lost {
            return;
        }
        if let Some(mut chance) = twice {
            let again = chance.between(way, timeout);
            self.arrive(no, kind.clone(), again, None);
        }
        self.arrive(no, kind, way, answers.then_some(back));
    }

    fn arrive(&mut self, no: u32, kind: Kind, way: Moment, answers_after: Option<Moment>) {
        if let (Kind::Submit { .. }, Some(case)) = (&kind, self.cases.get_mut(&no)) {
            case.charge.under_way = case.charge.under_way.saturating_add(1);
        }
        let run = self.clocks.epoch;
        let call = Call {
            run,
            kind,
            answers_after,
        };
        self.after(way, no, What::Arrives(Box::new(call)));
    }

    /// The end of a call, `after` so many milliseconds.
    pub(super) fn answer(&mut self, no: u32, kind: &Kind, said: Said, after: Moment) {
        let run = self.clocks.epoch;
        let input = Box::new(kind.heard(said));
        self.after(after, no, What::Answered { run, input });
    }
}
