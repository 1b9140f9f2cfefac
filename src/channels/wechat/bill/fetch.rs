//! Fetching a bill: where it is, the file, and its hash, which alone vouches for it.

use super::EMPTY;
use super::lines::pieces;
use crate::channels::bill::{BillCall, BillFault};
use crate::channels::client::{self, Silence};
use crate::channels::wechat::beijing;
use crate::channels::wechat::codes::Meaning;
use crate::channels::wechat::gateway::{Gateway, Request};
use crate::channels::wechat::wire::{Content, Refusal, content};
use crate::channels::words::printable;
use reqwest::{Method, Url};
use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Compressed: ten million lines and more.
const BYTES_MAX: u64 = 1 << 30;
const WHEN: &str = "it is made after 10:00 Beijing time of the next day";

/// Where a bill is. The address works for some minutes and only with a signature.
#[derive(Debug, Deserialize)]
struct Place {
    hash_type: String,
    /// Of the text, before it was compressed; hexadecimal digits.
    hash_value: String,
    download_url: String,
}

/// Writes the bill of a day into a file, compressed as it comes. The file counts only if there is no error.
pub(in crate::channels::wechat) async fn fetch(
    gateway: &Arc<Gateway>,
    loopback: bool,
    call: BillCall<'_>,
) -> Result<(), BillFault> {
    let started = Instant::now();
    let left = || call.timeout.saturating_sub(started.elapsed());
    let Some(place) = locate(gateway, call, left()).await? else {
        // Signed: nothing moved on that day. That is a bill too.
        return Ok(tokio::fs::write(call.into, EMPTY).await?);
    };
    if place.hash_type != "SHA1" {
        let what = format!(
            "its hash is of another kind, {}",
            printable(&place.hash_type)
        );
        return Err(BillFault::Unavailable(what));
    }
    let url = Url::parse(&place.download_url).ok();
    let url = url.filter(|url| url.scheme() == "https" || loopback);
    let url = url.ok_or_else(|| BillFault::Unavailable("its address is none".to_owned()))?;
    let request = gateway
        .signed(Method::GET, url, Vec::new())
        .map_err(unheard)?;
    let reply = client::download(request, call.into, BYTES_MAX, left()).await;
    let reply = reply.map_err(|failure| unheard(failure.into()))?;
    if reply.status != 200 {
        let what = format!("the download answers HTTP {}", reply.status);
        return Err(BillFault::Unavailable(what));
    }
    let file = call.into.to_owned();
    let hashed = tokio::task::spawn_blocking(move || sha1(&file)).await;
    let hash = hashed.map_err(|error| BillFault::Unavailable(error.to_string()))??;
    if !hash.eq_ignore_ascii_case(&place.hash_value) {
        // Nothing else says that it is WeChat Pay's: a download is not signed.
        let what = "what was downloaded does not have the hash that it should have";
        return Err(BillFault::Unavailable(what.to_owned()));
    }
    Ok(())
}

/// Asks where the bill is. `None`: nothing moved on that day.
async fn locate(
    gateway: &Arc<Gateway>,
    call: BillCall<'_>,
    timeout: Duration,
) -> Result<Option<Place>, BillFault> {
    let day = call.day.date;
    let today = beijing::day_of(gateway.clock.0.wall());
    if today.is_none_or(|today| day > today) {
        return Err(BillFault::NoSuchBill("the day has not come yet".to_owned()));
    }
    if today == Some(day) {
        return Err(BillFault::NotReady(WHEN.to_owned()));
    }
    let date = beijing::date(day);
    let date = date.ok_or_else(|| BillFault::NoSuchBill("the day is none".to_owned()))?;
    let target = format!("/v3/bill/tradebill?bill_date={date}&bill_type=ALL&tar_type=GZIP");
    let said = gateway.call(Request::get(target), timeout).await;
    let said = said.map_err(unheard)?;
    match content::<Place>(&said, None) {
        Content::Body(place) => Ok(Some(place)),
        // There is nothing of it yet, which is not to say that nothing moved.
        Content::Refusal(Refusal {
            meaning: Some(Meaning::NoBill),
            ..
        }) if !beijing::bill_is_made(day, gateway.clock.0.wall()) => {
            Err(BillFault::NotReady(WHEN.to_owned()))
        }
        Content::Refusal(refusal) => refused(refusal),
        Content::Unreadable => {
            let what = format!("HTTP {}, not a reply of the interface", said.status);
            Err(BillFault::Unavailable(what))
        }
    }
}

fn refused(refusal: Refusal) -> Result<Option<Place>, BillFault> {
    let Refusal { meaning, summary } = refusal;
    match meaning {
        Some(Meaning::NoBill) => Ok(None),
        Some(Meaning::BillNotReady) => Err(BillFault::NotReady(summary)),
        // A day that is too long ago.
        Some(Meaning::Refused | Meaning::InvalidRequest) => Err(BillFault::NoSuchBill(summary)),
        Some(
            Meaning::Unknown
            | Meaning::Throttled
            | Meaning::AlreadyPaid
            | Meaning::Closed
            | Meaning::NoOrder
            | Meaning::NoRefund
            | Meaning::OtherParameters
            | Meaning::PayerActs
            | Meaning::NotExecuted
            | Meaning::BalanceTooLow
            | Meaning::AnotherWay,
        )
        | None => Err(BillFault::Unavailable(summary)),
    }
}

fn sha1(file: &Path) -> Result<String, BillFault> {
    let mut hash = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    pieces(file, |piece| hash.update(piece))?;
    Ok(hex::encode(hash.finish()))
}

fn unheard(silence: Silence) -> BillFault {
    BillFault::Unavailable(match silence {
        Silence::NotSent(why) => why,
        Silence::Unknown(unknown) => unknown.summary,
    })
}
