//! Refunds: money that goes back, at our request or by the channel's own doing.
//!
//! [`requests`] who may ask for one, [`sends`] how it goes out, [`replies`] what the channel says of it ([`heard`]
//! holds it against the row), [`checks`] whether it is sent again, [`claims`] what time and start-up do, [`told`] and
//! [`external`] what the channel does by itself, [`reviews`] what operators decide about one, [`withheld`] payments
//! that go back undelivered. [`outcomes`] are the moves of all of them, [`book`] the sums and the numbers.

mod book;
mod checks;
mod claims;
mod external;
mod heard;
mod outcomes;
mod replies;
mod requests;
mod reviews;
mod sends;
mod told;
mod withheld;

pub(super) use book::belied_by_refunds;
pub(super) use claims::{due, recovered};
pub(super) use replies::replied;
pub(super) use requests::requested;
pub(super) use reviews::reviewed;
pub(super) use told::told;
pub(super) use withheld::{give_back, given_back_already, trade_given_back};
