//! The lines of one file of a bill: cells, or a remark, which begins with `#`.
//!
//! A line is a line, whatever stands in it: Alipay writes cells as they are and quotes none (unverified beyond the samples
//! at hand), so that a product's name may begin with a quotation mark that nothing closes.

use super::short::Short;
use super::text::Text;
use crate::channels::bill::BillFault;
use csv::{ErrorKind, Reader, ReaderBuilder, StringRecord, Terminator, Trim};
use std::io::Read;

/// The lines, one after the other.
pub(super) struct Lines<R> {
    reader: Reader<Short<Text<R>>>,
    record: StringRecord,
    line: u64,
}

/// A line as it was read.
pub(super) enum Line<'a> {
    Remark(String),
    Cells(&'a StringRecord),
}

impl<R: Read> Lines<R> {
    pub(super) fn of(source: R) -> Result<Self, BillFault> {
        let text = Text::of(source).map_err(|error| BillFault::unreadable(0, error.to_string()))?;
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .quoting(false)
            // Numbers end with a tab, so that no spreadsheet takes them for such, and lines with a carriage return, which
            // would be taken for an end of its own and the line's number be one too low.
            .trim(Trim::All)
            .terminator(Terminator::Any(b'\n'))
            .from_reader(Short::of(text));
        Ok(Self {
            reader,
            record: StringRecord::new(),
            line: 0,
        })
    }

    /// The next line that is not empty, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Line<'_>>, BillFault> {
        loop {
            let more = match self.reader.read_record(&mut self.record) {
                Ok(more) => more,
                Err(error) => return Err(self.unreadable(problem(&error))),
            };
            if !more {
                return Ok(None);
            }
            let position = self.record.position();
            self.line = position.map_or(self.line, csv::Position::line);
            if self.record.iter().any(|cell| !cell.is_empty()) {
                break;
            }
        }
        let first = self.record.get(0).unwrap_or_default();
        Ok(Some(if first.starts_with('#') {
            let cells: Vec<&str> = self.record.iter().collect();
            Line::Remark(cells.join(","))
        } else {
            Line::Cells(&self.record)
        }))
    }

    /// The first line.
    pub(super) fn title(&mut self) -> Result<String, BillFault> {
        match self.next()? {
            Some(Line::Remark(title)) => Ok(title),
            Some(Line::Cells(_)) | None => Ok(String::new()),
        }
    }

    /// The line that was read last cannot be understood.
    pub(super) fn unreadable(&self, problem: impl Into<String>) -> BillFault {
        BillFault::unreadable(self.line, problem)
    }

    pub(super) fn number(&self) -> u64 {
        self.line
    }
}

fn problem(error: &csv::Error) -> String {
    if let ErrorKind::Io(error) = error.kind() {
        return error.to_string();
    }
    format!("after this line: {error}")
}
