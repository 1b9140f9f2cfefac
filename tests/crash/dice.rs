//! Chance that can be repeated: SplitMix64.

/// Rolls from one seed.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Those of one round of this seed: each round can be rolled without the ones before it.
    pub(crate) const fn of(seed: u64, round: u64) -> Self {
        Self(seed ^ round.wrapping_mul(0xA076_1D64_78BD_642F))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One of `from..=to`.
    pub(crate) fn between(&mut self, from: i64, to: i64) -> i64 {
        let span = u64::try_from(to - from + 1).expect("from is not above to");
        from + i64::try_from(self.next() % span).expect("less than the span")
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: i64) -> bool {
        self.between(1, times) == 1
    }

    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let count = i64::try_from(all.len()).expect("few");
        let place = self.between(0, count - 1);
        &all[usize::try_from(place).expect("a place")]
    }
}
