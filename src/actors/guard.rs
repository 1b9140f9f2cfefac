//! What stands between us and each channel: its circuit and its rate.

use super::circuit::{Change, Circuit, Sign};
use super::shared::Shared;
use super::turns::{Queue, Turns};
use crate::clock;
use crate::config::{CircuitSettings, Rate};
use crate::domain::order::{Alert, AlertKind, Severity};
use crate::moment::rfc3339;
use crate::store::alerts::{self, About};
use crate::telemetry::Metrics;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const NO_TURN: &str = "no turn came within the channel's rate";

/// What is configured of a channel's limits.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChannelLimits {
    /// In minor units; holds for a channel of the merchant's own too, if one of its name is configured.
    pub amount_max: Option<i64>,
    pub rate: Option<Rate>,
    pub circuit: Option<CircuitSettings>,
}

/// The guard of one channel.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) amount_max: Option<i64>,
    circuit: Option<Mutex<Circuit>>,
    turns: Option<Turns>,
    /// In this run of the program.
    has_answered: AtomicBool,
    /// What was heard last instead of an answer, until there is one.
    silence: Mutex<Option<String>>,
}

impl Guard {
    pub(super) fn new(limits: &ChannelLimits) -> Self {
        Self {
            amount_max: limits.amount_max,
            circuit: limits.circuit.map(Circuit::new).map(Mutex::new),
            turns: limits.rate.map(Turns::new),
            has_answered: AtomicBool::new(limits.circuit.is_none()),
            silence: Mutex::default(),
        }
    }

    /// Shows the circuit among the metrics, if there is one.
    pub(super) fn show(&self, metrics: &Metrics, channel: &str) {
        if let Some(circuit) = self.circuit() {
            metrics.set_circuit(channel, circuit.level());
        }
    }

    /// Keeps what was heard instead of an answer; whether it is the first after an answer.
    fn falls_silent(&self, heard: &str) -> bool {
        self.silence().replace(heard.to_owned()).is_none()
    }

    fn silence(&self) -> MutexGuard<'_, Option<String>> {
        self.silence.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn circuit(&self) -> Option<MutexGuard<'_, Circuit>> {
        let circuit = self.circuit.as_ref()?;
        Some(circuit.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Lets a submit or a refund pass: how much of its time is left, or why it was not sent.
pub(super) async fn send(
    shared: &Shared,
    channel: &str,
    call: &str,
    timeout: Duration,
) -> Result<Duration, &'static str> {
    if shared.admit_call(channel, call).is_err() {
        return Err("held back: the channel does not answer");
    }
    let started = Instant::now();
    if shared.take_turn(channel, Queue::Money, timeout).await {
        // What the rows say of a call's longest life holds for its wait and itself together.
        return Ok(timeout.saturating_sub(started.elapsed()));
    }
    shared.withdraw_call(channel, call);
    Err(NO_TURN)
}

/// Lets a question pass. It may wait as long as a submit's call may be open: thousands of them after a restart would
/// else use up their ladders without having been asked.
pub(super) async fn ask(shared: &Shared, channel: &str) -> Result<(), &'static str> {
    let limit = clock::millis(shared.rules(channel).read_timeout_ms);
    let turn = shared.take_turn(channel, Queue::Questions, limit).await;
    turn.then_some(()).ok_or(NO_TURN)
}

impl Shared {
    /// Whether a submit or a refund may go to the channel now; else in how long to try again.
    pub(super) fn admit_call(&self, channel: &str, call: &str) -> Result<(), Duration> {
        let now_ms = self.parts.clock.mono_ms();
        let Some(mut circuit) = self.guard(channel).and_then(Guard::circuit) else {
            return Ok(());
        };
        let admitted = circuit.admit(now_ms, call);
        self.parts.metrics.set_circuit(channel, circuit.level());
        admitted.map_err(clock::millis)
    }

    /// What was admitted will not be sent.
    pub(super) fn withdraw_call(&self, channel: &str, call: &str) {
        if let Some(mut circuit) = self.guard(channel).and_then(Guard::circuit) {
            circuit.withdraw(call);
        }
    }

    /// Waits for the channel's rate, at most so long; whether the call may go out.
    pub(super) async fn take_turn(&self, channel: &str, queue: Queue, limit: Duration) -> bool {
        match self.guard(channel).and_then(|guard| guard.turns.as_ref()) {
            Some(turns) => turns.take(queue, limit).await,
            None => true,
        }
    }

    /// A call has ended, with these words. `call` is what a submit or refund was admitted as.
    pub(super) fn heard(
        self: &Arc<Self>,
        channel: &str,
        call: Option<&str>,
        sign: Sign,
        words: &str,
    ) {
        let now_ms = self.parts.clock.mono_ms();
        let Some(guard) = self.guard(channel) else {
            return;
        };
        match sign {
            Sign::Answered => drop(guard.silence().take()),
            // One line until it answers again: an alert comes when it is too much, and each order has its own.
            Sign::Silent if guard.falls_silent(words) => {
                tracing::warn!(
                    channel,
                    error = words,
                    "the channel does not answer as it should"
                );
            }
            Sign::Silent | Sign::Neither => {}
        }
        let Some(change) = guard.circuit().and_then(|mut circuit| {
            let change = circuit.heard(now_ms, call, sign);
            self.parts.metrics.set_circuit(channel, circuit.level());
            change
        }) else {
            if sign == Sign::Answered && !guard.has_answered.swap(true, Ordering::Relaxed) {
                // The run before may have ended in the middle of an episode.
                let (shared, channel) = (Arc::clone(self), channel.to_owned());
                actix::spawn(async move { shared.resolve_channel_down(&channel).await });
            }
            return;
        };
        let (shared, channel) = (Arc::clone(self), channel.to_owned());
        // Detached: what the call brought does not wait for it.
        actix::spawn(async move {
            match change {
                Change::Opened => shared.tell_of_silence(&channel).await,
                Change::Closed => shared.tell_of_return(&channel).await,
            }
        });
    }

    async fn tell_of_silence(&self, channel: &str) {
        let heard = self
            .guard(channel)
            .and_then(|guard| guard.silence().clone())
            .unwrap_or_default();
        tracing::warn!(
            channel,
            "the channel does not answer: new submits are held back"
        );
        let now = self.now().wall;
        let alert = Alert {
            kind: AlertKind::ChannelDown,
            severity: Severity::Action,
            subject: channel.to_owned(),
            episode: rfc3339(now),
            message: format!(
                "Channel {channel} does not answer ({heard}). New orders are refused and nothing is submitted until it does."
            ),
        };
        let about = About {
            channel: Some(channel.to_owned()),
            ..About::default()
        };
        self.raise(&alert, &about).await;
    }

    async fn tell_of_return(&self, channel: &str) {
        tracing::info!(channel, "the channel answers again");
        self.resolve_channel_down(channel).await;
    }

    /// The episode is over.
    async fn resolve_channel_down(&self, channel: &str) {
        let backend = self.parts.database.backend();
        let kind = AlertKind::ChannelDown;
        let over = alerts::resolve_channel(backend, kind, channel, self.now().wall);
        if let Err(error) = self.parts.journal.run(vec![over]).await {
            tracing::error!(channel, %error, "an alert could not be resolved");
        }
    }
}
