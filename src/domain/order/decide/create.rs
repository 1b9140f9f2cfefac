//! The birth of an order.

use super::super::Order;
use super::super::Submit;
use super::super::decision::{Decision, Effect, Event, EventDetail};
use super::super::status::{EventKind, OrderStatus};
use super::Context;

/// Decides about a new order: born `PROCESSING` with its submit in one write; or `UNPAID`, when the channel must be
/// asked first because it may know this number already. `order` comes as `UNPAID`, at version 0, without events.
#[must_use]
pub fn create(order: &Order, by: &str, context: &Context<'_>) -> Decision {
    let mut next = order.clone();
    next.version = 1;
    let first = if next.ask_first {
        "; the channel is asked first whether it knows this order"
    } else {
        ""
    };
    let created = format!("{} through {}{first}", next.money, next.fingerprint.channel);
    let mut events = vec![Event {
        kind: EventKind::Created,
        by: by.to_owned(),
        from: None,
        to: OrderStatus::Unpaid,
        detail: EventDetail {
            summary: created,
            ..EventDetail::default()
        },
        digest: None,
    }];
    let effect = if next.ask_first {
        let lost_after = context.rules.query_timeout_ms.saturating_mul(2);
        next.next_check_at = Some(context.after(lost_after));
        Effect::Query
    } else {
        next.status = OrderStatus::Processing;
        next.submits.push(Submit {
            n: 1,
            started: context.now.stamp(),
            ended: None,
            resolved: false,
        });
        events.push(Event {
            kind: EventKind::Submit,
            by: by.to_owned(),
            from: Some(OrderStatus::Unpaid),
            to: OrderStatus::Processing,
            detail: EventDetail {
                summary: "submit 1 goes out".to_owned(),
                submit_count: 1,
                ..EventDetail::default()
            },
            digest: None,
        });
        Effect::Submit { n: 1 }
    };
    next.event_seq = u32::try_from(events.len()).unwrap_or(u32::MAX);
    Decision {
        next,
        events,
        payments: Vec::new(),
        alerts: Vec::new(),
        resolves_alerts: false,
        resolved_alerts: Vec::new(),
        refunds: Vec::new(),
        postings: Vec::new(),
        fulfilments: Vec::new(),
        announcements: Vec::new(),
        effects: vec![effect],
    }
}
