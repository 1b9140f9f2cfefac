//! What is said to an order's actor. Every message goes through the supervisor, which is the only sender.

use super::gateway::{GatewayError, NewOrder};
use crate::domain::order::{Input, Order};
use actix::Message;
use sha2::{Digest, Sha256};
use std::sync::Arc;
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

/// Bytes of a notice's id and of its status that the inbox takes beside an order's number.
const NOTICE_ID_MAX: usize = 160;
const NOTICE_STATUS_MAX: usize = 64;

impl NoticeId {
    /// An id and a status that are never longer than the inbox takes: what the database refuses would be lost.
    pub(super) fn new(channel: &str, key: &str, status: &str, digest: String) -> Self {
        Self {
            channel: channel.to_owned(),
            key: within(key, NOTICE_ID_MAX),
            status: within(status, NOTICE_STATUS_MAX),
            digest,
        }
    }
}

/// The text itself, or the head of its digest where it is too long.
fn within(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let mut digest = hex::encode(Sha256::digest(text));
    digest.truncate(bytes_max);
    digest
}

/// What a caller waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Goal {
    /// Settled, waiting for its payer, or with a person.
    Result,
    /// Settled, or with a person.
    End,
    /// Settled.
    Settled,
    /// The next answer of the channel to a query.
    QueryReply,
    /// The refund with this number is settled, under way at the channel, or with a person; or there is none.
    Refund(Arc<str>),
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
