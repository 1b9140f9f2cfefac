//! The register of open calls: it lives outside the actors, so that an actor that is rebuilt knows what is still out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Which submits of which orders have a call open in this process.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenCalls {
    submits: Arc<Mutex<HashMap<String, Vec<u32>>>>,
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

    /// How many submit calls are open.
    pub(super) fn count(&self) -> usize {
        self.change(|submits| submits.values().map(Vec::len).sum())
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
