//! Mails to ops: what they say, and how they leave.
