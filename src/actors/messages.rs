//! What is said to an order's actor. Every message goes through the supervisor, which is the only sender.

use super::gateway::{GatewayError, NewOrder};
use crate::domain::order::{Input, Order};
use actix::Message;
use tokio::sync::oneshot;

/// An answer to whoever asked. If it is dropped unanswered, the actor died: ask again.
pub(super) type Reply<T> = oneshot::Sender<Result<T, GatewayError>>;

/// What an input came to.
#[derive(Debug, Clone)]
pub(super) struct Settled {
    pub(super) order: Order,
    /// It was on record already.
    pub(super) duplicate: bool,
}

/// The id and status that make a notice the same.
#[derive(Debug, Clone)]
pub(super) struct NoticeId {
    /// The channel that vouches for it. It speaks for its own orders alone.
    pub(super) channel: String,
    pub(super) key: String,
    pub(super) status: String,
    pub(super) digest: String,
}

/// What a caller waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// Settled, waiting for its payer, or with a person.
    Result,
    /// Settled, or with a person.
    End,
    /// The next answer of the channel to a query.
    QueryReply,
}

/// A caller that waits.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) goal: Goal,
    pub(super) answer: oneshot::Sender<Order>,
}

/// One message to one order.
#[derive(Debug)]
pub(super) enum OrderMessage {
    /// Create it, or find it. The answer is the order as committed.
    Create {
        new: Box<NewOrder>,
        created: Reply<Order>,
        waiter: Option<Waiter>,
    },
    /// Tell me when it is so far.
    Watch { found: Reply<Order>, waiter: Waiter },
    /// Something happened to it.
    Happened {
        input: Box<Input>,
        notice: Option<NoticeId>,
        reply: Option<Reply<Settled>>,
        waiter: Option<Waiter>,
    },
}

impl Message for OrderMessage {
    type Result = ();
}
