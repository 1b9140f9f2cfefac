//! Finding a payment intent or a refund whose name we were never told: by the number that we wrote onto it.
//!
//! Stripe's lists show what was created at once; its search does not (up to an hour late), so that it is not used.

use super::KEY_LIFE_MS;
use super::exchange::{Deadline, End, Exchange, Refusal};
use super::wire::{Intent, Page, Refund};
use crate::channels::client::Silence;
use crate::channels::{ChargeCall, RefundCall};
use crate::domain::UnixMillis;
use serde::de::DeserializeOwned;

/// The largest page that Stripe gives.
const PAGE: &str = "100";
/// No call has the time for more.
const PAGES_MAX: usize = 1_000;
/// How far our clock and Stripe's may be apart; a webhook would not be verified either if they were more.
const SKEW_MS: i64 = 300_000;

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

/// The intent with the order's number, among all that were created in the order's time.
pub(super) async fn intent(
    exchange: &Exchange,
    call: &ChargeCall,
    now: UnixMillis,
    deadline: Deadline,
) -> Result<Intent, Missed> {
    let (from, to) = window(call, now);
    let query = [
        ("created[gte]", from.0.div_euclid(1000).to_string()),
        ("created[lte]", to.0.div_euclid(1000).to_string()),
        ("expand[]", "data.latest_charge".to_owned()),
    ];
    let list = List {
        exchange,
        path: "/v1/payment_intents",
        query: &query,
        deadline,
    };
    list.find(&call.order_no).await
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
        query: &[("payment_intent", call.trade_no.clone())],
        deadline,
    };
    list.find(&call.refund_no).await
}

/// When the intent can have been created. A submit repeats its key for as long as Stripe remembers it, and no longer.
/// An order that was never submitted, as far as we remember, may have been before its row was lost and the database
/// restored from a backup: of yesterday, and within the time in which such orders are asked about first.
fn window(call: &ChargeCall, now: UnixMillis) -> (UnixMillis, UnixMillis) {
    let (from, to) = match call.first_submit_at {
        Some(first) => (first, first.plus(KEY_LIFE_MS).min(now)),
        None => (call.created_at.plus(-2 * DAY_MS), now),
    };
    (from.plus(-SKEW_MS), to.plus(SKEW_MS))
}

const DAY_MS: i64 = 86_400_000;

struct List<'a> {
    exchange: &'a Exchange,
    path: &'a str,
    query: &'a [(&'a str, String)],
    deadline: Deadline,
}

impl List<'_> {
    /// Reads all pages: that one bears the number does not say that no other does.
    async fn find<T: Listed>(&self, number: &str) -> Result<T, Missed> {
        let mut matches = Vec::new();
        let mut after: Option<String> = None;
        for _page in 0..PAGES_MAX {
            let page: Page<T> = match self.page(after.as_deref()).await {
                End::Object(told) => told.object,
                End::Error(refusal) => return Err(Missed::Error(refusal)),
                End::Silence(silence) => return Err(Missed::Silence(silence)),
            };
            let last = page.data.last().map(|last| last.id().to_owned());
            matches.extend(page.data.into_iter().filter(|it| it.bears(number)));
            if !page.has_more {
                return found(matches);
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

    async fn page<T: Listed>(&self, after: Option<&str>) -> End<Page<T>> {
        let mut query = self.query.to_vec();
        query.push(("limit", PAGE.to_owned()));
        query.extend(after.map(|id| ("starting_after", id.to_owned())));
        self.exchange.get(self.path, &query, self.deadline).await
    }
}

fn found<T: Listed>(mut matches: Vec<T>) -> Result<T, Missed> {
    match (matches.pop(), matches.len()) {
        (None, _) => Err(Missed::None),
        (Some(one), 0) => Ok(one),
        (Some(_), others) => Err(Missed::Several(others.saturating_add(1))),
    }
}
