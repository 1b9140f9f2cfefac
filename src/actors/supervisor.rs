//! The supervisor: it alone starts order actors, sends to them, rebuilds and retires them, and keeps the timers.

mod deaths;

pub(super) use deaths::ActorEnded;

use super::gateway::GatewayError;
use super::messages::OrderMessage;
use super::order::{OrderActor, Retire};
use super::shared::Shared;
use super::timers::Timers;
use super::turn::Turn;
use crate::clock;
use crate::domain::order::Input;
use crate::domain::{OrderNo, UnixMillis};
use actix::{Actor, Addr, AsyncContext, Context, Handler, Message, SpawnHandle};
use deaths::Deaths;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// An idle actor stays this long for the callback that usually follows a reply.
const LINGER_MS: i64 = 2_000;
/// Messages that one order may have waiting; more are refused, so that one order cannot fill the memory.
const WAITING_MAX: usize = 512;
/// A timer that was refused comes again after this.
const LOOK_AGAIN_MS: i64 = 1_000;
/// Timers wait on the wall clock, which may be stepped: look again at least this often.
const TICK_MAX: Duration = Duration::from_secs(1);

struct Live {
    actor: Addr<OrderActor>,
    /// Which actor of this order it is: a report of an earlier one is void.
    born: u64,
    sent: u64,
    /// Messages sent and not finished. Only the supervisor raises it.
    depth: Arc<AtomicUsize>,
}

/// An actor that had nothing to do after its `handled`-th message.
struct Idle {
    since_ms: i64,
    order_no: Arc<str>,
    born: u64,
    handled: u64,
}

/// See the module.
pub(super) struct Supervisor {
    shared: Arc<Shared>,
    live: HashMap<Arc<str>, Live>,
    deaths: HashMap<Arc<str>, Deaths>,
    timers: Timers,
    idle: VecDeque<Idle>,
    births: u64,
    tick: Option<(SpawnHandle, UnixMillis)>,
}

impl Supervisor {
    pub(super) fn new(shared: Arc<Shared>, found: Timers) -> Self {
        Self {
            shared,
            live: HashMap::new(),
            deaths: HashMap::new(),
            timers: found,
            idle: VecDeque::new(),
            births: 0,
            tick: None,
        }
    }

    fn send(&mut self, order_no: &Arc<str>, message: OrderMessage, ctx: &Context<Self>) {
        if !self.live.contains_key(order_no) {
            self.start(order_no, ctx);
        }
        let Some(live) = self.live.get_mut(order_no) else {
            return;
        };
        if live.depth.load(Ordering::Acquire) >= WAITING_MAX {
            if refuse(message) == Refused::Timer {
                self.look_again(order_no, LOOK_AGAIN_MS);
            }
            return;
        }
        live.depth.fetch_add(1, Ordering::AcqRel);
        live.sent = live.sent.saturating_add(1);
        live.actor.do_send(message);
    }

    /// What a timer brought and nobody took comes again: an order in flight is never without a timer.
    fn look_again(&mut self, order_no: &Arc<str>, after_ms: i64) {
        let due = self.shared.now().wall.plus(after_ms);
        self.timers.set(order_no, Some(due));
    }

    fn start(&mut self, order_no: &Arc<str>, ctx: &Context<Self>) {
        let number = OrderNo(order_no.to_string());
        let turn = Turn::new(Arc::clone(&self.shared), ctx.address(), number);
        let depth = Arc::new(AtomicUsize::new(0));
        self.births = self.births.saturating_add(1);
        let born = self.births;
        let actor = OrderActor::new(turn, born, Arc::clone(&depth)).start();
        self.live.insert(
            Arc::clone(order_no),
            Live {
                actor,
                born,
                sent: 0,
                depth,
            },
        );
    }

    /// Fires what has come, then waits for the next.
    fn look_at_timers(&mut self, ctx: &mut Context<Self>) {
        self.tick = None;
        let now = self.shared.now().wall;
        while let Some(fired) = self.timers.pop(now) {
            let input = if fired.found_at_startup {
                Input::Recovered
            } else {
                Input::Due
            };
            self.send(&fired.order_no, happened(input), ctx);
        }
        self.retire_idle();
        self.wait_for_next(ctx);
    }

