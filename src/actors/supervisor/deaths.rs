//! Actors that die: rebuilt from their rows within a budget, then handed to a person.

use super::{Supervisor, happened};
use crate::actors::shared::Shared;
use crate::domain::order::{Alert, AlertKind, Input, Severity};
use crate::store::alerts::About;
use actix::{Handler, Message};
use std::sync::Arc;

/// Deaths of one order's actor within [`RESTART_WINDOW_MS`] after which a person must look.
const RESTARTS_MAX: u32 = 3;
const RESTART_WINDOW_MS: i64 = 60_000;

pub(super) struct Deaths {
    count: u32,
    since_ms: i64,
}

impl Supervisor {
    fn count_death(&mut self, order_no: &Arc<str>) -> u32 {
        let now_ms = self.shared.now().mono_ms;
        let fresh = Deaths {
            count: 0,
            since_ms: now_ms,
        };
        let deaths = self.deaths.entry(Arc::clone(order_no)).or_insert(fresh);
        if now_ms - deaths.since_ms > RESTART_WINDOW_MS {
            *deaths = Deaths {
                count: 0,
                since_ms: now_ms,
            };
        }
        deaths.count = deaths.count.saturating_add(1);
        deaths.count
    }
}

/// An actor has ended and was not asked to: it panicked.
#[derive(Message)]
#[rtype(result = "()")]
pub(in crate::actors) struct ActorEnded {
    pub(in crate::actors) order_no: Arc<str>,
    pub(in crate::actors) born: u64,
}

impl Handler<ActorEnded> for Supervisor {
    type Result = ();

    /// The order is loaded again from its row; after its budget it goes to a person instead.
    fn handle(&mut self, ended: ActorEnded, ctx: &mut Self::Context) {
        let present = self
            .live
            .get(&ended.order_no)
            .is_some_and(|live| live.born == ended.born);
        if self.shared.is_closing() || !present {
            return;
        }
        self.live.remove(&ended.order_no);
        let deaths = self.count_death(&ended.order_no);
        tracing::error!(order_no = &*ended.order_no, deaths, "an order's actor died");
        let input = match deaths.cmp(&RESTARTS_MAX) {
            std::cmp::Ordering::Less => Input::Recovered,
            std::cmp::Ordering::Equal => Input::ActorFailed {
                summary: format!("its actor died {deaths} times"),
            },
            // Even the hand-over to a person fails: the row is left alone for a while, its status is safe.
            std::cmp::Ordering::Greater => {
                self.look_again(&ended.order_no, RESTART_WINDOW_MS);
                self.wait_for_next(ctx);
                tell_of_actor(&self.shared, &ended.order_no);
                return;
            }
        };
        self.send(&ended.order_no, happened(input), ctx);
    }
}

/// Ops must know of an order whose every actor dies; no actor can write that with the order's row.
fn tell_of_actor(shared: &Arc<Shared>, order_no: &Arc<str>) {
    let epoch = shared.parts.epoch;
    let alert = Alert {
        kind: AlertKind::ActorFailed,
        severity: Severity::Action,
        subject: order_no.to_string(),
        episode: format!("start:{epoch}"),
        message: format!(
            "No actor of order {order_no} survives; nothing is done for it by itself."
        ),
    };
    let about = About {
        order_no: Some(order_no.to_string()),
        ..About::default()
    };
    let shared = Arc::clone(shared);
    actix::spawn(async move { shared.raise(&alert, &about).await });
}
