//! One alert for one episode.

use crate::stage::{Stage, create, order, play, to};
use oncepay::domain::order::{Alert, AlertKind, OrderStatus, Severity};
use oncepay::store::{Write, alerts};

fn alert(kind: AlertKind, write: &Write, episode: &str) -> Alert {
    Alert {
        kind,
        severity: Severity::Action,
        subject: write.order.order_id.0.clone(),
        episode: episode.into(),
        message: "Look at this.".into(),
    }
}

async fn all(stage: &Stage) -> Vec<alerts::StoredAlert> {
    alerts::list(&stage.database.read, None, None, 10)
        .await
        .unwrap()
}

#[test]
fn an_alert_names_its_order_and_is_due_at_once() {
    play(|stage| async move {
        let order = stage.done(create(order("A-1"))).await;
        let mut manual = to(&order, OrderStatus::Manual);
        manual.alerts = vec![alert(AlertKind::OrderManual, &manual, "2")];
        let at = manual.at;
        stage.done(manual).await;
        let alerts = all(&stage).await;
        assert_eq!(alerts.len(), 1);
        assert_eq!(alerts[0].order_id, Some(order.order_id.0.clone()));
        assert_eq!(alerts[0].order_no.as_deref(), Some("A-1"));
        assert_eq!(alerts[0].idempotency_key.as_deref(), Some("pay:order:A-1"));
        assert_eq!(alerts[0].channel.as_deref(), Some("sandbox"));
        assert_eq!((alerts[0].status.as_str(), alerts[0].count), ("open", 1));
        assert_eq!(alerts[0].mail_due_at, Some(at));
        assert!(alerts[0].alert_id.starts_with("alr_"));
    });
}

#[test]
fn the_same_episode_is_counted_and_not_raised_again() {
    play(|stage| async move {
        let order = stage.done(create(order("A-1"))).await;
        let mut first = to(&order, OrderStatus::Manual);
        first.alerts = vec![alert(AlertKind::OrderManual, &first, "2"); 2];
        let order = stage.done(first).await;
        let mut again = to(&order, OrderStatus::Manual);
        again.alerts = vec![
            alert(AlertKind::OrderManual, &again, "2"),
            alert(AlertKind::LateSuccess, &again, "T1"),
        ];
        stage.done(again).await;
        let counts: Vec<_> = all(&stage)
            .await
            .into_iter()
            .map(|alert| (alert.kind, alert.count))
            .collect();
        assert_eq!(counts.len(), 2);
        assert!(counts.contains(&("order_manual".into(), 2)));
        assert!(counts.contains(&("late_success".into(), 1)));
    });
}

#[test]
fn a_purged_alert_is_not_raised_as_new() {
    play(|stage| async move {
        let order = stage.done(create(order("A-1"))).await;
        let mut first = to(&order, OrderStatus::Manual);
        first.alerts = vec![alert(AlertKind::OrderManual, &first, "2")];
        let order = stage.done(first).await;
        stage.execute("DELETE FROM alerts").await;
        let mut again = to(&order, OrderStatus::Manual);
        again.alerts = vec![alert(AlertKind::OrderManual, &again, "2")];
        stage.done(again).await;
        assert_eq!(all(&stage).await, []);
    });
}

#[test]
fn leaving_manual_resolves_what_was_open_and_nothing_else() {
    play(|stage| async move {
        let other = stage.done(create(order("B-1"))).await;
        let mut manual = to(&other, OrderStatus::Manual);
        manual.alerts = vec![alert(AlertKind::OrderManual, &manual, "2")];
        stage.done(manual).await;

        let order = stage.done(create(order("A-1"))).await;
        let mut manual = to(&order, OrderStatus::Manual);
        let mut note = alert(AlertKind::LateSuccess, &manual, "note");
        note.severity = Severity::Info;
        manual.alerts = vec![
            alert(AlertKind::OrderManual, &manual, "2"),
            alert(AlertKind::SecondPayment, &manual, "T2"),
            note,
        ];
        let order = stage.done(manual).await;
        let mut paid = to(&order, OrderStatus::Paid);
        paid.resolves_alerts = true;
        paid.alerts = vec![alert(AlertKind::LateSuccess, &paid, "T1")];
        let at = paid.at;
        stage.done(paid).await;

        let alerts = all(&stage).await;
        let resolved: Vec<_> = alerts
            .iter()
            .filter(|alert| alert.status == "resolved")
            .map(|alert| {
                (
                    alert.kind.as_str(),
                    alert.order_no.as_deref(),
                    alert.resolved_at,
                )
            })
            .collect();
        assert_eq!(resolved, [("order_manual", Some("A-1"), Some(at))]);
        assert_eq!(alerts.len(), 5);
    });
}

#[test]
fn a_decision_that_comes_too_late_raises_nothing() {
    play(|stage| async move {
        let order = stage.done(create(order("A-1"))).await;
        stage.done(to(&order, OrderStatus::Unknown)).await;
        let mut late = to(&order, OrderStatus::Manual);
        late.alerts = vec![alert(AlertKind::OrderManual, &late, "2")];
        stage.commit(late).await.unwrap();
        assert_eq!(all(&stage).await, []);
        assert_eq!(stage.number("SELECT count(*) FROM alert_keys").await, 0);
    });
}
