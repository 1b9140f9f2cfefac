//! The state machine: pure, complete, cell by cell.
//!
//! Each file answers one question: [`answers`] what the channel's answers do ([`replies`], [`queries`], [`closes`],
//! [`notices`] by where they come from), [`wait`] how `PENDING` goes on, [`money`] what proof does, [`gate`] whether
//! a submit may go out, [`timers`] what time and start-up do, [`people`] what requests and reviews do, [`refunds`] how
//! money goes back, [`grants`], [`revocations`] and [`disputes`] what the payer gets, loses and may not use. [`draft`]
//! is the decision in the making, [`moves`] are the codes of the cells, [`alarms`] is what people are told,
//! [`history`] the events.

mod alarms;
mod answers;
mod closes;
mod create;
mod disputes;
mod draft;
mod gate;
mod grants;
mod history;
mod money;
mod moves;
mod notices;
mod people;
mod queries;
mod refunds;
mod repeat;
mod replies;
mod revocations;
mod timers;
mod wait;

use super::Order;
use super::decision::Decision;
use super::input::Input;
use super::refusal::Refusal;
use super::status::OrderStatus;
use crate::domain::schedule::Rules;
use crate::domain::{Now, UnixMillis};
use draft::Draft;

pub use create::create;
pub use grants::stands;

/// What a decision reads beside the order.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub now: Now,
    pub rules: &'a Rules,
    /// Numbers of the submits whose calls are open in this process.
    pub open_submits: &'a [u32],
    /// Numbers of the refunds whose send is open in this process.
    pub open_refunds: &'a [String],
    /// The id of a refund that this decision may make.
    pub new_refund_id: &'a str,
    /// The newest order that replaces this one and is not ended.
    pub successor: Option<OrderStatus>,
}

/// The columns of the decision table: statuses that behave alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Unpaid,
    Processing,
    Pending,
    Unknown,
    /// `MANUAL` that matching proof leaves by itself.
    ManualOpen,
    /// `MANUAL` that only a review leaves: by its reason, or since proof is on record that did not pay.
    ManualHeld,
    Paid,
    Ended,
}

impl Column {
    fn of(order: &Order) -> Self {
        match order.status {
            OrderStatus::Unpaid => Self::Unpaid,
            OrderStatus::Processing => Self::Processing,
            OrderStatus::Pending => Self::Pending,
            OrderStatus::Unknown => Self::Unknown,
            OrderStatus::Manual => {
                let by_reason = order
                    .reason
                    .is_some_and(super::Reason::only_a_review_settles);
                if by_reason || order.has_proof() {
                    Self::ManualHeld
                } else {
                    Self::ManualOpen
                }
            }
            OrderStatus::Paid
            | OrderStatus::Refunding
            | OrderStatus::PartiallyRefunded
            | OrderStatus::Refunded => Self::Paid,
            OrderStatus::Failed | OrderStatus::Closed => Self::Ended,
        }
    }
}

impl Context<'_> {
    /// Whether calls for this order would be made under the account that its row names.
    fn same_account(&self, order: &Order) -> bool {
        self.rules.fingerprint.as_ref() == Some(&order.fingerprint)
    }

    /// A close was asked for, or the order has expired and callbacks had their grace after start-up.
    fn is_closing(&self, order: &Order) -> bool {
        order.close_requested_at.is_some()
            || (self.now.wall >= order.expires_at && self.startup_grace_left(order) == 0)
    }

    /// Milliseconds for which an order of an earlier run does not yet count as expired.
    fn startup_grace_left(&self, order: &Order) -> i64 {
        let started_at = self.now.wall.plus(self.now.mono_ms.saturating_neg());
        if order.created_at >= started_at {
            0
        } else {
            self.rules
                .startup_grace_ms
                .saturating_sub(self.now.mono_ms)
                .max(0)
        }
    }

    fn after(&self, millis: i64) -> UnixMillis {
        self.now.wall.plus(millis)
    }
}

/// What becomes of an order that has a row when this happens. Nothing is written if it is refused.
pub fn decide(order: &Order, input: &Input, context: &Context<'_>) -> Result<Decision, Refusal> {
    let mut draft = Draft::of(order, context, input);
    match input {
        Input::Answer { source, answer } => answers::answered(&mut draft, source, answer),
        Input::TradeTaken { source, proof } => money::trade_taken(&mut draft, source, proof),
        Input::SubmitTimedOut { submit } => timers::submit_timed_out(&mut draft, *submit),
        Input::Due => {
            timers::due(&mut draft);
            refunds::due(&mut draft);
        }
        Input::UiDeadlinePassed => timers::ui_deadline_passed(&mut draft),
        Input::Recovered => {
            timers::recovered(&mut draft);
            refunds::recovered(&mut draft);
        }
        Input::ActorFailed { .. } => timers::actor_failed(&mut draft),
        Input::CloseRequested { .. } => people::close_requested(&mut draft)?,
        Input::QueryRequested { .. } => people::query_requested(&mut draft)?,
        Input::Review(review) => people::reviewed(&mut draft, review)?,
        Input::RefundRequested(request) => refunds::requested(&mut draft, request)?,
        Input::RefundReply {
            call,
            refund_no,
            answer,
        } => refunds::replied(&mut draft, *call, refund_no, answer),
        Input::RefundTold { source, news } => refunds::told(&mut draft, source, news),
        Input::RefundReview(review) => refunds::reviewed(&mut draft, review)?,
        Input::Fulfil { kind, outside } => grants::fulfil(&mut draft, kind, *outside),
        Input::Dispute {
            source,
            reference,
            phase,
            ..
        } => disputes::dispute(&mut draft, source, reference, *phase),
        Input::BillLine { .. } => disputes::bill_line(&mut draft),
    }
    Ok(draft.finish())
}
