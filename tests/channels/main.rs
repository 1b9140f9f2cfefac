//! The channels and the sandbox, over real HTTP.

mod directives;
mod durability;
mod notices;
mod outcomes;
mod raw;
mod settings;
mod signatures;
mod support;
mod wire_once;
