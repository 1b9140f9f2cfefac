//! Over SMTP and into files.

use crate::support::{AfterMail, MailServer, item, render};
use oncepay::config::AlertSettings;
use oncepay::mail::Transport;
use secrecy::SecretString;
use std::path::Path;

fn open(smtp_url: Option<&str>, data_dir: &Path) -> Transport {
    let settings = AlertSettings {
        from: "oncepay <oncepay@example.com>".to_owned(),
        to: vec!["ops@example.com".to_owned(), "boss@example.com".to_owned()],
        smtp_url: smtp_url.map(SecretString::from),
        digest_window_ms: 0,
        daily_at_ms: 0,
    };
    Transport::open(&settings, data_dir).unwrap()
}

#[tokio::test]
async fn a_mail_arrives_with_both_parts_and_its_own_message_id() {
    let server = MailServer::start(AfterMail::Stay);
    let transport = open(Some(&server.url), Path::new("unused"));
    transport.send(&render(&[item(1)])).await.unwrap();
    let mail = server.next_mail();
    for part in [
        "Message-ID: <mail_1@example.com>",
        "ops@example.com",
        "boss@example.com",
        "text/plain",
        "text/html",
        "Subject: [oncepay] Action needed: order_manual: order no-1",
        "Date: Thu, 01 Jan 1970 00:00:00 +0000",
    ] {
        assert!(mail.contains(part), "`{part}` is missing: {mail}");
    }
}

#[tokio::test]
async fn a_connection_that_the_server_has_closed_is_not_the_end_of_mailing() {
    let server = MailServer::start(AfterMail::HangUp);
    let transport = open(Some(&server.url), Path::new("unused"));
    for n in 1..=3 {
        transport.send(&render(&[item(n)])).await.unwrap();
        assert!(server.next_mail().contains(&format!("ord_{n}")));
    }
}

#[tokio::test]
async fn without_a_server_the_mail_fails_and_says_why() {
    let transport = open(Some("smtp://127.0.0.1:1"), Path::new("unused"));
    let error = transport.send(&render(&[item(1)])).await.unwrap_err();
    assert!(error.to_string().contains("mail server"), "{error}");
}

#[tokio::test]
async fn without_smtp_a_mail_is_one_file_also_when_it_is_sent_twice() {
    let folder = tempfile::tempdir().unwrap();
    let transport = open(None, folder.path());
    for _ in 0..2 {
        transport.send(&render(&[item(1)])).await.unwrap();
    }
    let files: Vec<_> = std::fs::read_dir(folder.path().join("mail"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(files[0].extension().unwrap(), "eml");
    assert!(
        std::fs::read_to_string(&files[0])
            .unwrap()
            .contains("order_manual")
    );
}
