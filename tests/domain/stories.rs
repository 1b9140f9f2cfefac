//! What happens to an order, told as stories.

mod charging;
mod closing;
mod disputes;
mod doubt;
mod given_back;
mod grants;
mod hints;
mod money;
mod people;
mod refund_doubt;
mod refunds;
