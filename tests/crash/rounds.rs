//! The rounds: a load, a kill in the middle of it, a start; now and then everything comes to rest, and the three
//! ledgers are held against each other.

use crate::alarm::{Moment, Watch};
use crate::compare::hold_against;
use crate::dice::Dice;
use crate::merchant::Merchant;
use crate::people::settle;
use crate::till::Till;
use crate::world::World;
use std::time::Instant;

/// What a CI run affords.
const ROUNDS: u64 = 20;
const SEED: u64 = 20_260_701;
/// Everything comes to rest after so many rounds.
const REST_EVERY: u64 = 50;
/// Asked in one round, new and old.
const ASKED_MAX: usize = 40;
/// One round in so many brings a case for people, and with it a mail.
const CASE_EVERY: u64 = 10;
/// In every fifty rounds the mail server is killed in the first ones alone: a mail that it missed waits half a minute.
const MAIL_KILLS: u64 = 8;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_killed_whenever_the_three_ledgers_agree() {
    let seed = number("ONCEPAY_CRASH_SEED").unwrap_or(SEED);
    let rounds = number("ONCEPAY_CRASH_ROUNDS").unwrap_or(ROUNDS);
    let recipe = format!(
        "ONCEPAY_CRASH_SEED={seed} ONCEPAY_CRASH_ROUNDS={rounds} cargo test --test crash rounds"
    );
    println!("{recipe}");
    let mut lab = Lab {
        world: World::open(recipe).await,
        till: Till::of(String::new()),
        kills: [0; 4],
    };
    lab.till = Till::of(lab.world.shop.url(""));
    let began = Instant::now();
    for round in 1..=rounds {
        let mut dice = Dice::of(seed, round);
        lab.round(round, &mut dice).await;
        if round % REST_EVERY == 0 || round == rounds {
            lab.rest(round, &mut dice).await;
        }
    }
    println!(
        "{rounds} rounds in {:?}; killed: server, sandbox, receiver, mail server {:?}",
        began.elapsed(),
        lab.kills
    );
}

struct Lab {
    world: World,
    till: Till,
    /// Of the server, the sandbox, the receiver and the mail server.
    kills: [u32; 4],
}

impl Lab {
    async fn round(&mut self, round: u64, dice: &mut Dice) {
        self.till.plan(dice, round % CASE_EVERY == 1);
        let moment = Moment::roll(dice);
        let sandbox_first = dice.one_in(8);
        let sandbox_last = dice.one_in(8);
        let with_receiver = dice.one_in(6);
        let with_mail_server = round % REST_EVERY <= MAIL_KILLS && dice.one_in(3);
        let watch = Watch::over(&self.world.shop.database).await;

        let on_the_way = self.till.ask(dice, ASKED_MAX);
        if dice.one_in(3) {
            self.repeat_notices(dice).await;
        }
        if sandbox_first {
            self.kill_sandbox();
        }
        watch.until(moment).await;
        self.world.shop.crash();
        self.kills[0] += 1;
        if sandbox_last && !sandbox_first {
            self.kill_sandbox();
        }
        if with_receiver {
            self.world.receiver.kill();
            self.kills[2] += 1;
        }
        if with_mail_server {
            self.world.mail_server.kill();
            self.kills[3] += 1;
        }
        self.till.hear(on_the_way, dice).await;

        self.world.shop.start_without_waiting();
        if with_receiver {
            self.world.receiver.start_again();
        }
        if with_mail_server {
            self.world.mail_server.start_again();
        }
        if sandbox_first || sandbox_last {
            self.world.processor.start_again().await;
        }
        self.world.is_ready().await;
        let faults = std::mem::take(&mut self.till.faults);
        assert!(faults.is_empty(), "round {round}: {}", faults.join("\n"));
    }

    fn kill_sandbox(&mut self) {
        self.world.processor.running.kill();
        self.kills[1] += 1;
    }

    /// The processor tells again, in several copies, what it has told; payers pay what waits for them.
    async fn repeat_notices(&self, dice: &mut Dice) {
        let (charges, _, _) = self.world.processor.books().await;
        for charge in charges.iter().rev().take(20) {
            if charge.status == "PENDING" && dice.one_in(2) {
                self.world.processor.pay(&charge.order_no).await;
            } else if dice.one_in(10) {
                let copies = u32::try_from(dice.between(1, 3)).expect("few");
                self.world.processor.notify(&charge.order_no, copies).await;
            }
        }
    }

    async fn rest(&mut self, round: u64, dice: &mut Dice) {
        settle(&self.world, &mut self.till, dice).await;
        let mut wrong = std::mem::take(&mut self.till.faults);
        wrong.extend(self.world.bad_lines());
        let merchant = Merchant::of(&self.till, &self.world.receiver.lines(), &mut wrong);
        let sums = hold_against(&self.world, &merchant, &mut wrong).await;
        assert!(
            wrong.is_empty(),
            "after round {round}:\n{}",
            wrong.join("\n")
        );
        println!("after round {round}: {sums}");
    }
}
