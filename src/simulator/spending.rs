//! What the holder of an account does with it: debits and holds, asked for once or twice.

use super::clocks::{HOUR, SECOND};
use super::event::What;
use super::memory::Constraint;
use super::mishap::Mishap;
use super::parts::Parts;
use super::rule::Rule;
use super::run::{Run, Step};
use crate::domain::ledger::Request;

impl<P: Parts> Run<'_, P> {
    /// A debit or a hold, or the one of before again.
    pub(super) fn spends(&mut self, no: u32, again: bool) -> Step {
        let Some(case) = self.cases.get_mut(&no) else {
            return Ok(());
        };
        let Some(account) = case.account.clone() else {
            return Ok(());
        };
        if !again {
            case.facts.debits = case.facts.debits.saturating_add(1);
        }
        let nth = case.facts.debits;
        if !self.up {
            self.after(30 * SECOND, no, What::Spends { again });
            return Ok(());
        }
        let mut chance = self.trait_of(no, 50 + u64::from(nth));
        let (quantity, kind) = (chance.between(1, 60), "credits".to_owned());
        let hold_no = format!("h{no}.{nth}");
        let requests = if chance.below(2) == 0 {
            vec![Request::Debit {
                debit_no: format!("d{no}.{nth}"),
                kind,
                quantity,
                reason: None,
            }]
        } else {
            let hold = Request::Hold {
                hold_no: hold_no.clone(),
                kind,
                quantity,
                expires_in_s: 3_600,
            };
            let taken = chance.between(0, quantity);
            let end = match chance.below(3) {
                0 => Request::Release { hold_no },
                1 => Request::Capture {
                    hold_no,
                    quantity: taken,
                },
                _ => Request::Expire { hold_no },
            };
            vec![hold, end]
        };
        for request in requests {
            self.move_account(no, &account, &request)?;
        }
        if !again && let Some(mut chance) = self.hit(no, Mishap::SpendsAgain) {
            let after = chance.between(SECOND, HOUR);
            self.after(after, no, What::Spends { again: true });
        }
        Ok(())
    }

    fn move_account(&mut self, no: u32, account: &str, request: &Request) -> Step {
        let (found, version) = self.store.accounts.found(account, request);
        let decided = self
            .parts
            .decide_account(&found, request, self.clocks.wall());
        let Some(movement) = decided.movement else {
            return Ok(());
        };
        let checks = self.parts.has(Constraint::AccountVersion);
        let expected = checks.then_some(version);
        let once = self.parts.has(Constraint::LedgerSource);
        self.say(no, || format!("account {account}: {request:?}"));
        self.store.accounts.make(account, movement, expected, once);
        self.report.movements = self.report.movements.saturating_add(1);
        let kept = self.store.accounts.get(account);
        let source = match request {
            Request::Debit { debit_no, .. } => format!("debit:{debit_no}"),
            Request::Hold { hold_no, .. }
            | Request::Capture { hold_no, .. }
            | Request::Release { hold_no }
            | Request::Expire { hold_no } => format!("hold:{hold_no}"),
        };
        let moved = kept.map_or(0, |account| {
            let entries = account.entries.iter();
            entries.filter(|entry| entry.source == source).count()
        });
        self.holds(Rule::DebitOnce, no, moved <= 1, || {
            format!("{source} moved {moved} times")
        })
    }
}
