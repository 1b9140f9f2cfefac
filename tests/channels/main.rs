//! The channels and the sandbox, over real HTTP.

#[cfg(test)]
mod directives;
#[cfg(test)]
mod durability;
#[cfg(test)]
mod notices;
#[cfg(test)]
mod outcomes;
#[cfg(test)]
mod protocol;
#[cfg(test)]
mod raw;
#[cfg(test)]
mod refund_calls;
#[cfg(test)]
mod refunds;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod signatures;
#[cfg(test)]
mod support;
#[cfg(test)]
mod wire_once;
