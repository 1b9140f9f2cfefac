//! The plain text of a mail.

use super::render::{Digest, Entry};

pub(super) fn body(digest: &Digest) -> String {
    let mut body = format!("{}\n", digest.headline);
    for entry in &digest.entries {
        body.push_str(&paragraph(entry));
    }
    if digest.more > 0 {
        body.push_str(&format!(
            "\n… and {} more: {}\n",
            digest.more, digest.all_alerts
        ));
    }
    body.push_str("\n-- \nEach alert is mailed once. All that are open: oncepay alerts list --status open, or with an API key ");
    body.push_str(&digest.all_alerts);
    body.push('\n');
    body
}

fn paragraph(entry: &Entry) -> String {
    let mut text = format!("\n{}\n  {}\n", entry.title, entry.message);
    for (name, value) in &entry.lines {
        text.push_str(&format!("  {name}: {value}\n"));
    }
    text.push_str(&format!(
        "  What to do: {}\n  On the server: {}\n  With an API key: {}\n",
        entry.next, entry.command, entry.link
    ));
    text
}
