//! Fetching: the gateway gives an address that is good for half a minute, and the zip stands there.

use crate::channels::alipay::beijing;
use crate::channels::alipay::gateway::{Gateway, Returns};
use crate::channels::alipay::reply::{Body, filled};
use crate::channels::bill::{BillCall, BillFault};
use crate::channels::client::{self, CallFailure, Silence};
use reqwest::Url;
use serde::Serialize;
use std::time::{Duration, Instant};
use time::Date;

const METHOD: &str = "alipay.data.dataservice.bill.downloadurl.query";
/// Bills of older days are not kept.
const MONTHS_MAX: i32 = 30;
/// A bill is made in the morning after its day, and sometimes later: until then it "does not exist".
const LATE_DAYS: i64 = 2;
/// A million lines are some 30 MiB in a zip.
const BYTES_MAX: u64 = 1 << 30;

#[derive(Debug, Serialize)]
struct Wanted {
    bill_type: &'static str,
    bill_date: String,
}

/// What a sub-code says of the bill. Its prefix differs from answer to answer. (Open platform, error codes of
/// `alipay.data.dataservice.bill.downloadurl.query`.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lack {
    /// None, or not yet.
    NotThere,
    /// None for such days or accounts.
    Never,
}

const LACKS: [(&str, Lack); 5] = [
    ("BILL_NOT_EXIST", Lack::NotThere),
    ("NO_BILL_DATA", Lack::NotThere),
    ("BILL_DATE_BEFORE_REGISTRATION", Lack::Never),
    ("TYPE_NOT_SUPPORTED", Lack::Never),
    // So it is spelt.
    ("INVAILID_ARGUMENTS", Lack::Never),
];

/// Fetches the bill of a day in Beijing into a file.
pub(in crate::channels::alipay) async fn fetch(
    gateway: &Gateway,
    call: BillCall<'_>,
) -> Result<(), BillFault> {
    let started = Instant::now();
    let day = call.day.date;
    let today = beijing::date(gateway.clock.wall());
    let today = today.ok_or_else(|| BillFault::Unavailable("the clock is off".to_owned()))?;
    is_over(day, today)?;
    let wanted = Wanted {
        bill_type: "trade",
        bill_date: beijing::write_date(day),
    };
    let body = gateway
        .call(METHOD, &wanted, Returns::default(), call.timeout)
        .await
        .map_err(silent)?;
    let address = address(&body, gateway.loopback, day, today)?;
    let left = call.timeout.saturating_sub(started.elapsed());
    download(gateway, address, call, left).await
}

fn is_over(day: Date, today: Date) -> Result<(), BillFault> {
    let months = |date: Date| date.year() * 12 + i32::from(u8::from(date.month()));
    if day == today {
        let problem = "the day is not over in Beijing".to_owned();
        return Err(BillFault::NotReady(problem));
    }
    if day > today {
        return Err(BillFault::NoSuchBill("the day is in the future".to_owned()));
    }
    if months(today) - months(day) > MONTHS_MAX {
        let problem = format!("bills are kept for {MONTHS_MAX} months");
        return Err(BillFault::NoSuchBill(problem));
    }
    Ok(())
}

/// The address that the answer names. Alipay writes `http` there, and its host speaks TLS (unverified): a bill, which is
/// not signed, comes over nothing else; but for a gateway on this machine.
fn address(body: &Body, loopback: bool, day: Date, today: Date) -> Result<Url, BillFault> {
    if !body.is_accepted() {
        return Err(lack(body, day, today));
    }
    let text = filled(body.bill_download_url.as_ref());
    let url = text.and_then(|text| Url::parse(text).ok());
    let url = url.and_then(|mut url| match url.scheme() {
        "https" => Some(url),
        "http" if loopback => Some(url),
        "http" => url.set_scheme("https").is_ok().then_some(url),
        _ => None,
    });
    url.ok_or_else(|| BillFault::Unavailable("the answer names no address".to_owned()))
}

fn lack(body: &Body, day: Date, today: Date) -> BillFault {
    let sub_code = body.sub_code.as_deref().unwrap_or_default();
    let word = sub_code.rsplit('.').next().unwrap_or_default();
    let listed = LACKS
        .iter()
        .find(|(known, _)| word.eq_ignore_ascii_case(known));
    let recent = (today - day).whole_days() <= LATE_DAYS;
    match listed.map(|(_, lack)| *lack) {
        Some(Lack::NotThere) if recent => BillFault::NotReady(body.summary()),
        Some(Lack::NotThere | Lack::Never) => BillFault::NoSuchBill(body.summary()),
        None => BillFault::Unavailable(body.summary()),
    }
}

/// A plain GET; the file is not signed, and its sums are checked when it is read.
async fn download(
    gateway: &Gateway,
    address: Url,
    call: BillCall<'_>,
    left: Duration,
) -> Result<(), BillFault> {
    let request = gateway.client.get(address);
    match client::download(request, call.into, BYTES_MAX, left).await {
        Ok(reply) if reply.status == 200 => Ok(()),
        Ok(reply) => {
            let problem = format!("the download was answered HTTP {}", reply.status);
            Err(BillFault::Unavailable(problem))
        }
        Err(CallFailure::NotKept(error)) => Err(BillFault::File(error)),
        Err(CallFailure::TooLong) => {
            Err(BillFault::Unavailable("the file exceeds 1 GiB".to_owned()))
        }
        Err(failure) => Err(silent(failure.into())),
    }
}

fn silent(silence: Silence) -> BillFault {
    BillFault::Unavailable(match silence {
        Silence::NotSent(summary) => summary,
        Silence::Unknown(unknown) => unknown.summary,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_comes_over_tls_whatever_its_address_says() {
        let today = Date::MIN;
        for (text, loopback, expected) in [
            (
                "https://bill.example/x?y=1",
                false,
                Some("https://bill.example/x?y=1"),
            ),
            (
                "http://bill.example/x?y=1",
                false,
                Some("https://bill.example/x?y=1"),
            ),
            (
                "http://bill.example:80/x",
                false,
                Some("https://bill.example/x"),
            ),
            (
                "http://127.0.0.1:8080/x",
                true,
                Some("http://127.0.0.1:8080/x"),
            ),
            ("file:///etc/passwd", true, None),
            ("", false, None),
        ] {
            let body = Body {
                code: "10000".to_owned(),
                bill_download_url: Some(text.to_owned()),
                ..Body::default()
            };
            let found = address(&body, loopback, today, today).ok();
            assert_eq!(found.as_ref().map(Url::as_str), expected, "{text}");
        }
    }
}