    fn wait_for_next(&mut self, ctx: &mut Context<Self>) {
        let due = match (self.timers.next(), self.idle.is_empty()) {
            (Some(due), _) => due,
            (None, false) => self.shared.now().wall.plus(LINGER_MS),
            (None, true) => return,
        };
        if let Some((handle, waits_for)) = self.tick.take() {
            if waits_for <= due {
                self.tick = Some((handle, waits_for));
                return;
            }
            ctx.cancel_future(handle);
        }
        let left = due.since(self.shared.now().wall);
        let wait = clock::millis(left).min(TICK_MAX);
        let handle = ctx.run_later(wait, |_, ctx| ctx.address().do_send(LookAtTimers));
        self.tick = Some((handle, due));
    }

    /// Lets go of actors that have been idle for a while; nothing is on its way to them, since only we send.
    fn retire_idle(&mut self) {
        let now_ms = self.shared.now().mono_ms;
        while self
            .idle
            .front()
            .is_some_and(|idle| now_ms - idle.since_ms >= LINGER_MS)
        {
            let Some(idle) = self.idle.pop_front() else {
                return;
            };
            let quiet = self
                .live
                .get(&idle.order_no)
                .is_some_and(|live| live.born == idle.born && live.sent == idle.handled);
            if quiet && let Some(live) = self.live.remove(&idle.order_no) {
                live.actor.do_send(Retire);
            }
        }
    }
}

fn happened(input: Input) -> OrderMessage {
    OrderMessage::Happened {
        input: Box::new(input),
        notice: None,
        reply: None,
        waiter: None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refused {
    /// Whoever asked was told.
    Ask,
    Timer,
}

fn refuse(message: OrderMessage) -> Refused {
    let busy = || GatewayError::Busy("too many messages wait for this order".to_owned());
    match message {
        OrderMessage::Create { created, .. } => drop(created.send(Err(busy()))),
        OrderMessage::Watch { found, .. } => drop(found.send(Err(busy()))),
        OrderMessage::Happened {
            reply: Some(reply), ..
        } => drop(reply.send(Err(busy()))),
        OrderMessage::Happened { reply: None, .. } => return Refused::Timer,
    }
    Refused::Ask
}

impl Actor for Supervisor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        // The capacity bounds `try_send` alone; the door bounds what comes in.
        self.look_at_timers(ctx);
    }
}

/// A message for the order with this number, whether its actor lives or not.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Deliver {
    pub(super) order_no: Arc<str>,
    pub(super) message: OrderMessage,
}

impl Handler<Deliver> for Supervisor {
    type Result = ();

    fn handle(&mut self, deliver: Deliver, ctx: &mut Self::Context) {
        self.send(&deliver.order_no, deliver.message, ctx);
    }
}

/// Sets or clears the order's timer.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct ArmTimer {
    pub(super) order_no: Arc<str>,
    pub(super) due: Option<UnixMillis>,
}

impl Handler<ArmTimer> for Supervisor {
    type Result = ();

    fn handle(&mut self, arm: ArmTimer, ctx: &mut Self::Context) {
        self.timers.set(&arm.order_no, arm.due);
        if arm.due.is_some() {
            self.wait_for_next(ctx);
        }
    }
}

#[derive(Message)]
#[rtype(result = "()")]
struct LookAtTimers;

impl Handler<LookAtTimers> for Supervisor {
    type Result = ();

    fn handle(&mut self, _: LookAtTimers, ctx: &mut Self::Context) {
        self.look_at_timers(ctx);
    }
}

/// An actor has nothing to do and nobody waits for it.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct ActorIdle {
    pub(super) order_no: Arc<str>,
    pub(super) born: u64,
    pub(super) handled: u64,
}

impl Handler<ActorIdle> for Supervisor {
    type Result = ();

    fn handle(&mut self, idle: ActorIdle, ctx: &mut Self::Context) {
        self.idle.push_back(Idle {
            since_ms: self.shared.now().mono_ms,
            order_no: idle.order_no,
            born: idle.born,
            handled: idle.handled,
        });
        if self.tick.is_none() {
            self.wait_for_next(ctx);
        }
    }
}

/// How many actors live and how many timers wait.
#[derive(Message)]
#[rtype(result = "(usize, usize)")]
pub(super) struct Census;

impl Handler<Census> for Supervisor {
    type Result = actix::MessageResult<Census>;

    fn handle(&mut self, _: Census, _: &mut Self::Context) -> Self::Result {
        actix::MessageResult((self.live.len(), self.timers.len()))
    }
}
