//! Webhooks: events, each with the object that it is about as it stood then.
//!
//! Stripe promises no order of events, and an object in one may be older than what is on record. So an event is taken
//! as a hint: what is final stands (an intent that has succeeded or is canceled never leaves that), and everything else
//! is a *not yet* that the runtime holds against the order's status, and asks about if it is news.

use super::codes;
use super::sign::{self, WebhookKey, reject};
use super::wire::{Intent, Refund};
use crate::channels::words::{is_name, object, printable};
use crate::channels::{Notice, RawNotice, Rejection, RejectionRule};
use crate::domain::UnixMillis;
use crate::domain::order::{Answer, DisputePhase, RefundNews};
use serde::Deserialize;
use serde_json::value::RawValue;

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    Intent,
    Refund,
    DisputeOpened,
    DisputeClosed,
}

/// Types of events, and what is taken from them. A type that ends in a dot stands for all that begin so.
///
/// `charge.refunded` is not among them: it has the sum of all that went back, and each refund in it is told under its own
/// number by `refund.created` or `refund.updated`; who took both would count it twice. Nor are a dispute's events between
/// its first and its last: one that came late would open it again.
const TYPES: [(&str, About); 7] = [
    ("payment_intent.", About::Intent),
    ("refund.created", About::Refund),
    ("refund.updated", About::Refund),
    ("refund.failed", About::Refund),
    // As older versions of the API name `refund.updated`.
    ("charge.refund.updated", About::Refund),
    ("charge.dispute.created", About::DisputeOpened),
    ("charge.dispute.closed", About::DisputeClosed),
];

/// What an event says of itself.
#[derive(Debug, Deserialize)]
struct Event<'a> {
    id: String,
    object: String,
    #[serde(rename = "type")]
    kind: String,
    livemode: Option<bool>,
    /// The connected account whose event it is; our own events have none.
    account: Option<serde::de::IgnoredAny>,
    #[serde(borrow)]
    data: Option<Data<'a>>,
}

#[derive(Debug, Deserialize)]
struct Data<'a> {
    #[serde(borrow)]
    object: &'a RawValue,
}

#[derive(Debug, Deserialize)]
struct Dispute {
    id: String,
    status: String,
    payment_intent: Option<String>,
    reason: Option<String>,
}

/// Checks the rules in their order and reads the event. `keys`: it may be signed with any of them. `live`: the mode of
/// our own key.
pub(super) fn verify(
    keys: &[WebhookKey],
    live: bool,
    notice: &RawNotice<'_>,
    now: UnixMillis,
) -> Result<Notice, Rejection> {
    sign::verify(keys, notice, now)?;
    let event: Event<'_> = object(notice.body).map_err(|error| unreadable(&error))?;
    if event.account.is_some() {
        let explanation = "it is the event of a connected account (it has an `account`)";
        return Err(reject(RejectionRule::OtherMerchant, explanation.to_owned()));
    }
    if event.object != "event" {
        return Err(malformed(format!(
            "a `{}` is no event with its object in it: the endpoint must be one for snapshot events",
            event.object
        )));
    }
    let of_event = event
        .livemode
        .ok_or_else(|| malformed("it has no `livemode`".to_owned()))?;
    if of_event != live {
        let mode = |live| if live { "live" } else { "test" };
        let explanation = format!(
            "it is of {} mode, and our secret_key of {} mode",
            mode(of_event),
            mode(live)
        );
        return Err(reject(RejectionRule::OtherMode, explanation));
    }
    read(&event)
}

fn read(event: &Event<'_>) -> Result<Notice, Rejection> {
    let unrelated = || Notice::Unrelated {
        kind: printable(&event.kind),
    };
    let Some(about) = about(&event.kind) else {
        return Ok(unrelated());
    };
    if !is_name(&event.id) {
        return Err(malformed("its id is none".to_owned()));
    }
    let data = event.data.as_ref();
    let data = data.map_or("null", |data| data.object.get()).as_bytes();
    let notice = match about {
        About::Intent => intent(event, parsed(data)?)?,
        About::Refund => refund(event, parsed(data)?)?,
        About::DisputeOpened => dispute(event, parsed(data)?, DisputePhase::Opened)?,
        About::DisputeClosed => dispute(event, parsed(data)?, DisputePhase::Ended)?,
    };
    Ok(notice.unwrap_or_else(unrelated))
}

fn about(kind: &str) -> Option<About> {
    let fits = |listed: &str| kind == listed || (listed.ends_with('.') && kind.starts_with(listed));
    let row = TYPES.iter().find(|(listed, _)| fits(listed));
    row.map(|(_, about)| *about)
}

/// `None`: an intent without our number is somebody else's, such as an invoice's.
fn intent(event: &Event<'_>, intent: Intent) -> Result<Option<Notice>, Rejection> {
    if intent.metadata.out_trade_no.is_none() {
        return Ok(None);
    }
    let status = printable(&intent.status);
    let statement = intent.into_statement().ok_or_else(|| {
        malformed("the intent has no name, or an amount that is none of ours".to_owned())
    })?;
    Ok(Some(Notice::Charge {
        key: event.id.clone(),
        status,
        order_no: statement.order_no.clone(),
        answer: Answer::Charge(statement),
    }))
}

/// A refund of ours bears both numbers. One that began at Stripe bears none: its intent tells whose it is.
fn refund(event: &Event<'_>, refund: Refund) -> Result<Option<Notice>, Rejection> {
    if !is_name(refund.number()) {
        return Err(malformed("the refund's number is none".to_owned()));
    }
    let order_no = refund.metadata.out_trade_no.clone();
    let trade_no = refund.payment_intent.clone().filter(|id| is_name(id));
    let notice = Notice::Refund {
        key: event.id.clone(),
        status: printable(&refund.status),
        order_no: order_no.clone().unwrap_or_default(),
        news: RefundNews {
            refund_no: refund.number().to_owned(),
            trade_no: trade_no.clone(),
            cumulative: false,
            ours_by_our_number: true,
            answer: refund.meaning(),
        },
    };
    Ok(match order_no {
        Some(_) => Some(notice),
        None => of_trade(trade_no, notice),
    })
}

/// `by_type`: how far it is where its status does not say that it has ended so or so.
fn dispute(
    event: &Event<'_>,
    dispute: Dispute,
    by_type: DisputePhase,
) -> Result<Option<Notice>, Rejection> {
    let status = printable(&dispute.status);
    let phase = codes::dispute_over(&dispute.status).unwrap_or(by_type);
    if !is_name(&dispute.id) {
        return Err(malformed("the dispute's id is none".to_owned()));
    }
    let reason = dispute.reason.as_deref().unwrap_or("no reason");
    let notice = Notice::Dispute {
        key: event.id.clone(),
        order_no: String::new(),
        reference: dispute.id,
        phase,
        summary: printable(&format!("{status}: {reason}")),
    };
    Ok(of_trade(dispute.payment_intent, notice))
}

fn of_trade(trade_no: Option<String>, about: Notice) -> Option<Notice> {
    let trade_no = trade_no.filter(|id| is_name(id))?;
    Some(Notice::OfTrade {
        trade_no,
        about: Box::new(about),
    })
}

fn parsed<'a, T: Deserialize<'a>>(data: &'a [u8]) -> Result<T, Rejection> {
    object(data).map_err(|error| unreadable(&error))
}

fn unreadable(error: &serde_json::Error) -> Rejection {
    malformed(format!("the body cannot be read: {error}"))
}

fn malformed(explanation: String) -> Rejection {
    reject(RejectionRule::Malformed, printable(&explanation))
}
