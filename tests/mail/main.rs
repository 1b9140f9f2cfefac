//! What ops are told, and how it reaches them.

#[cfg(test)]
mod daily;
#[cfg(test)]
mod digests;
#[cfg(test)]
mod notifier;
#[cfg(test)]
mod rendering;
#[cfg(test)]
mod scrubbing;
#[cfg(test)]
mod sending;
#[cfg(test)]
mod support;
