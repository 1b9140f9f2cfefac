//! A mail server on loopback that keeps what it is given.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// One mail as it arrived.
#[derive(Debug, Clone)]
pub struct Mail {
    pub message_id: String,
    pub subject: String,
    /// Headers and all parts, quoted-printable undone.
    pub text: String,
}

/// What the server does with mails, and what it was given.
#[derive(Default)]
struct Inside {
    mails: Vec<Mail>,
    refused: Vec<String>,
    refuse_next: usize,
    /// Where every mail is written before it is taken.
    file: Option<PathBuf>,
}

/// A mail server of one test.
pub struct Mailbox {
    pub port: u16,
    inside: Arc<Mutex<Inside>>,
    /// Counted up to end all sessions.
    cut: watch::Sender<u32>,
    listening: tokio::task::JoinHandle<()>,
}

impl Mailbox {
    pub async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let inside: Arc<Mutex<Inside>> = Arc::default();
        let (cut, _) = watch::channel(0);
        let listening = listen(listener, &inside, &cut);
        Self {
            port,
            inside,
            cut,
            listening,
        }
    }

    /// One at this port that writes each mail to `file`, as a line of JSON, before it takes it.
    pub async fn open_at(port: u16, file: &Path) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port))
            .await
            .expect("the port is free");
        let inside = Arc::new(Mutex::new(Inside {
            file: Some(file.to_owned()),
            ..Inside::default()
        }));
        let (cut, _) = watch::channel(0);
        let listening = listen(listener, &inside, &cut);
        Self {
            port,
            inside,
            cut,
            listening,
        }
    }

    /// Ends every session, as servers do with idle ones.
    pub fn hang_up(&self) {
        self.cut.send_modify(|times| *times += 1);
    }

    /// The server is gone: connections are refused.
    pub async fn close(&mut self) {
        self.listening.abort();
        drop((&mut self.listening).await);
        self.hang_up();
    }

    /// It is back under the same address, with what it had.
    pub async fn open_again(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port))
            .await
            .expect("its port is still free");
        self.listening = listen(listener, &self.inside, &self.cut);
    }

    /// Every mail that was accepted, repeats too.
    pub fn mails(&self) -> Vec<Mail> {
        self.inside.lock().expect("unpoisoned").mails.clone()
    }

    /// The Message-IDs of mails that were refused.
    pub fn refused(&self) -> Vec<String> {
        self.inside.lock().expect("unpoisoned").refused.clone()
    }

    /// Distinct Message-IDs: what a person sees in a reader that folds repeats.
    pub fn distinct(&self) -> usize {
        let mut ids: Vec<_> = self
            .mails()
            .into_iter()
            .map(|mail| mail.message_id)
            .collect();
        ids.sort();
        ids.dedup();
        ids.len()
    }

    /// Refuses the next so many mails with a temporary error.
    pub fn refuse_next(&self, count: usize) {
        self.inside.lock().expect("unpoisoned").refuse_next = count;
    }
}

fn listen(
    listener: TcpListener,
    inside: &Arc<Mutex<Inside>>,
    cut: &watch::Sender<u32>,
) -> tokio::task::JoinHandle<()> {
    let (inside, cut) = (Arc::clone(inside), cut.clone());
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (inside, mut ended) = (Arc::clone(&inside), cut.subscribe());
            tokio::spawn(async move {
                tokio::select! {
                    done = talk(socket, inside) => drop(done),
                    _ = ended.changed() => {}
                }
            });
        }
    })
}

async fn talk(socket: TcpStream, inside: Arc<Mutex<Inside>>) -> std::io::Result<()> {
    let (read, mut write) = socket.into_split();
    let mut lines = BufReader::new(read).lines();
    write.write_all(b"220 loopback ready\r\n").await?;
    while let Some(line) = lines.next_line().await? {
        let word = line
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        let reply = match word.as_str() {
            "EHLO" => "250-loopback\r\n250 8BITMIME\r\n",
            "DATA" => {
                write.write_all(b"354 go on\r\n").await?;
                let mut data = String::new();
                while let Some(line) = lines.next_line().await? {
                    if line == "." {
                        break;
                    }
                    data.push_str(line.strip_prefix('.').unwrap_or(&line));
                    data.push('\n');
                }
                take(&inside, &data)
            }
            "QUIT" => {
                write.write_all(b"221 bye\r\n").await?;
                return Ok(());
            }
            _ => "250 ok\r\n",
        };
        write.write_all(reply.as_bytes()).await?;
    }
    Ok(())
}

fn take(inside: &Mutex<Inside>, data: &str) -> &'static str {
    let mut inside = inside.lock().expect("unpoisoned");
    let header = |name: &str| {
        let found = data
            .lines()
            .find(|line| line.to_ascii_lowercase().starts_with(name));
        found
            .and_then(|line| line.split_once(':'))
            .map(|(_, value)| value.trim().to_owned())
    };
    let message_id = header("message-id:").unwrap_or_default();
    if inside.refuse_next > 0 {
        inside.refuse_next -= 1;
        inside.refused.push(message_id);
        return "451 not now\r\n";
    }
    let mail = Mail {
        message_id,
        subject: header("subject:").unwrap_or_default(),
        text: unquoted(data),
    };
    if let Some(file) = &inside.file {
        keep(file, &mail);
    }
    inside.mails.push(mail);
    "250 kept\r\n"
}

fn keep(file: &Path, mail: &Mail) {
    let line = serde_json::json!({"message_id": mail.message_id, "text": mail.text});
    let mut file = std::fs::File::options()
        .create(true)
        .append(true)
        .open(file)
        .expect("a file of mails");
    let written = file.write_all(format!("{line}\n").as_bytes());
    written.expect("the mail is kept");
}

/// Quoted-printable undone; every part of a mail of ours is plain or in it.
fn unquoted(data: &str) -> String {
    let joined = data.replace("=\n", "");
    let mut bytes = Vec::with_capacity(joined.len());
    let mut rest = joined.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'=').then(|| after.get(..2)).flatten();
        let decoded = code
            .and_then(|code| std::str::from_utf8(code).ok())
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(decoded.unwrap_or(*first));
        rest = if decoded.is_some() {
            &after[2..]
        } else {
            after
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
