//! Alerts to tell of, and a mail server that lives as long as a test.

use oncepay::domain::UnixMillis;
use oncepay::mail::{Item, Mail};
use oncepay::store::alerts::StoredAlert;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

pub(crate) fn stored(n: i64) -> StoredAlert {
    StoredAlert {
        alert_id: format!("alr_{n}"),
        kind: "order_manual".to_owned(),
        severity: "action".to_owned(),
        status: "open".to_owned(),
        order_id: Some(format!("ord_{n}")),
        order_no: Some(format!("no-{n}")),
        idempotency_key: Some(format!("pay:order:no-{n}")),
        channel: Some("sandbox".to_owned()),
        channel_trade_no: Some(format!("T{n}")),
        count: 1,
        message: "All checks are used up.".to_owned(),
        created_at: UnixMillis(n),
        acknowledged_by: None,
        resolved_at: None,
        mail_attempts: 0,
        mail_due_at: Some(UnixMillis(n)),
        message_id: None,
    }
}

pub(crate) fn item(n: i64) -> Item {
    let alert = stored(n);
    Item {
        alert_id: alert.alert_id,
        kind: alert.kind,
        severity: alert.severity,
        resolved: false,
        order_id: alert.order_id,
        order_no: alert.order_no,
        idempotency_key: alert.idempotency_key,
        channel: alert.channel,
        channel_trade_no: alert.channel_trade_no,
        count: 1,
        message: alert.message,
        created_at: alert.created_at,
    }
}

pub(crate) fn render(items: &[Item]) -> Mail {
    oncepay::mail::render(
        items,
        "https://shop.example.com",
        "<mail_1@example.com>",
        UnixMillis(0),
    )
}

/// A mail server on loopback that takes everything.
pub(crate) struct MailServer {
    pub(crate) url: String,
    mails: Receiver<String>,
}

/// What the server does after each mail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterMail {
    Stay,
    /// As after a long idle time.
    HangUp,
}

impl MailServer {
    pub(crate) fn start(after: AfterMail) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let (sender, mails) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, sender) = (stream.unwrap(), sender.clone());
                std::thread::spawn(move || serve(stream, &sender, after));
            }
        });
        Self { url, mails }
    }

    /// A mail, if one has come.
    pub(crate) fn mail_that_came(&self) -> Option<String> {
        self.mails.try_recv().ok()
    }

    /// The next mail as it came over the wire.
    pub(crate) fn next_mail(&self) -> String {
        self.mails
            .recv_timeout(std::time::Duration::from_secs(20))
            .expect("a mail arrives")
    }
}

/// The few words of SMTP that a mail needs. An error is a client that went away.
fn serve(stream: TcpStream, mails: &Sender<String>, after: AfterMail) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let mut stream = stream;
    let mut say = |line: &str| stream.write_all(format!("{line}\r\n").as_bytes()).ok();
    say("220 loopback")?;
    while let Some(Ok(line)) = lines.next() {
        match line.split(' ').next()? {
            "DATA" => {
                say("354 go on")?;
                let mail: Vec<String> = lines
                    .by_ref()
                    .map_while(Result::ok)
                    .take_while(|line| line != ".")
                    .collect();
                mails.send(mail.join("\n")).ok()?;
                say("250 taken")?;
                if after == AfterMail::HangUp {
                    return None;
                }
            }
            "QUIT" => return say("221 bye"),
            _ => say("250 fine")?,
        };
    }
    None
}
