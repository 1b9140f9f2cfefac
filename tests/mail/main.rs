//! What ops are told, and how it reaches them.

mod digests;
mod rendering;
mod scrubbing;
mod sending;
mod support;
