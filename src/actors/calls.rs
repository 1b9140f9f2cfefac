//! The register of open calls: it lives outside the actors, so that an actor that is rebuilt knows what is still out.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Which submits of which orders have a call open in this process.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenCalls {
    submits: Arc<Mutex<HashMap<String, Vec<u32>>>>,
    /// Order and refund numbers of sends that are out.
    refunds: Arc<Mutex<BTreeSet<(String, String)>>>,
}

impl OpenCalls {
    /// Registers submit `n`; it is open until the guard is dropped.
    pub(super) fn open(&self, order_no: &str, n: u32) -> OpenCall {
        self.change(|submits| submits.entry(order_no.to_owned()).or_default().push(n));
        OpenCall {
            calls: self.clone(),
            order_no: order_no.to_owned(),
            n,
        }
    }

    /// The open submits of one order.
    pub(super) fn submits(&self, order_no: &str) -> Vec<u32> {
        self.change(|submits| submits.get(order_no).cloned().unwrap_or_default())
    }

    /// The call of submit `n` is over and what it brought is committed; its guard finds nothing left to do.
    pub(super) fn end(&self, order_no: &str, n: u32) {
        self.change(|submits| {
            if let Some(open) = submits.get_mut(order_no) {
                open.retain(|open| *open != n);
                if open.is_empty() {
                    submits.remove(order_no);
                }
            }
        });
    }

    /// Registers the send of a refund; it is open until the guard is dropped.
    pub(super) fn open_refund(&self, order_no: &str, refund_no: &str) -> OpenRefund {
        let call = (order_no.to_owned(), refund_no.to_owned());
        self.refunds_out().insert(call.clone());
        OpenRefund {
            calls: self.clone(),
            call,
        }
    }

    /// Numbers of the refunds of one order whose sends are out.
    pub(super) fn refunds(&self, order_no: &str) -> Vec<String> {
        let first = (order_no.to_owned(), String::new());
        self.refunds_out()
            .range(first..)
            .take_while(|(order, _)| order == order_no)
            .map(|(_, refund_no)| refund_no.clone())
            .collect()
    }

    /// The send of this refund is over and what it brought is committed.
    pub(super) fn end_refund(&self, order_no: &str, refund_no: &str) {
        let call = (order_no.to_owned(), refund_no.to_owned());
        self.refunds_out().remove(&call);
    }

    fn refunds_out(&self) -> MutexGuard<'_, BTreeSet<(String, String)>> {
        self.refunds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many submit calls are open.
    pub(super) fn count(&self) -> usize {
        let submits: usize = self.change(|submits| submits.values().map(Vec::len).sum());
        submits.saturating_add(self.refunds_out().len())
    }

    fn change<T>(&self, work: impl FnOnce(&mut HashMap<String, Vec<u32>>) -> T) -> T {
        work(&mut self.submits.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// One open submit call.
#[derive(Debug)]
pub(super) struct OpenCall {
    calls: OpenCalls,
    order_no: String,
    n: u32,
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.calls.end(&self.order_no, self.n);
    }
}

/// The open send of a refund.
#[derive(Debug)]
pub(super) struct OpenRefund {
    calls: OpenCalls,
    call: (String, String),
}

impl Drop for OpenRefund {
    fn drop(&mut self) {
        self.calls.refunds_out().remove(&self.call);
    }
}
