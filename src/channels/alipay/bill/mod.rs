//! Bills of trades: a day's zip, which has the lines and, in a second file, their sums.

mod columns;
mod details;
mod fetch;
mod lines;
mod short;
mod sums;
mod text;

pub(super) use fetch::fetch;

use crate::channels::bill::{BillFault, BillTotals, EachLine};
use details::Account;
use lines::Lines;
use std::fs::File;
use std::path::Path;
use sums::Sums;
use zip::ZipArchive;
use zip::result::ZipError;

/// The first line of the file of lines, and of the one of sums; their names are written in GBK, which no zip promises.
const DETAILS: &str = "#支付宝业务明细查询";
const SUMMARY: &str = "#支付宝业务汇总查询";
/// A long bill comes in several files; not in so many.
const FILES_MAX: usize = 1_000;

/// Reads a bill line by line; it counts only if it is whole and its sums are those of its lines.
pub(super) fn read(
    file: &Path,
    seller_id: Option<&str>,
    each: EachLine<'_>,
) -> Result<BillTotals, BillFault> {
    let mut archive = ZipArchive::new(File::open(file)?).map_err(|error| unzipped(&error))?;
    let mut sums = Sums::default();
    let (mut bills, mut summary) = (0_u32, None);
    if archive.len() > FILES_MAX {
        return Err(BillFault::unreadable(0, "the zip has too many files"));
    }
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| unzipped(&error))?;
        if entry.is_dir() {
            continue;
        }
        let mut lines = Lines::of(entry)?;
        let title = lines.title()?;
        if title.starts_with(DETAILS) {
            bills = bills.saturating_add(1);
            let account = Account { seller_id };
            sums.add(&details::read(&mut lines, account, each)?);
        } else if title.starts_with(SUMMARY) {
            summary = Some(sums::read_summary(&mut lines)?);
        } else {
            let problem = "it begins neither as a bill of Alipay's nor as its summary";
            return Err(lines.unreadable(problem));
        }
    }
    if bills == 0 {
        return Err(BillFault::unreadable(0, "the zip has no bill in it"));
    }
    if let Some(summary) = summary {
        summary.agrees_with(&sums)?;
    }
    Ok(sums.totals())
}

fn unzipped(error: &ZipError) -> BillFault {
    let encrypted = matches!(
        error,
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)
    );
    let problem = if encrypted {
        "the zip is encrypted".to_owned()
    } else {
        format!("it is no zip that can be read: {error}")
    };
    BillFault::unreadable(0, problem)
}
