//! A bound on lines: a zip of a few bytes can hold one that fills the memory.

use std::io::{Error, ErrorKind, Read};

/// Longer than any line that is one: its longest cell is a product's name of 256 characters.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// Passes a source on, until a line of it is too long.
pub(super) struct Short<R> {
    source: R,
    /// Of the line that has begun.
    length: usize,
}

impl<R> Short<R> {
    pub(super) fn of(source: R) -> Self {
        Self { source, length: 0 }
    }
}

impl<R: Read> Read for Short<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Error> {
        let read = self.source.read(into)?;
        let piece = into.get(..read).unwrap_or_default();
        for (n, part) in piece.split(|byte| *byte == b'\n').enumerate() {
            self.length = if n == 0 { self.length } else { 0 }.saturating_add(part.len());
            if self.length > LINE_BYTES_MAX {
                let problem = "the line after it exceeds 64 KiB";
                return Err(Error::new(ErrorKind::InvalidData, problem));
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of this text, read in pieces of this size.
    fn read(text: &str, piece: usize) -> Option<String> {
        let mut short = Short::of(text.as_bytes());
        let mut all = Vec::new();
        let mut buffer = vec![0; piece];
        loop {
            match short.read(&mut buffer) {
                Ok(0) => return String::from_utf8(all).ok(),
                Ok(read) => all.extend_from_slice(&buffer[..read]),
                Err(_) => return None,
            }
        }
    }

    #[test]
    fn a_line_is_bounded_wherever_the_pieces_are_cut() {
        let longest = "x".repeat(LINE_BYTES_MAX);
        let whole = format!("{longest}\n\n{longest}\nend");
        for piece in [1_000, 8 * 1024, LINE_BYTES_MAX, 1 << 20] {
            assert!(read(&whole, piece) == Some(whole.clone()), "{piece}");
            for long in [format!("a\n{longest}y\nb"), format!("{longest}y")] {
                assert!(read(&long, piece).is_none(), "{piece}");
            }
        }
    }
}
