//! What ops are told, and how it reaches them.

mod digests;
mod notifier;
mod rendering;
mod scrubbing;
mod sending;
mod support;
