//! Who is let in, and who is still inside.

use super::{Gateway, GatewayError};
use crate::actors::shared::Shared;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Gateway {
    /// A seat inside the door; given back when it is dropped.
    pub(super) fn take_seat(&self) -> Result<Seat, GatewayError> {
        if self.shared.is_closing() {
            return Err(GatewayError::Busy("it is shutting down".to_owned()));
        }
        let taken = self.shared.in_flight.fetch_add(1, Ordering::AcqRel);
        let seat = Seat {
            shared: Arc::clone(&self.shared),
            kind: SeatKind::Create,
        };
        if taken >= self.shared.parts.in_flight_max {
            return Err(GatewayError::Busy(
                "too many orders are in flight".to_owned(),
            ));
        }
        Ok(seat)
    }

    /// Takes no new orders from now on.
    pub fn stop_accepting(&self) {
        self.shared.closing.store(true, Ordering::Release);
    }

    /// Whoever still waits for a result is answered without one, as by the deadline: the runtime ends before it comes.
    pub(crate) fn answer_who_waits(&self) {
        self.shared.leave();
    }

    /// Requests that wait for an answer, and calls to channels that are open.
    #[must_use]
    pub fn unfinished(&self) -> (usize, usize) {
        let requests = self.shared.in_flight.load(Ordering::Acquire);
        let callbacks = self.shared.callbacks_open.load(Ordering::Acquire);
        (
            requests.saturating_add(callbacks),
            self.shared.calls.count(),
        )
    }
}

pub(in crate::actors) enum SeatKind {
    Create,
    Callback,
}

pub(in crate::actors) struct Seat {
    pub(in crate::actors) shared: Arc<Shared>,
    pub(in crate::actors) kind: SeatKind,
}

impl Drop for Seat {
    fn drop(&mut self) {
        match self.kind {
            SeatKind::Create => self.shared.in_flight.fetch_sub(1, Ordering::AcqRel),
            SeatKind::Callback => self.shared.callbacks_open.fetch_sub(1, Ordering::AcqRel),
        };
    }
}
