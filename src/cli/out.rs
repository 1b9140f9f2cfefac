//! The one place that prints. A reader that has gone away (`| head`) is no error.

use serde_json::Value;
use std::io::Write;

/// A line for people or programs, to standard output.
pub(super) fn line(text: impl std::fmt::Display) {
    writeln!(std::io::stdout(), "{text}").unwrap_or_default();
}

/// Data, indented.
pub(super) fn json(value: &Value) {
    line(format_args!("{value:#}"));
}

/// Why a command failed, to standard error.
pub(super) fn problem(problem: &dyn std::fmt::Display) {
    writeln!(std::io::stderr(), "oncepay: {problem}").unwrap_or_default();
}

/// Rows under their headings, in columns that are as wide as they must be.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>]) {
    let widths: Vec<usize> = headings
        .iter()
        .enumerate()
        .map(|(n, heading)| {
            let cells = rows.iter().filter_map(|row| row.get(n));
            cells
                .map(|cell| cell.chars().count())
                .chain([heading.len()])
                .max()
                .unwrap_or_default()
        })
        .collect();
    let shown = |cells: Vec<&str>| {
        let padded: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        line(padded.join("  ").trim_end());
    };
    shown(headings.to_vec());
    for row in rows {
        shown(row.iter().map(String::as_str).collect());
    }
}
