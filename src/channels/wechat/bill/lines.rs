//! A bill's text, line by line: compressed or not, UTF-8 with or without its mark, or GB 18030.

use crate::channels::bill::BillFault;
use encoding_rs::{Encoding, GB18030, UTF_8};
use flate2::bufread::MultiGzDecoder;
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Longer than any line that is one: its texts are of at most 128 characters.
const LINE_BYTES_MAX: u64 = 64 * 1024;
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZIP: [u8; 2] = *b"PK";
/// The mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) struct Lines {
    source: Box<dyn BufRead>,
    compressed: bool,
    line: Vec<u8>,
    text: String,
    number: u64,
    encoding: &'static Encoding,
}

impl Lines {
    pub(super) fn open(file: &Path) -> Result<Self, BillFault> {
        let mut file = BufReader::new(File::open(file)?);
        let head = file.fill_buf()?;
        if head.starts_with(&ZIP) {
            return Err(BillFault::unreadable(
                0,
                "it is a zip; a bill is text, or text in gzip",
            ));
        }
        let compressed = head.starts_with(&GZIP);
        let source: Box<dyn BufRead> = if compressed {
            Box::new(BufReader::new(MultiGzDecoder::new(file)))
        } else {
            Box::new(file)
        };
        Ok(Self {
            source,
            compressed,
            line: Vec::new(),
            text: String::new(),
            number: 0,
            encoding: UTF_8,
        })
    }

    /// The next line that is not empty, without its end, and its number from 1; `None` after the last one.
    pub(super) fn next_line(&mut self) -> Result<Option<(u64, &str)>, BillFault> {
        loop {
            self.number = self.number.saturating_add(1);
            self.line.clear();
            let mut limited = (&mut self.source).take(LINE_BYTES_MAX);
            let length = limited
                .read_until(b'\n', &mut self.line)
                .map_err(|error| self.broken(error))?;
            if length == 0 {
                return Ok(None);
            }
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
            } else if u64::try_from(length).is_ok_and(|length| length >= LINE_BYTES_MAX) {
                return Err(BillFault::unreadable(self.number, "it is too long"));
            }
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
            if !self.line.is_empty() {
                break;
            }
        }
        self.decode()?;
        Ok(Some((self.number, &self.text)))
    }

    /// Of the line that was read last.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// The first line says which encoding it is: the mark, or that it is UTF-8, or else the other one.
    fn decode(&mut self) -> Result<(), BillFault> {
        let mut bytes = self.line.as_slice();
        if self.number == 1 {
            bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
            if std::str::from_utf8(bytes).is_err() {
                self.encoding = GB18030;
            }
        }
        let decoded = self
            .encoding
            .decode_without_bom_handling_and_without_replacement(bytes);
        let Some(decoded) = decoded else {
            let problem = format!("it is not {}", self.encoding.name());
            return Err(BillFault::unreadable(self.number, problem));
        };
        self.text.clear();
        match decoded {
            Cow::Borrowed(text) => self.text.push_str(text),
            Cow::Owned(text) => self.text = text,
        }
        Ok(())
    }

    /// A compressed file that breaks is a damaged bill, and not a fault of the disk.
    fn broken(&self, error: std::io::Error) -> BillFault {
        if self.compressed {
            let problem = format!("the compressed file is damaged or cut off: {error}");
            BillFault::unreadable(self.number, problem)
        } else {
            BillFault::File(error)
        }
    }
}

/// The whole text of a bill, uncompressed, as it was hashed: told in pieces.
pub(super) fn pieces(file: &Path, mut each: impl FnMut(&[u8])) -> Result<(), BillFault> {
    let mut lines = Lines::open(file)?;
    loop {
        let piece = match lines.source.fill_buf() {
            Ok(piece) => piece,
            Err(error) => return Err(lines.broken(error)),
        };
        if piece.is_empty() {
            return Ok(());
        }
        each(piece);
        let length = piece.len();
        lines.source.consume(length);
    }
}
