//! The channels and the sandbox, over real HTTP.

mod directives;
mod durability;
mod notices;
mod outcomes;
mod protocol;
mod raw;
mod refunds;
mod settings;
mod signatures;
mod support;
mod wire_once;
