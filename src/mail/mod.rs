//! Mails about alerts: rendering, scrubbing of free text, and lettre's transports.

pub mod address;
pub mod smtp;
