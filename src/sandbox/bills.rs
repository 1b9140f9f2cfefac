//! `GET /bills/{YYYY-MM-DD}`: what was charged and refunded on a day of UTC. The bill of today is what stands so far.

use super::book::Book;
use super::processor::Sandbox;
use super::record::RefundStatus;
use super::reply::{Say, unauthorized};
use super::say;
use crate::domain::UnixMillis;
use crate::moment::rfc3339;
use actix_web::web::{Bytes, Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use std::ops::Range;
use time::Date;
use time::macros::format_description;

const HEADER: &str = "kind,trade_no,order_no,refund_no,amount,currency,status,completed_at\n";
const DAY_MS: i64 = 86_400_000;

/// The bill of a day.
pub(super) async fn bill(
    sandbox: Data<Sandbox>,
    request: HttpRequest,
    date: Path<String>,
    body: Bytes,
) -> HttpResponse {
    let Some(request_id) = sandbox.authenticate(&request, &body) else {
        return unauthorized();
    };
    let Some(day) = day(&date) else {
        let refusal = Say::Signed(422, say::code("invalid_request"));
        return sandbox.answer(&request_id, refusal).await;
    };
    if day.start > sandbox.now_ms() {
        let refusal = Say::Signed(404, say::code("not_ready"));
        return sandbox.answer(&request_id, refusal).await;
    }
    let csv = lines(&sandbox.book(), &day);
    sandbox.signed(&request_id, 200, csv, "text/csv; charset=utf-8")
}

/// The milliseconds of a date.
fn day(date: &str) -> Option<Range<i64>> {
    let date = Date::parse(date, format_description!("[year]-[month]-[day]")).ok()?;
    let start = date
        .midnight()
        .assume_utc()
        .unix_timestamp()
        .checked_mul(1000)?;
    Some(start..start.checked_add(DAY_MS)?)
}

fn lines(book: &Book, day: &Range<i64>) -> String {
    let mut rows: Vec<(i64, String)> = Vec::new();
    for charge in book.charges.values() {
        let request = &charge.request;
        for trade in charge.trades.iter().filter(|trade| day.contains(&trade.at)) {
            let row = format!(
                "charge,{},{},,{},{},PAID,",
                trade.trade_no, request.order_no, trade.amount, request.currency
            );
            rows.push((trade.at, row));
        }
    }
    let succeeded = |state| state == RefundStatus::Succeeded;
    for refund in book
        .refunds
        .values()
        .filter(|refund| succeeded(refund.status))
    {
        if day.contains(&refund.at) {
            let request = &refund.request;
            let row = format!(
                "refund,{},{},{},{},{},SUCCEEDED,",
                request.trade_no,
                refund.order_no,
                request.refund_no,
                request.amount,
                refund.currency
            );
            rows.push((refund.at, row));
        }
    }
    rows.sort();
    let mut csv = HEADER.to_owned();
    for (at, row) in rows {
        csv.push_str(&row);
        csv.push_str(&rfc3339(UnixMillis(at)));
        csv.push('\n');
    }
    csv
}
