//! Writes that belong to no order: alerts of channels, mails, orphans, keys.

use crate::stage::{Stage, play};
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{Alert, AlertKind, Severity};
use oncepay::store::alerts::{self, About, StoredAlert};
use oncepay::store::inbox::{self, Orphan};
use oncepay::store::keys::{self, StoredKey};
use sea_orm::Statement;

const AT: UnixMillis = UnixMillis(5_000);

async fn run(stage: &Stage, statements: Vec<Statement>) -> Vec<u64> {
    stage.journal.run(statements).await.unwrap()
}

async fn only_alert(stage: &Stage) -> StoredAlert {
    let mut alerts = alerts::list(&stage.database.read, None, None, 10)
        .await
        .unwrap();
    assert_eq!(alerts.len(), 1);
    alerts.remove(0)
}

fn channel_down() -> Alert {
    Alert {
        kind: AlertKind::ChannelDown,
        severity: Severity::Info,
        subject: "sandbox".into(),
        episode: "1".into(),
        message: "sandbox does not answer.".into(),
    }
}

#[test]
fn an_alert_of_a_channel_is_raised_once_and_acknowledged_once() {
    play(|stage| async move {
        let backend = stage.database.backend();
        for _ in 0..2 {
            let about = About {
                channel: Some("sandbox".into()),
                ..About::default()
            };
            let raise = alerts::raise(backend, &channel_down(), &about, AT);
            run(&stage, raise).await;
        }
        let alert = only_alert(&stage).await;
        assert_eq!(alert.count, 2);
        assert_eq!(alert.channel.as_deref(), Some("sandbox"));
        let acknowledge = || vec![alerts::acknowledge(backend, &alert.alert_id, "li", AT)];
        assert_eq!(run(&stage, acknowledge()).await, [1]);
        assert_eq!(run(&stage, acknowledge()).await, [0]);
        let alert = only_alert(&stage).await;
        assert_eq!(alert.status, "acknowledged");
        assert_eq!(alert.acknowledged_by.as_deref(), Some("li"));
        let open = alerts::list(&stage.database.read, Some("open"), None, 10).await;
        assert_eq!(open.unwrap(), []);
    });
}

#[test]
fn a_mail_is_claimed_by_one_and_keeps_its_number() {
    play(|stage| async move {
        let backend = stage.database.backend();
        let read = &stage.database.read;
        let raise = alerts::raise(backend, &channel_down(), &About::default(), AT);
        run(&stage, raise).await;
        assert_eq!(alerts::next_due(read).await.unwrap(), Some(AT));
        let due = alerts::due(read, AT, 10).await.unwrap();
        assert_eq!(due.len(), 1);
        let claim = |alert: &StoredAlert, id: &str| {
            vec![alerts::claim(backend, alert, id, UnixMillis(9_000))]
        };
        assert_eq!(run(&stage, claim(&due[0], "<1@here>")).await, [1]);
        assert_eq!(run(&stage, claim(&due[0], "<2@here>")).await, [0]);
        assert_eq!(alerts::due(read, AT, 10).await.unwrap(), []);

        let again = alerts::due(read, UnixMillis(9_000), 10).await.unwrap();
        assert_eq!(run(&stage, claim(&again[0], "<3@here>")).await, [1]);
        let alert = only_alert(&stage).await;
        assert_eq!(alert.message_id.as_deref(), Some("<1@here>"));
        assert_eq!(alert.mail_attempts, 2);
        assert_eq!(
            run(&stage, vec![alerts::mailed(backend, "<1@here>", AT)]).await,
            [1]
        );
        assert_eq!(alerts::next_due(read).await.unwrap(), None);
    });
}

#[test]
fn an_orphan_is_kept_and_told_once() {
    play(|stage| async move {
        let orphan = Orphan {
            channel: "sandbox".into(),
            key: "n-1".into(),
            status: "PAID".into(),
            order_no: "A-404".into(),
            channel_trade_no: None,
            digest: "sha256:00".into(),
            at: AT,
        };
        for _ in 0..3 {
            run(
                &stage,
                inbox::keep_orphan(stage.database.backend(), &orphan),
            )
            .await;
        }
        let numbers = inbox::orphan_order_nos(&stage.database.read).await;
        assert_eq!(numbers.unwrap(), ["A-404"]);
        assert_eq!(stage.number("SELECT seen_count FROM orphans").await, 3);
        let alert = only_alert(&stage).await;
        assert_eq!(alert.kind, "orphan_callback");
        // By its name, so that nothing takes its number for a card's.
        assert_eq!(alert.order_no.as_deref(), Some("A-404"));
    });
}

#[test]
fn a_key_is_added_revoked_and_replaced() {
    play(|stage| async move {
        let backend = stage.database.backend();
        let key = |digest: &str| StoredKey {
            name: "shop".into(),
            role: "merchant".into(),
            scopes: vec!["refunds".into()],
            digest: digest.into(),
            created_at: AT,
            revoked_at: None,
        };
        let add = |digest: &str| vec![keys::add(backend, &key(digest))];
        assert_eq!(run(&stage, add("sha256:01")).await, [1]);
        assert_eq!(run(&stage, add("sha256:02")).await, [0]);
        let revoke = || vec![keys::revoke(backend, "shop", AT)];
        assert_eq!(run(&stage, revoke()).await, [1]);
        assert_eq!(run(&stage, revoke()).await, [0]);
        assert_eq!(run(&stage, add("sha256:02")).await, [1]);
        let all = keys::all(&stage.database.read).await.unwrap();
        assert_eq!(all, [key("sha256:02")]);
    });
}
