//! A panic is a log line like any other: its words may be anybody's, such as those of a channel of the merchant's own.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, PanicHookInfo};

/// From now on panics are logged instead of printed.
pub(super) fn log_them() {
    panic::set_hook(Box::new(log));
}

fn log(info: &PanicHookInfo<'_>) {
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        tracing::error!(location, %backtrace, "panicked: {}", words(info.payload()));
    } else {
        tracing::error!(location, "panicked: {}", words(info.payload()));
    }
}

fn words(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let owned = || payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(owned).unwrap_or("without words")
}
