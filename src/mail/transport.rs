//! How a mail leaves: over SMTP, or as a file where there is none.

use super::{AlertSettings, Mail, address, files, smtp};
use crate::clock;
use lettre::message::{Mailbox, MultiPart};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use secrecy::ExposeSecret;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use thiserror::Error;

/// A mail server that has not taken a mail in half a minute is asked again later.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// A mail that was not handed over, or of which nobody knows.
#[derive(Debug, Error)]
pub enum MailError {
    #[error("`{0}` is no mail address")]
    Address(String),
    #[error("the mail cannot be composed: {0}")]
    Compose(#[from] lettre::error::Error),
    #[error("the mail server did not take the mail: {0}")]
    Smtp(#[from] lettre::transport::smtp::Error),
    #[error("the mail server did not answer within 30 s")]
    TimedOut,
    #[error("the mail cannot be written: {0}")]
    File(#[from] std::io::Error),
}

/// From whom, to whom, and by which way. Clones share one pool of connections.
#[derive(Debug, Clone)]
pub struct Transport {
    from: Mailbox,
    to: Vec<Mailbox>,
    way: Way,
}

#[derive(Debug, Clone)]
enum Way {
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    /// `.eml` files in this folder.
    Files(PathBuf),
}

impl Transport {
    /// The way that `[alerts]` names; without SMTP it is the folder `mail` in `data_dir`. Must be called in a tokio
    /// runtime: the pool of connections lives there.
    pub fn open(settings: &AlertSettings, data_dir: &Path) -> Result<Self, MailError> {
        let mailbox =
            |text: &String| address::parse(text).ok_or_else(|| MailError::Address(text.clone()));
        let way = match &settings.smtp_url {
            Some(url) => Way::Smtp(smtp::connect(url.expose_secret(), SEND_TIMEOUT)?),
            None => Way::Files(data_dir.join("mail")),
        };
        Ok(Self {
            from: mailbox(&settings.from)?,
            to: settings.to.iter().map(mailbox).collect::<Result<_, _>>()?,
            way,
        })
    }

    /// A fresh Message-ID in the sender's domain.
    #[must_use]
    pub fn new_message_id(&self) -> String {
        format!(
            "<{}@{}>",
            crate::clock::new_id("mail"),
            self.from.email.domain()
        )
    }

    /// Hands the mail over. An error does not say that it will not arrive: the same Message-ID must be used again.
    pub async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        let message = self.compose(mail)?;
        match &self.way {
            Way::Smtp(smtp) => {
                let sent = tokio::time::timeout(SEND_TIMEOUT, smtp.send(message)).await;
                sent.map_err(|_elapsed| MailError::TimedOut)??;
            }
            Way::Files(folder) => {
                files::write(folder, &mail.message_id, &message.formatted()).await?
            }
        }
        Ok(())
    }

    /// Where mails go, for people; no password.
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.way {
            Way::Smtp(_) => {
                let to: Vec<_> = self
                    .to
                    .iter()
                    .map(|mailbox| mailbox.email.to_string())
                    .collect();
                format!("over SMTP to {}", to.join(", "))
            }
            Way::Files(folder) => format!("as a file in {}", folder.display()),
        }
    }

    fn compose(&self, mail: &Mail) -> Result<Message, lettre::error::Error> {
        let since_1970 = clock::millis(mail.at.0);
        let headers = Message::builder()
            .message_id(Some(mail.message_id.clone()))
            .date(UNIX_EPOCH + since_1970)
            .from(self.from.clone())
            .subject(&mail.subject);
        let addressed = self
            .to
            .iter()
            .fold(headers, |headers, to| headers.to(to.clone()));
        addressed.multipart(MultiPart::alternative_plain_html(
            mail.text.clone(),
            mail.html.clone(),
        ))
    }
}
