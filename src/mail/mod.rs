//! Mails about alerts: rendering, and lettre's transports.

pub mod address;
pub mod daily;
pub mod files;
mod html;
pub mod render;
mod settings;
pub mod smtp;
mod text;
pub mod transport;

pub use daily::render_daily;
pub use render::{Item, Mail, render};
pub use settings::AlertSettings;
pub use transport::{MailError, Transport};
