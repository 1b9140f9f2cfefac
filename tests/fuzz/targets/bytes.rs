//! Bytes read as choices: every input means something, and a small change of it is a small change of the story.

/// What is left of an input. When it is used up, every choice is the first one.
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(crate) const fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else {
            return 0;
        };
        self.rest = rest;
        *first
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// One in so many.
    pub(crate) fn rarely(&mut self, of: u8) -> bool {
        self.byte() % of == of - 1
    }

    /// Less than `bound`, which is at most 65,536.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let number = if bound <= 256 {
            usize::from(self.byte())
        } else {
            usize::from(u16::from_le_bytes([self.byte(), self.byte()]))
        };
        number % bound.max(1)
    }

    pub(crate) fn pick<'b, T>(&mut self, of: &'b [T]) -> &'b T {
        &of[self.below(of.len())]
    }

    /// Mostly something near zero or near an end of numbers, now and then any number at all.
    pub(crate) fn whole(&mut self) -> i64 {
        match self.byte() {
            kind @ 0..=127 => i64::from(kind) - 8,
            128..=143 => i64::from(u16::from_le_bytes([self.byte(), self.byte()])),
            144..=151 => i64::MAX - i64::from(self.byte()),
            152..=159 => i64::MIN + i64::from(self.byte()),
            160..=175 => (1_i64 << 53) - i64::from(self.byte()),
            _ => {
                let mut bytes = [0; 8];
                bytes.fill_with(|| self.byte());
                i64::from_le_bytes(bytes)
            }
        }
    }

    /// At most so many bytes as they stand.
    pub(crate) fn piece(&mut self, longest: usize) -> &'a [u8] {
        let length = self.below(longest + 1).min(self.rest.len());
        let (piece, rest) = self.rest.split_at(length);
        self.rest = rest;
        piece
    }

    pub(crate) fn text(&mut self, longest: usize) -> String {
        String::from_utf8_lossy(self.piece(longest)).into_owned()
    }

    /// All that is left.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }
}
