//! What happens to an order, told as stories.

mod charging;
mod closing;
mod doubt;
mod money;
mod people;
