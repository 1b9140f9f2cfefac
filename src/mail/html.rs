//! The HTML of a mail: plain enough for every reader, everything escaped.

use super::render::{Digest, Entry};
use html_escape::encode_quoted_attribute as escape;

pub(super) const STYLE: &str =
    "font-family:system-ui,sans-serif;font-size:14px;color:#222;max-width:44em";
const TABLE: &str = "border-collapse:collapse;font-size:13px";
const NAME: &str =
    "color:#666;padding:1px 12px 1px 0;text-align:left;font-weight:normal;vertical-align:top";

pub(super) fn body(digest: &Digest) -> String {
    let entries: String = digest.entries.iter().map(section).collect();
    let all = escape(&digest.all_alerts);
    let more = match digest.more {
        0 => String::new(),
        more => format!("<p>… and <strong>{more}</strong> <a href=\"{all}\">more</a></p>"),
    };
    format!(
        "<!doctype html><html lang=\"en\"><body style=\"{STYLE}\"><h1 style=\"font-size:17px\">{}</h1>{entries}{more}\
         <p style=\"color:#666\">Each alert is mailed once. All that are open: <code>oncepay alerts list --status open</code>, or with an API key \
         <a href=\"{all}\">{all}</a></p></body></html>",
        escape(&digest.headline)
    )
}

fn section(entry: &Entry) -> String {
    let rows: String = entry
        .lines
        .iter()
        .map(|(name, value)| {
            format!(
                "<tr><th style=\"{NAME}\">{name}</th><td><code>{}</code></td></tr>",
                escape(value)
            )
        })
        .collect();
    format!(
        "<h2 style=\"font-size:15px;margin:20px 0 4px\">{}</h2><p style=\"margin:4px 0\">{}</p>\
         <table style=\"{TABLE}\">{rows}</table><p style=\"margin:4px 0\"><strong>What to do:</strong> {}</p>\
         <p style=\"margin:4px 0\">On the server: <code>{}</code>; with an API key: <a href=\"{}\">{}</a></p>",
        escape(&entry.title),
        escape(&entry.message),
        escape(&entry.next),
        escape(&entry.command),
        escape(&entry.link),
        escape(&entry.link)
    )
}
