//! Reading our own tables for what does not add up: paid and not fulfilled, fulfilled and not paid, fulfilled twice.
//!
//! * [`walk`] and [`grants`]: pages that find orders to look at, cheaply and with doubts.
//! * [`look`]: everything about one of them, as it stood at one moment.
//! * [`told`]: what an earlier run has told ops of.
//! * [`requeue`]: puts a grant that was missed back into the outbox.

pub mod grants;
pub mod look;
pub mod requeue;
pub mod told;
pub mod walk;

/// An order that may not add up, and the account that says so where it is not the order's own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suspect {
    pub order_no: String,
    pub account: Option<String>,
}

impl Suspect {
    const fn order(order_no: String) -> Self {
        Self {
            order_no,
            account: None,
        }
    }
}
