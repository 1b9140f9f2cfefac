//! The notifier on a real database: claimed before it is sent, and never sent twice as two mails.

use crate::support::{AfterMail, MailServer};
use actix::Actor;

use oncepay::actors::notifier::{Notifier, Rounds, Wake};
use oncepay::clock::{Clock, SharedClock};
use oncepay::config::Settings;
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{Alert, AlertKind, Severity};
use oncepay::mail::Transport;
use oncepay::store::alerts::{self, About};
use oncepay::store::audit::AuditKey;
use oncepay::store::journal::JournalKind;
use oncepay::store::{Database, DatabaseSettings, Journal};
use secrecy::SecretString;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Time that moves when the test says so.
pub(crate) struct HandClock(AtomicI64);

impl Clock for HandClock {
    fn wall(&self) -> UnixMillis {
        UnixMillis(self.0.load(Ordering::SeqCst))
    }

    fn mono_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

pub(crate) struct Office {
    pub(crate) clock: Arc<HandClock>,
    pub(crate) database: Database,
    journal: Journal,
    folder: tempfile::TempDir,
}

impl Office {
    pub(crate) async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/oncepay.db", folder.path().display());
        let database = Database::open(&DatabaseSettings { url, readers: 2 })
            .await
            .unwrap();
        let epoch = database.next_epoch(UnixMillis(0)).await.unwrap();
        let clock = Arc::new(HandClock(AtomicI64::new(1_000_000)));
        let shared: SharedClock = clock.clone();
        let journal = Journal::start(
            &database,
            epoch,
            JournalKind::Grouped,
            shared,
            AuditKey::new([7; 32]),
        );
        Self {
            clock,
            database,
            journal,
            folder,
        }
    }

    pub(crate) fn pass(&self, millis: i64) {
        self.clock.0.fetch_add(millis, Ordering::SeqCst);
    }

    async fn raise(&self, kind: AlertKind, subject: &str) {
        let alert = Alert {
            kind,
            severity: Severity::Action,
            subject: subject.to_owned(),
            episode: "1".to_owned(),
            message: "It has happened.".to_owned(),
        };
        let raised = alerts::raise(
            self.database.backend(),
            &alert,
            &About {
                channel: Some(subject.to_owned()),
                ..About::default()
            },
            self.clock.wall(),
        );
        self.journal.run(raised).await.unwrap();
    }

    /// A notifier as after a start: it remembers nothing.
    pub(crate) fn rounds(&self, smtp_url: &str, window_ms: i64) -> Rounds {
        let mut settings = Settings::first_start(self.folder.path()).unwrap().settings;
        settings.alerts.smtp_url = Some(SecretString::from(smtp_url));
        settings.alerts.digest_window_ms = window_ms;
        let transport = Transport::open(&settings.alerts, &settings.data_dir).unwrap();
        let clock: SharedClock = self.clock.clone();
        Rounds::new(
            self.database.clone(),
            self.journal.clone(),
            transport,
            &settings,
            clock,
        )
    }

    async fn still_due(&self) -> usize {
        let for_ever = UnixMillis(i64::MAX);
        alerts::due(&self.database.read, for_ever, 1_000)
            .await
            .unwrap()
            .len()
    }
}

pub(crate) fn message_id(mail: &str) -> &str {
    mail.lines()
        .find(|line| line.starts_with("Message-ID:"))
        .unwrap()
}

pub(crate) const NOBODY: &str = "smtp://127.0.0.1:1";

#[tokio::test]
async fn a_storm_is_one_mail_and_its_repeats_are_none() {
    let office = Office::open().await;
    let server = MailServer::start(AfterMail::Stay);
    let mut rounds = office.rounds(&server.url, 30_000);
    for n in 0..40 {
        office
            .raise(AlertKind::OrphanCallback, &format!("channel-{n}"))
            .await;
    }
    let next = rounds.run().await;
    assert_eq!(
        next,
        Some(office.clock.wall().plus(30_000)),
        "the window is open"
    );
    office.pass(30_000);
    rounds.run().await;
    assert!(server.next_mail().contains("40 alerts"));
    assert_eq!(office.still_due().await, 0);
    office.raise(AlertKind::OrphanCallback, "channel-7").await;
    office.pass(60_000);
    rounds.run().await;
    assert_eq!(office.still_due().await, 0, "the same condition is no news");
    office.raise(AlertKind::UnknownKey, "channel-7").await;
    office.pass(60_000);
    rounds.run().await;
    assert!(
        server
            .next_mail()
            .contains("unknown_key: channel channel-7"),
        "the next mail is the next news"
    );
}

#[tokio::test]
async fn a_mail_that_failed_goes_again_after_a_restart_under_the_same_message_id() {
    let office = Office::open().await;
    office.raise(AlertKind::ChannelDown, "card").await;
    office.rounds(NOBODY, 0).run().await;
    let claimed = alerts::due(&office.database.read, UnixMillis(i64::MAX), 10)
        .await
        .unwrap();
    let first_id = claimed[0]
        .message_id
        .clone()
        .expect("claimed before it was sent");
    assert_eq!(
        claimed[0].mail_due_at,
        Some(office.clock.wall().plus(30_000))
    );

    let server = MailServer::start(AfterMail::Stay);
    let mut restarted = office.rounds(&server.url, 0);
    restarted.run().await;
    assert_eq!(office.still_due().await, 1, "not before its time");
    office.pass(30_000);
    restarted.run().await;
    assert!(message_id(&server.next_mail()).contains(&first_id));
    assert_eq!(office.still_due().await, 0);
}

#[tokio::test]
async fn what_happens_while_the_mail_server_is_away_is_one_mail_after_it() {
    let office = Office::open().await;
    let mut rounds = office.rounds(NOBODY, 0);
    office.raise(AlertKind::ChannelDown, "a").await;
    rounds.run().await;
    for n in 0..5 {
        office
            .raise(AlertKind::ChannelDown, &format!("later-{n}"))
            .await;
        office.pass(1_000);
        rounds.run().await;
    }
    let due = alerts::due(&office.database.read, UnixMillis(i64::MAX), 10)
        .await
        .unwrap();
    let claimed = due
        .iter()
        .filter(|alert| alert.message_id.is_some())
        .count();
    assert_eq!((due.len(), claimed), (6, 1), "only the first was tried");
}

#[actix::test]
async fn the_actor_mails_when_it_is_woken_and_at_its_start() {
    let office = Office::open().await;
    let server = MailServer::start(AfterMail::HangUp);
    office
        .raise(AlertKind::ChannelDown, "before-the-start")
        .await;
    let notifier = Notifier::new(office.rounds(&server.url, 0)).start();
    let first = actix::clock::timeout(std::time::Duration::from_secs(20), mail(&server))
        .await
        .unwrap();
    assert!(first.contains("before-the-start"));
    office.raise(AlertKind::ChannelDown, "later").await;
    notifier.do_send(Wake);
    let second = actix::clock::timeout(std::time::Duration::from_secs(20), mail(&server))
        .await
        .unwrap();
    assert!(second.contains("channel later"));
    assert_ne!(message_id(&first), message_id(&second));
    // The server has the mail before the actor has its answer: what is under way must end with the stage standing.
    while office.still_due().await > 0 {
        actix::clock::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// Waits without holding up the actor's thread.
async fn mail(server: &MailServer) -> String {
    loop {
        if let Some(mail) = server.mail_that_came() {
            return mail;
        }
        actix::clock::sleep(std::time::Duration::from_millis(5)).await;
    }
}
