//! Mails about alerts: rendering, scrubbing of free text, and lettre's transports.

pub mod address;
pub mod files;
mod html;
pub mod render;
pub mod scrub;
mod settings;
pub mod smtp;
mod text;
pub mod transport;

pub use render::{Item, Mail, render};
pub use scrub::scrub;
pub use settings::AlertSettings;
pub use transport::{MailError, Transport};
