//! Fetching the balance transactions of a day, page by page.

use super::super::exchange::{Deadline, End as Answered, Exchange, read};
use super::super::wire::Page;
use super::{End, FORM, Head, Sum, Transaction};
use crate::channels::bill::{BillCall, BillDay, BillFault};
use crate::channels::client::{CallFailure, Silence};
use crate::domain::UnixMillis;
use ring::digest::{Context, SHA256};
use serde::Serialize;
use tokio::fs::File;
use tokio::io::{AsyncWriteExt, BufWriter};

const DAY_S: i64 = 86_400;
/// A day is over when it is over by Stripe's clock too.
const SKEW_S: i64 = 300;
/// The largest page that Stripe gives.
const PAGE_LINES_MAX: u32 = 100;
/// A day of so many pages has millions of transactions.
const PAGES_MAX: usize = 100_000;

/// Writes the day's transactions into the file, newest first as they come.
pub(in super::super) async fn fetch(
    exchange: &Exchange,
    call: BillCall<'_>,
    now: UnixMillis,
) -> Result<(), BillFault> {
    let head = head(call.day);
    is_over(&head, now)?;
    let mut file = Lines::begin(call, &head).await?;
    let mut pages = Pages {
        exchange,
        head,
        deadline: Deadline::after(call.timeout),
        limit: PAGE_LINES_MAX,
        after: None,
    };
    for _page in 0..PAGES_MAX {
        let page = pages.next().await?;
        for transaction in &page.data {
            file.add(transaction).await?;
        }
        if !page.has_more {
            return file.end().await;
        }
    }
    Err(BillFault::Unavailable(
        "the list does not come to an end".to_owned(),
    ))
}

fn head(day: BillDay) -> Head {
    let from = day.date.midnight().assume_utc().unix_timestamp();
    Head {
        bill: FORM.to_owned(),
        from,
        to: from.saturating_add(DAY_S),
    }
}

fn is_over(head: &Head, now: UnixMillis) -> Result<(), BillFault> {
    let now_s = now.0.div_euclid(1000);
    if now_s < head.from {
        return Err(BillFault::NoSuchBill("the day has not begun".to_owned()));
    }
    if now_s < head.to.saturating_add(SKEW_S) {
        let not_yet = "the day, which is one of UTC, is not over, or only just";
        return Err(BillFault::NotReady(not_yet.to_owned()));
    }
    Ok(())
}

/// Where in the list the next page begins.
struct Pages<'a> {
    exchange: &'a Exchange,
    head: Head,
    deadline: Deadline,
    limit: u32,
    after: Option<String>,
}

impl Pages<'_> {
    async fn next(&mut self) -> Result<Page<Transaction>, BillFault> {
        let reply = loop {
            match self.ask().await {
                // Expanded charges have no fixed size: fewer of them fit.
                Err(CallFailure::TooLong) if self.limit > 1 => self.limit /= 2,
                end => break end,
            }
        };
        let page: Page<Transaction> = match read(reply) {
            Answered::Object(told) => told.object,
            Answered::Error(refusal) => return Err(BillFault::Unavailable(refusal.summary)),
            Answered::Silence(Silence::NotSent(summary)) => {
                return Err(BillFault::Unavailable(summary));
            }
            Answered::Silence(Silence::Unknown(unknown)) => {
                return Err(BillFault::Unavailable(unknown.summary));
            }
        };
        let last = page.data.last().map(|last| last.id.clone());
        if page.has_more && (last.is_none() || last == self.after) {
            let stands = "the list does not go on";
            return Err(BillFault::Unavailable(stands.to_owned()));
        }
        self.after = last;
        Ok(page)
    }

    async fn ask(&self) -> Result<crate::channels::client::Reply, CallFailure> {
        let mut query = vec![
            ("created[gte]", self.head.from.to_string()),
            ("created[lt]", self.head.to.to_string()),
            ("limit", self.limit.to_string()),
            ("expand[]", "data.source".to_owned()),
        ];
        query.extend(self.after.as_ref().map(|id| ("starting_after", id.clone())));
        self.exchange
            .get_raw("/v1/balance_transactions", &query, self.deadline)
            .await
    }
}

/// The file as it grows, and the sum of what is in it.
struct Lines {
    file: BufWriter<File>,
    sum: Context,
    lines: u64,
}

impl Lines {
    async fn begin(call: BillCall<'_>, head: &Head) -> Result<Self, BillFault> {
        let mut lines = Self {
            file: BufWriter::new(File::create(call.into).await?),
            sum: Context::new(&SHA256),
            lines: 0,
        };
        lines.write(head).await?;
        Ok(lines)
    }

    async fn add(&mut self, transaction: &Transaction) -> Result<(), BillFault> {
        self.lines = self.lines.saturating_add(1);
        self.write(transaction).await
    }

    async fn write(&mut self, line: &impl Serialize) -> Result<(), BillFault> {
        let mut text = serde_json::to_vec(line).map_err(std::io::Error::other)?;
        text.push(b'\n');
        self.sum.update(&text);
        Ok(self.file.write_all(&text).await?)
    }

    async fn end(mut self) -> Result<(), BillFault> {
        let sum = Sum {
            lines: self.lines,
            sha256: hex::encode(self.sum.clone().finish()),
        };
        self.write(&End { end: sum }).await?;
        self.file.flush().await?;
        Ok(self.file.get_ref().sync_all().await?)
    }
}
