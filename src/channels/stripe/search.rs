//! Finding a payment intent or a refund whose name we were never told: by the number that we wrote onto it.
//!
//! Stripe's lists show what was created at once. Its search reaches back for ever and shows things late, by an hour at
//! the worst: it is asked for what is older than that, where a list would be too long to be read.
//!
//! Source: docs.stripe.com/search, docs.stripe.com/api/pagination.

use super::codes::Trouble;
use super::exchange::{Deadline, End, Exchange, Field, Refusal, read};
use super::wire::{Intent, Page, Refund};
use super::{DAY_MS, HOUR_MS, KEY_LIFE_MS};
use crate::channels::client::{CallFailure, Silence};
use crate::channels::{ChargeCall, RefundCall};
use crate::domain::UnixMillis;
use serde::de::DeserializeOwned;

/// The largest page that Stripe gives.
const PAGE_MAX: u32 = 100;
/// No call has the time for more.
const PAGES_MAX: usize = 1_000;
/// How far our clock and Stripe's may be apart; a webhook would not be verified either if they were more.
const SKEW_MS: i64 = 300_000;
/// What is younger is listed, and all that is older is searched: twice as long as a search may be late.
const SEARCHED_AFTER_MS: i64 = 2 * HOUR_MS;
/// An order can be paid for 30 days. So far back reaches the list where Stripe has no search (it has none in India).
const LIST_MS: i64 = 30 * DAY_MS;

/// Why a list did not lead to one object.
pub(super) enum Missed {
    /// The whole list was read, and none bears the number.
    None,
    /// Several bear it: which of them is meant is not guessed.
    Several(usize),
    Error(Refusal),
    Silence(Silence),
}

/// An object that lists page through.
trait Listed: DeserializeOwned {
    fn id(&self) -> &str;
    fn bears(&self, number: &str) -> bool;
}

impl Listed for Intent {
    fn id(&self) -> &str {
        &self.id
    }

    fn bears(&self, number: &str) -> bool {
        self.metadata.out_trade_no.as_deref() == Some(number)
    }
}

impl Listed for Refund {
    fn id(&self) -> &str {
        &self.id
    }

    fn bears(&self, number: &str) -> bool {
        self.number() == number
    }
}

/// The name of the one intent with the order's number, among all that can be the order's.
///
/// A submit repeats its key for as long as Stripe remembers it, and no longer: so long after the first one an intent
/// can have been created. An order that was never submitted, as far as we remember, may have been, at any time, before
/// its row was lost and the database restored from a backup.
pub(super) async fn intent(
    exchange: &Exchange,
    call: &ChargeCall,
    now: UnixMillis,
    deadline: Deadline,
) -> Result<String, Missed> {
    let number = &call.order_no;
    let listed = async |from: UnixMillis, to: UnixMillis| {
        let list = created_between(exchange, from, to, deadline);
        list.bearing::<Intent>(number).await.map(names)
    };
    if let Some(first) = call.first_submit_at {
        return one(listed(first, first.plus(KEY_LIFE_MS).min(now)).await?);
    }
    let mut found = match searched(exchange, number, deadline).await {
        Err(Missed::Error(refusal)) if refusal.trouble == Trouble::Refused => {
            return one(listed(call.created_at.plus(-LIST_MS), now).await?);
        }
        searched => searched?,
    };
    found.extend(listed(call.created_at.plus(-SEARCHED_AFTER_MS), now).await?);
    found.sort();
    found.dedup();
    one(found)
}

fn names(intents: Vec<Intent>) -> Vec<String> {
    intents.into_iter().map(|intent| intent.id).collect()
}

/// Intents without their charges, which have no bound: a page of them is read within the time of a query.
fn created_between(
    exchange: &Exchange,
    from: UnixMillis,
    to: UnixMillis,
    deadline: Deadline,
) -> List<'_> {
    let seconds = |at: UnixMillis| at.0.div_euclid(1000).to_string();
    List {
        exchange,
        path: "/v1/payment_intents",
        query: vec![
            ("created[gte]", seconds(from.plus(-SKEW_MS))),
            ("created[lte]", seconds(to.plus(SKEW_MS))),
        ],
        deadline,
    }
}

/// Names of the intents that the search shows, of any age.
async fn searched(
    exchange: &Exchange,
    number: &str,
    deadline: Deadline,
) -> Result<Vec<String>, Missed> {
    let list = List {
        exchange,
        path: "/v1/payment_intents/search",
        // A number has no quotes in it.
        query: vec![("query", format!("metadata['out_trade_no']:'{number}'"))],
        deadline,
    };
    let mut limit = PAGE_MAX;
    let page: Page<Intent> = list.page(None, &mut limit).await?;
    if page.has_more {
        let unreadable = Silence::unreadable("a search that finds too many intents");
        return Err(Missed::Silence(unreadable));
    }
    let bears = |intent: &Intent| intent.bears(number);
    Ok(names(page.data.into_iter().filter(bears).collect()))
}

/// The refund with this number, among all of its intent.
pub(super) async fn refund(
    exchange: &Exchange,
    call: &RefundCall,
    deadline: Deadline,
) -> Result<Refund, Missed> {
    let list = List {
        exchange,
        path: "/v1/refunds",
        query: vec![("payment_intent", call.trade_no.clone())],
        deadline,
    };
    one(list.bearing(&call.refund_no).await?)
}

struct List<'a> {
    exchange: &'a Exchange,
    path: &'a str,
    query: Vec<Field<'a>>,
    deadline: Deadline,
}

impl List<'_> {
    /// Reads all pages: that one bears the number does not say that no other does.
    async fn bearing<T: Listed>(&self, number: &str) -> Result<Vec<T>, Missed> {
        let mut matches = Vec::new();
        let mut after: Option<String> = None;
        let mut limit = PAGE_MAX;
        for _page in 0..PAGES_MAX {
            let page: Page<T> = self.page(after.as_deref(), &mut limit).await?;
            let last = page.data.last().map(|last| last.id().to_owned());
            matches.extend(page.data.into_iter().filter(|it| it.bears(number)));
            if !page.has_more {
                return Ok(matches);
            }
            if last.is_none() || last == after {
                return Err(Missed::Silence(Silence::unreadable(
                    "a list that does not go on",
                )));
            }
            after = last;
        }
        Err(Missed::Silence(Silence::unreadable(
            "a list that is too long to be read",
        )))
    }

    /// Of `limit` objects at most, and of fewer from there on if so many are more than is read of a reply.
    async fn page<T: Listed>(
        &self,
        after: Option<&str>,
        limit: &mut u32,
    ) -> Result<Page<T>, Missed> {
        let end = loop {
            let mut query = self.query.clone();
            query.push(("limit", limit.to_string()));
            query.extend(after.map(|id| ("starting_after", id.to_owned())));
            let reply = self.exchange.get_raw(self.path, &query, self.deadline);
            match reply.await {
                Err(CallFailure::TooLong) if *limit > 1 => *limit /= 2,
                end => break read(end),
            }
        };
        match end {
            End::Object(told) => Ok(told.object),
            End::Error(refusal) => Err(Missed::Error(refusal)),
            End::Silence(silence) => Err(Missed::Silence(silence)),
        }
    }
}

fn one<T>(mut matches: Vec<T>) -> Result<T, Missed> {
    match (matches.pop(), matches.len()) {
        (None, _) => Err(Missed::None),
        (Some(one), 0) => Ok(one),
        (Some(_), others) => Err(Missed::Several(others.saturating_add(1))),
    }
}
