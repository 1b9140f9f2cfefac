//! The actor of one order: it takes one message at a time and finishes it before the next.

use super::messages::OrderMessage;
use super::supervisor::{ActorEnded, ActorIdle, Supervisor};
use super::turn::Turn;
use actix::{
    Actor, ActorContext, ActorFutureExt, Addr, AsyncContext, Context, Handler, WrapFuture,
};

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Serializes everything that happens to one order. It is a cache and a lock; the row is the truth.
pub(super) struct OrderActor {
    /// Out while a message is being worked on.
    turn: Option<Box<Turn>>,
    /// Messages that the supervisor has sent and that are not finished.
    depth: Arc<AtomicUsize>,
    handled: u64,
    end: EndNotice,
}

impl OrderActor {
    pub(super) fn new(turn: Turn, born: u64, depth: Arc<AtomicUsize>) -> Self {
        let order_no: Arc<str> = turn.order_no().into();
        let end = EndNotice {
            order_no,
            born,
            supervisor: turn.supervisor.clone(),
            asked: false,
        };
        Self {
            turn: Some(Box::new(turn)),
            depth,
            handled: 0,
            end,
        }
    }
}

impl Actor for OrderActor {
    type Context = Context<Self>;
}

impl Handler<OrderMessage> for OrderActor {
    type Result = ();

    /// The mailbox is not read again before this message is finished: `wait` holds it.
    fn handle(&mut self, message: OrderMessage, ctx: &mut Self::Context) {
        let Some(mut turn) = self.turn.take() else {
            // Unreachable while `wait` holds the mailbox; the dropped reply makes the sender ask again.
            tracing::error!(order_no = &*self.end.order_no, "a message overtook another");
            return;
        };
        let work = async move {
            turn.take(message).await;
            turn
        };
        ctx.wait(work.into_actor(self).map(|turn, actor, _| {
            let idle = turn.is_idle();
            actor.turn = Some(turn);
            actor.handled = actor.handled.saturating_add(1);
            let left = actor.depth.fetch_sub(1, Ordering::AcqRel);
            if idle && left == 1 {
                actor.end.supervisor.do_send(ActorIdle {
                    order_no: Arc::clone(&actor.end.order_no),
                    born: actor.end.born,
                    handled: actor.handled,
                });
            }
        }));
    }
}

/// The supervisor has taken the order out of its register: nobody will send to this actor any more.
#[derive(actix::Message)]
#[rtype(result = "()")]
pub(super) struct Retire;

impl Handler<Retire> for OrderActor {
    type Result = ();

    fn handle(&mut self, _: Retire, ctx: &mut Self::Context) {
        self.end.asked = true;
        ctx.stop();
    }
}

/// Tells the supervisor of an end that it did not ask for: actix does not restart an actor that panicked.
struct EndNotice {
    order_no: Arc<str>,
    born: u64,
    supervisor: Addr<Supervisor>,
    asked: bool,
}

impl Drop for EndNotice {
    fn drop(&mut self) {
        if !self.asked {
            self.supervisor.do_send(ActorEnded {
                order_no: Arc::clone(&self.order_no),
                born: self.born,
            });
        }
    }
}
