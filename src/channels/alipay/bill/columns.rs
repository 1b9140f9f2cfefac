//! Columns by their names: files have had more and fewer of them over the years, and in another order.

use csv::StringRecord;

/// Where the wanted columns are, in the order in which they were wanted.
pub(super) struct Columns<const N: usize> {
    at: [usize; N],
    width: usize,
}

impl<const N: usize> Columns<N> {
    /// Finds each of the columns once in the line of names, or says which it cannot.
    pub(super) fn find(names: &StringRecord, wanted: &[&str; N]) -> Result<Self, String> {
        let plain = |name: &str| name.replace('（', "(").replace('）', ")");
        let mut at = [0; N];
        for (slot, name) in at.iter_mut().zip(wanted) {
            let mut found = names
                .iter()
                .enumerate()
                .filter(|(_, cell)| plain(cell) == plain(name));
            *slot = match (found.next(), found.next()) {
                (Some((index, _)), None) => index,
                (Some(_), Some(_)) => return Err(format!("the column {name} is there twice")),
                (None, _) => return Err(format!("the column {name} is missing")),
            };
        }
        Ok(Self {
            at,
            width: names.len(),
        })
    }

    /// The wanted cells of a line; `None` if it has more or fewer cells than the line of names.
    pub(super) fn of<'a>(&self, cells: &'a StringRecord) -> Option<[&'a str; N]> {
        (cells.len() == self.width).then(|| self.at.map(|at| cells.get(at).unwrap_or_default()))
    }
}
