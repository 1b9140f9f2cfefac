//! Inputs by chance, the same ones in every run.

use crate::corpus::Seed;

/// A generator of numbers (xorshift), good enough to stumble over things.
pub(crate) struct Random(u64);

impl Random {
    /// Each name has numbers of its own.
    pub(crate) fn of(name: &str) -> Self {
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, |seed: u64, byte| {
            (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(seed | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap();
        usize::try_from((self.next() >> 11) % bound).unwrap()
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }

    /// Up to so many bytes; a third of them small ones.
    pub(crate) fn bytes(&mut self, longest: usize) -> Vec<u8> {
        let small = self.below(3) == 0;
        let count = self.below(longest);
        (0..count)
            .map(|_| {
                let byte = self.byte();
                if small { byte % 16 } else { byte }
            })
            .collect()
    }

    /// One of the seeds, changed in some places.
    pub(crate) fn mutated(&mut self, seeds: &[Seed]) -> Vec<u8> {
        let mut input = seeds[self.below(seeds.len())].1.clone();
        for _ in 0..1 + self.below(4) {
            let at = self.below(input.len() + 1);
            let to = (at + self.below(12)).min(input.len());
            match self.below(6) {
                0 if at < input.len() => input[at] = self.byte(),
                1 if at < input.len() => input[at] ^= 1 << self.below(8),
                2 => drop(input.drain(at..to)),
                3 => input.insert(at, self.byte()),
                4 => {
                    let again = input[at..to].to_vec();
                    input.splice(at..at, again);
                }
                _ => {
                    let other = &seeds[self.below(seeds.len())].1;
                    let from = self.below(other.len() + 1);
                    input.splice(at.., other[from..].iter().copied());
                }
            }
            input.truncate(8 << 10);
        }
        input
    }
}
