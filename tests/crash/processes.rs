//! The merchant's receiver and the mail server as processes of their own: this program once more, as one of the two
//! ignored tests below. What they have taken is in their file before they say so.

use crate::support::{Does, Got, Mailbox, Receiver, WEBHOOK_SECRET};
use serde_json::json;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

const PORT: &str = "ONCEPAY_CRASH_PORT";
const FILE: &str = "ONCEPAY_CRASH_FILE";
/// The names that libtest knows them by.
pub(crate) const RECEIVER: &str = "processes::receiver";
pub(crate) const MAIL_SERVER: &str = "processes::mail_server";

/// The environment of one of them.
pub(crate) fn environment(port: u16, file: &Path) -> [(String, String); 2] {
    [
        (PORT.to_owned(), port.to_string()),
        (FILE.to_owned(), file.display().to_string()),
    ]
}

/// What this process was started for; nothing when it is a test that somebody runs by name.
fn given() -> Option<(u16, PathBuf)> {
    let port = std::env::var(PORT).ok()?.parse().ok()?;
    Some((port, PathBuf::from(std::env::var_os(FILE)?)))
}

#[tokio::test]
#[ignore = "a process of the lab, which starts it itself"]
async fn receiver() {
    let Some((port, file)) = given() else { return };
    let file = File::options().create(true).append(true).open(file);
    let file = file.expect("a file of webhooks");
    let receiver = Receiver::open_at(port).await;
    receiver.does(move |got, before| {
        let mood = got.id().bytes().map(usize::from).sum::<usize>() % 9;
        if before == 0 && mood == 0 {
            return Does::Answers(500);
        }
        keep(&file, got);
        if before == 0 && mood == 1 {
            return Does::HangsUp;
        }
        Does::Answers(204)
    });
    std::future::pending().await
}

/// One line for each message that came, also for each that came again.
fn keep(mut file: &File, got: &Got) {
    let data = &got.body["data"];
    let line = json!({
        "id": got.id(), "genuine": got.is_signed_with(WEBHOOK_SECRET), "type": got.kind(),
        "order_no": got.order_no(), "account": data["account"], "quantity": data["quantity"],
        "refund_no": data["refund"]["refund_no"], "refunded": data["refund"]["amount"],
    });
    let kept = file.write_all(format!("{line}\n").as_bytes());
    kept.expect("the webhook is kept");
}

#[tokio::test]
#[ignore = "a process of the lab, which starts it itself"]
async fn mail_server() {
    let Some((port, file)) = given() else { return };
    let _mailbox = Mailbox::open_at(port, &file).await;
    std::future::pending().await
}
