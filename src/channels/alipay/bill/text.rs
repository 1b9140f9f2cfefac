//! A bill's bytes as UTF-8, piece by piece: Alipay writes GBK, and people who look at a bill may save it as UTF-8.

use encoding_rs::{Decoder, DecoderResult, GB18030, UTF_8};
use std::io::{Error, ErrorKind, Read};

/// How every bill begins.
const BEGINNING: &str = "#支付宝";
const MARK: &[u8] = b"\xef\xbb\xbf";
const PIECE: usize = 64 * 1024;

/// Reads the text of `source`. Bytes that are no text end it with an error.
pub(super) struct Text<R> {
    source: R,
    decoder: Decoder,
    piece: Vec<u8>,
    /// What of the piece is still to be decoded.
    at: usize,
    ended: bool,
    finished: bool,
}

impl<R: Read> Text<R> {
    pub(super) fn of(mut source: R) -> Result<Self, Error> {
        let mut piece = Vec::with_capacity(PIECE);
        let wanted = u64::try_from(PIECE).unwrap_or(u64::MAX);
        let ended = source.by_ref().take(wanted).read_to_end(&mut piece)? < PIECE;
        let is_utf8 = piece.starts_with(MARK) || piece.starts_with(BEGINNING.as_bytes());
        let encoding = if is_utf8 { UTF_8 } else { GB18030 };
        Ok(Self {
            source,
            // It leaves a byte order mark out.
            decoder: encoding.new_decoder_with_bom_removal(),
            piece,
            at: 0,
            ended,
            finished: false,
        })
    }

    fn refill(&mut self) -> Result<(), Error> {
        self.piece.clear();
        self.at = 0;
        let wanted = u64::try_from(PIECE).unwrap_or(u64::MAX);
        let read = self
            .source
            .by_ref()
            .take(wanted)
            .read_to_end(&mut self.piece)?;
        self.ended = read < PIECE;
        Ok(())
    }
}

impl<R: Read> Read for Text<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Error> {
        while !self.finished {
            if self.at >= self.piece.len() && !self.ended {
                self.refill()?;
            }
            let rest = self.piece.get(self.at..).unwrap_or_default();
            let (result, read, written) = self
                .decoder
                .decode_to_utf8_without_replacement(rest, into, self.ended);
            self.at = self.at.saturating_add(read);
            match result {
                DecoderResult::InputEmpty => self.finished = self.ended,
                DecoderResult::OutputFull if written == 0 => {
                    return Err(Error::other("there is no room for a character"));
                }
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => {
                    let problem = "it is neither GB18030 nor UTF-8";
                    return Err(Error::new(ErrorKind::InvalidData, problem));
                }
            }
            if written > 0 {
                return Ok(written);
            }
        }
        Ok(0)
    }
}
