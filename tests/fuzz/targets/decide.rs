//! `decide` over sequences: whatever happens to an order, in whatever order, each decision's own row is fed to the
//! next, and every rule of money and of the state machine is held against each of them.

use super::bytes::Bytes;
use super::happenings::{amount, happening};
use super::orders::rules;
use crate::scene::Scene;
use oncepay::domain::order::{Entitlement, Input, OrderStatus};
use std::collections::BTreeSet;

const STEPS_MAX: usize = 60;

pub(crate) fn hold(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut scene = born(&mut bytes);
    for _ in 0..STEPS_MAX {
        if bytes.is_empty() {
            break;
        }
        step(&mut bytes, &mut scene);
    }
    one_charge_for_each_number(&scene);
}

fn born(bytes: &mut Bytes<'_>) -> Scene {
    let mut scene = Scene::new();
    rules(bytes, &mut scene.rules);
    scene.order.money.amount = amount(bytes, 1_999).clamp(1, (1 << 53) - 1);
    scene.order.ask_first = bytes.rarely(4);
    for kind in ["credits", "seats"] {
        if bytes.flag() {
            let quantity = amount(bytes, 1_000).clamp(1, 1_000_000_000_000);
            scene.order.account = Some("u1".to_owned());
            let entitlement = Entitlement::new(kind.to_owned(), quantity);
            scene.order.entitlements.push(entitlement);
        }
    }
    scene.create();
    scene
}

fn step(bytes: &mut Bytes<'_>, scene: &mut Scene) {
    match bytes.below(16) {
        // Time passes, and whatever timer comes within it is fired at its moment.
        0..=2 => {
            let seconds = *bytes.pick(&[1, 3, 30, 60, 300, 900, 3_600, 86_400, 7 * 86_400]);
            pass(scene, seconds * 1_000);
        }
        3 if bytes.rarely(2) => {
            let away = *bytes.pick(&[1_000, 3_600_000, 86_400_000]);
            scene.pass(away);
            scene.restart();
            accept(scene, &Input::Recovered);
        }
        // Somebody sets the wall clock.
        4 if bytes.rarely(4) => {
            let by = *bytes.pick(&[3_600_000, -60_000, 86_400_000, -3_600_000]);
            scene.now.wall = scene.now.wall.plus(by);
        }
        5 if bytes.rarely(4) => {
            scene.rules.fingerprint = bytes.flag().then(crate::scene::account);
        }
        6 if bytes.rarely(4) => {
            let status = *bytes.pick(OrderStatus::ALL);
            scene.successor = bytes.flag().then_some(status);
        }
        _ => {
            let input = happening(bytes, &scene.order);
            accept(scene, &input);
        }
    }
}

/// A refusal is an answer too: nothing is written then.
fn accept(scene: &mut Scene, input: &Input) {
    let before = scene.order.clone();
    if scene.apply(input).is_err() {
        assert!(before == scene.order, "refused, and written all the same");
    }
}

fn pass(scene: &mut Scene, millis: i64) {
    let end = scene.now.wall.plus(millis);
    for _ in 0..200 {
        let Some(due) = scene.wake_at().filter(|due| *due <= end) else {
            break;
        };
        scene.pass(due.since(scene.now.wall).max(0));
        accept(scene, &Input::Due);
        let again = scene.wake_at().is_some_and(|next| next <= scene.now.wall);
        assert!(!again, "a timer refires: {:?}", scene.order);
    }
    scene.pass(end.since(scene.now.wall).max(0));
}

fn one_charge_for_each_number(scene: &Scene) {
    let numbers: Vec<u32> = (1..).take(scene.charges.len()).collect();
    assert_eq!(scene.charges, numbers, "submits are numbered one by one");
    let refunds: BTreeSet<&String> = scene.sent.iter().collect();
    for refund_no in refunds {
        assert!(
            scene.order.refund(refund_no).is_some(),
            "sent without a row"
        );
    }
}
