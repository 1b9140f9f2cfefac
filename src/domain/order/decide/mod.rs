//! The state machine: pure, complete, cell by cell.

use super::Order;
use super::decision::Decision;
use super::input::Input;
use super::refusal::Refusal;
use super::status::OrderStatus;
use crate::domain::Now;
use crate::domain::schedule::Rules;

/// What a decision reads beside the order.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub now: Now,
    pub rules: &'a Rules,
    /// Numbers of the submits whose calls are open in this process.
    pub open_submits: &'a [u32],
    /// The newest order that replaces this one and is not ended.
    pub successor: Option<OrderStatus>,
}

/// What becomes of the order when this happens.
pub fn decide(order: &Order, input: &Input, context: &Context<'_>) -> Result<Decision, Refusal> {
    todo!("{order:?} {input:?} {context:?}")
}
