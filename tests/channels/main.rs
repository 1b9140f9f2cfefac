//! The channels and the sandbox, over real HTTP.

#[cfg(test)]
mod alipay;
#[cfg(test)]
mod directives;
#[cfg(test)]
#[expect(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "stories of the whole runtime use the rest"
)]
#[path = "../support/doubles/mod.rs"]
mod doubles;
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
mod stripe;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tokenpay;
#[cfg(test)]
mod wechat;
#[cfg(test)]
mod wire_once;
