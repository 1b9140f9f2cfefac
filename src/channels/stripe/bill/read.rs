//! Reading a bill's file, line by line.

use super::line::{Meaning, meaning};
use super::{End, FORM, Head, Sum, Transaction};
use crate::channels::bill::{
    BAD_ROWS_MAX, BadRow, BillFault, BillKind, BillLine, BillStatus, BillTotals, EachLine,
};
use crate::channels::words::{object, printable};
use ring::digest::{Context, SHA256};
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Longer than any line that is written.
const LINE_BYTES_MAX: u64 = 64 * 1024;
/// How the last line begins.
const END: &[u8] = b"{\"end\":";

/// Tells each line of it; whole, or not at all.
pub(in super::super) fn read(path: &Path, each: EachLine<'_>) -> Result<BillTotals, BillFault> {
    let mut lines = Lines {
        file: BufReader::with_capacity(1 << 16, File::open(path)?),
        text: Vec::new(),
        number: 0,
    };
    let mut sum = Context::new(&SHA256);
    let mut totals = BillTotals::default();
    let mut transactions: u64 = 0;
    lines.next()?;
    let head: Head = lines.parsed()?;
    if head.bill != FORM {
        return Err(lines.fault("it is no bill of Stripe's"));
    }
    sum.update(&lines.text);
    loop {
        lines.next()?;
        if lines.text.starts_with(END) {
            break;
        }
        sum.update(&lines.text);
        transactions = transactions.saturating_add(1);
        let transaction: Transaction = lines.parsed()?;
        if !(head.from..head.to).contains(&transaction.created) {
            return Err(lines.fault("a transaction of another day"));
        }
        match meaning(&transaction) {
            Meaning::Other => totals.others = totals.others.saturating_add(1),
            Meaning::Bad { .. } if totals.bad.len() >= BAD_ROWS_MAX => {
                return Err(lines.fault("the last of too many rows that cannot be read"));
            }
            Meaning::Bad { order_no, problem } => totals.bad.push(BadRow {
                line: lines.number,
                order_no: order_no.map(|number| printable(&number)),
                problem: problem.to_owned(),
            }),
            Meaning::Line(line) => {
                count(&mut totals, &line);
                each(line)?;
            }
        }
    }
    let end: End = lines.parsed()?;
    let is = Sum {
        lines: transactions,
        sha256: hex::encode(sum.finish()),
    };
    if end.end != is {
        return Err(lines.fault("the lines are not those that were fetched"));
    }
    lines.is_over()?;
    Ok(totals)
}

/// What failed has moved nothing, or has come back.
fn count(totals: &mut BillTotals, line: &BillLine) {
    let amount = match line.status {
        BillStatus::Succeeded | BillStatus::Pending => line.money.amount,
        BillStatus::Failed => 0,
    };
    match line.kind {
        BillKind::Charge => {
            totals.charges = totals.charges.saturating_add(1);
            totals.charged = totals.charged.saturating_add(amount);
        }
        BillKind::Refund => {
            totals.refunds = totals.refunds.saturating_add(1);
            totals.refunded = totals.refunded.saturating_add(amount);
        }
    }
}

struct Lines {
    file: BufReader<File>,
    /// The line that was read last, with its line break.
    text: Vec<u8>,
    /// From 1.
    number: u64,
}

impl Lines {
    fn next(&mut self) -> Result<(), BillFault> {
        self.text.clear();
        self.number = self.number.saturating_add(1);
        let mut limited = self.file.by_ref().take(LINE_BYTES_MAX);
        limited.read_until(b'\n', &mut self.text)?;
        if self.text.ends_with(b"\n") {
            Ok(())
        } else {
            Err(self.fault("the file is cut here, or the line has no end"))
        }
    }

    fn is_over(&mut self) -> Result<(), BillFault> {
        if self.file.fill_buf()?.is_empty() {
            Ok(())
        } else {
            Err(self.fault("there is more after the end"))
        }
    }

    fn parsed<'a, T: Deserialize<'a>>(&'a self) -> Result<T, BillFault> {
        object(&self.text).map_err(|error| self.fault(printable(&error.to_string())))
    }

    fn fault(&self, problem: impl Into<String>) -> BillFault {
        BillFault::unreadable(self.number, problem)
    }
}
