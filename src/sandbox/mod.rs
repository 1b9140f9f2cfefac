//! The sandbox: a scripted processor, a service of its own with its own ledger.
