//! The vault as oncepay sees it.

use crate::books::{Charge, ChargeState, GivenBack, Note, RefundState, Says};
use crate::stage::{CHANNEL, money};
use crate::vault::{Kind, Mood, Vault};
use oncepay::channels::{
    Acknowledge, AcknowledgementBody, Admission, Call, Channel, ChargeCall, FieldRefusal, Notice,
    RawNotice, RefundCall, Rejection, RejectionRule,
};
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{
    Answer, ChargeStatus, Fingerprint, Reason, RefundAnswer, RefundNews, RefundStatement,
    Statement, UnknownAnswer,
};
use oncepay::domain::schedule::Capabilities;

fn nothing_heard() -> UnknownAnswer {
    UnknownAnswer {
        reason: Reason::ChannelUnavailable,
        summary: "nothing was heard".to_owned(),
    }
}

fn statement(order_no: &str, status: ChargeStatus, amount: i64, trade: Option<&str>) -> Statement {
    Statement {
        status,
        order_no: order_no.to_owned(),
        idempotency_key: Some(format!("pay:order:{order_no}")),
        merchant: None,
        money: Some(money(amount)),
        trade_no: trade.map(str::to_owned),
        reference: None,
        summary: "the vault's word".to_owned(),
    }
}

const fn word(state: ChargeState) -> ChargeStatus {
    match state {
        ChargeState::Open => ChargeStatus::Pending { next_action: None },
        ChargeState::Paid => ChargeStatus::Paid,
        ChargeState::Declined => ChargeStatus::Declined,
        ChargeState::Closed => ChargeStatus::Closed,
    }
}

/// What the books say of this charge now.
fn truth(order_no: &str, charge: Option<&Charge>) -> Answer {
    let Some(charge) = charge else {
        return Answer::NotFound;
    };
    let own = charge.own.as_deref();
    let gone = own.is_some_and(|own| charge.gone(own) == charge.amount);
    let status = if gone {
        ChargeStatus::PaidAndRefunded
    } else {
        word(charge.state)
    };
    Answer::Charge(statement(order_no, status, charge.amount, own))
}

fn refund_answer(refund_no: &str, refund: &GivenBack) -> RefundAnswer {
    let said = RefundStatement {
        refund_no: refund_no.to_owned(),
        amount: Some(refund.amount),
        trade_no: Some(refund.trade_no.clone()),
        channel_refund_no: None,
        summary: "the vault's word".to_owned(),
    };
    match refund.state {
        RefundState::Pending => RefundAnswer::Pending(said),
        RefundState::Done => RefundAnswer::Succeeded(said),
        RefundState::Failed => RefundAnswer::Failed(said),
    }
}

impl Vault {
    async fn charged(&self, call: &ChargeCall) -> Answer {
        match self.take_mood(Kind::Submit, &call.order_no) {
            Mood::Prompt => self.book(call, ChargeState::Paid),
            Mood::ReplyLost => {
                self.book(call, ChargeState::Paid);
                return Answer::Unknown(nothing_heard());
            }
            Mood::NotArrived => return Answer::Unknown(nothing_heard()),
            Mood::Slow => {
                self.book(call, ChargeState::Paid);
                self.wait_for_tide(Kind::Submit).await;
            }
            Mood::Limbo => {
                self.charge_in_limbo(call);
                self.wait_for_tide(Kind::Submit).await;
            }
            Mood::Waits => self.book(call, ChargeState::Open),
            Mood::Refuses => self.book(call, ChargeState::Declined),
            Mood::NotNow => {
                let summary = "too many at once".to_owned();
                return Answer::Throttled { summary };
            }
        }
        truth(&call.order_no, self.charge(&call.order_no).as_ref())
    }

    async fn asked(&self, call: &ChargeCall) -> Answer {
        match self.take_mood(Kind::Ask, &call.order_no) {
            Mood::Prompt => truth(&call.order_no, self.charge(&call.order_no).as_ref()),
            Mood::Slow => {
                // What is true now is heard later.
                let answer = truth(&call.order_no, self.charge(&call.order_no).as_ref());
                self.wait_for_tide(Kind::Ask).await;
                answer
            }
            Mood::ReplyLost
            | Mood::NotArrived
            | Mood::Limbo
            | Mood::Waits
            | Mood::Refuses
            | Mood::NotNow => Answer::Unknown(nothing_heard()),
        }
    }

