//! What follows payments: the sweep, what is deleted, the mails, and the workers of the outbox.

use super::{Fresh, RuntimeBuilder, millis, run_on, wakes};
use crate::actors::Gateway;
use crate::actors::notifier::{Notifier, Rounds};
use crate::fulfilment::sweep::Sweep;
use crate::fulfilment::{Fulfilment, FulfilmentParts, Retention};
use crate::mail::Transport;
use crate::pay_per_use::{Confirmer, Desk, DeskParts};
use crate::runtime::RuntimeError;
use actix::{Actor, Arbiter};
use std::sync::Arc;

impl RuntimeBuilder {
    /// Mails what was raised.
    pub(super) fn notify(&self, fresh: &Fresh<'_>, transport: Transport, arbiter: &Arbiter) {
        let rounds = Rounds::new(
            fresh.database.clone(),
            fresh.journal.clone(),
            transport,
            &self.settings,
            Arc::clone(&self.clock),
        );
        let address = Notifier::start_in_arbiter(&arbiter.handle(), move |_| Notifier::new(rounds));
        drop(fresh.notifier.set(address));
    }

    /// Looks for what does not add up, and deletes what nobody needs any more.
    pub(super) fn keep_house(&self, fresh: &Fresh<'_>, gateway: &Gateway, arbiter: &Arbiter) {
        let sweep = Sweep::new(
            fresh.database.clone(),
            fresh.journal.clone(),
            Arc::clone(&self.clock),
            fresh.metrics.clone(),
            fresh.outbox.clone(),
        );
        run_on(arbiter, sweep.keep_on());
        let retention = Retention {
            gateway: gateway.clone(),
            database: fresh.database.clone(),
            journal: fresh.journal.clone(),
            clock: Arc::clone(&self.clock),
            settings: self.settings.retention,
            delivery_id: String::new(),
        };
        run_on(arbiter, retention.keep_on());
    }

    /// Opens pay per use, and confirms what was delivered, also by an earlier run.
    pub(super) async fn open_desk(
        &self,
        fresh: &Fresh<'_>,
        gateway: &Gateway,
        outside: &Arbiter,
    ) -> Result<Desk, RuntimeError> {
        let gateway = gateway.clone();
        let desk = Desk::open(DeskParts {
            database: fresh.database.clone(),
            journal: fresh.journal.clone(),
            clock: Arc::clone(&self.clock),
            channels: Arc::clone(fresh.channels),
            timeout: millis(self.settings.checks.query_timeout_ms),
            turn: Box::new(move |channel, limit| {
                let (gateway, channel) = (gateway.clone(), channel.to_owned());
                Box::pin(async move { gateway.has_turn(&channel, limit).await })
            }),
            on_alert: wakes(Arc::clone(&fresh.notifier)),
        })
        .await?;
        let confirmer = Confirmer { desk: desk.clone() };
        run_on(outside, confirmer.keep_on());
        Ok(desk)
    }

    /// Grants and delivers, on a thread of its own: a receiver's TLS is not done between two decisions of orders.
    pub(super) fn fulfil(
        &self,
        fresh: &Fresh<'_>,
        gateway: &Gateway,
    ) -> Result<(Fulfilment, Arbiter), RuntimeError> {
        let fulfilment = Fulfilment::new(FulfilmentParts {
            gateway: gateway.clone(),
            database: fresh.database.clone(),
            journal: fresh.journal.clone(),
            clock: Arc::clone(&self.clock),
            epoch: fresh.epoch,
            metrics: fresh.metrics.clone(),
            outbox: fresh.outbox.clone(),
            settings: self.settings.fulfilment.clone(),
            fulfillers: self.fulfillers.clone(),
            resolver: Arc::clone(&self.resolver),
            on_alert: wakes(Arc::clone(&fresh.notifier)),
        })?;
        let outside = Arbiter::new();
        run_on(&outside, fulfilment.run());
        Ok((fulfilment, outside))
    }
}