    async fn closed(&self, call: &ChargeCall) -> Answer {
        let mood = self.take_mood(Kind::Ask, &call.order_no);
        self.close_charge(&call.order_no);
        if mood != Mood::Prompt {
            return Answer::Unknown(nothing_heard());
        }
        match self.charge(&call.order_no) {
            Some(charge) if charge.state == ChargeState::Paid => Answer::AlreadyPaid,
            charge => truth(&call.order_no, charge.as_ref()),
        }
    }

    async fn refunded(&self, call: &RefundCall) -> RefundAnswer {
        match self.take_mood(Kind::Refund, &call.order_no) {
            Mood::Prompt => self.give_back(call, RefundState::Done),
            Mood::ReplyLost => {
                self.give_back(call, RefundState::Done);
                return RefundAnswer::Unknown(nothing_heard());
            }
            Mood::NotArrived => return RefundAnswer::Unknown(nothing_heard()),
            Mood::Slow => {
                self.give_back(call, RefundState::Done);
                self.wait_for_tide(Kind::Refund).await;
            }
            Mood::Limbo => {
                self.refund_in_limbo(call);
                self.wait_for_tide(Kind::Refund).await;
            }
            Mood::Waits => self.give_back(call, RefundState::Pending),
            Mood::Refuses => self.give_back(call, RefundState::Failed),
            Mood::NotNow => {
                let summary = "the balance is too low".to_owned();
                return RefundAnswer::Repeatable { summary };
            }
        }
        self.refund_truth(call)
    }

    fn refund_truth(&self, call: &RefundCall) -> RefundAnswer {
        let charge = self.charge(&call.order_no);
        let refund = charge
            .as_ref()
            .and_then(|it| it.refunds.get(&call.refund_no));
        refund.map_or(RefundAnswer::NotFound, |refund| {
            refund_answer(&call.refund_no, refund)
        })
    }
}

fn read(n: usize, note: Note) -> Notice {
    let key = format!("n-{n}");
    let order_no = note.order_no;
    match note.says {
        Says::Charge {
            state,
            amount,
            trade_no,
        } => Notice::Charge {
            key,
            status: format!("{state:?}"),
            answer: Answer::Charge(statement(
                &order_no,
                word(state),
                amount,
                trade_no.as_deref(),
            )),
            order_no,
        },
        Says::Refund { refund_no, refund } => Notice::Refund {
            key,
            status: format!("{:?}", refund.state),
            order_no,
            news: RefundNews {
                ours_by_our_number: true,
                answer: refund_answer(&refund_no, &refund),
                trade_no: Some(refund.trade_no),
                cumulative: false,
                refund_no,
            },
        },
    }
}

impl Channel for Vault {
    fn name(&self) -> &str {
        CHANNEL
    }

    fn account(&self) -> Fingerprint {
        Fingerprint {
            channel: CHANNEL.to_owned(),
            merchant: CHANNEL.to_owned(),
            live: false,
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            one_charge_per_key: self.one_charge_per_key,
            resubmits: true,
            key_life_ms: None,
            closes: true,
            refunds: true,
            own_expiry: false,
            asynchronous: false,
            repeats_action: false,
            settles_within_ms: 0,
        }
    }

    fn default_method(&self) -> &str {
        "direct"
    }

    fn admits(&self, _: &Admission<'_>) -> Result<(), FieldRefusal> {
        Ok(())
    }

    fn submit<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(self.charged(call))
    }

    fn query<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(self.asked(call))
    }

    fn close<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(self.closed(call))
    }

    fn refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(self.refunded(call))
    }

    fn query_refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(async { self.refund_truth(call) })
    }

    /// The body is the number of a note, and there is no signature: this vault is in the same process.
    fn verify(&self, notice: &RawNotice<'_>, _: UnixMillis) -> Result<Notice, Rejection> {
        let text = String::from_utf8_lossy(notice.body);
        let n = text.parse().ok();
        let note = n.and_then(|n| Some((n, self.note(n)?)));
        let (n, note) = note.ok_or_else(|| Rejection {
            rule: RejectionRule::Malformed,
            explanation: "there is no such note".to_owned(),
            key_id: None,
            signed_text: None,
        })?;
        Ok(read(n, note))
    }

    fn acknowledgement(&self, _: Acknowledge) -> AcknowledgementBody {
        AcknowledgementBody {
            content_type: "text/plain",
            body: String::new(),
        }
    }
}
