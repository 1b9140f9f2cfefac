//! One log line, for a person or for a machine. Spans are left out: they are dependencies' own, and tell nothing of an
//! order.

use super::fields::{Fields, shown};
use super::logs::LogFormat;
use serde_json::Value;
use std::fmt;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The field that holds the words of a line.
const MESSAGE: &str = "message";
const DIM: &str = "2";

/// Writes lines in this format.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line(pub(super) LogFormat);

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Fields::of(event.metadata().target());
        event.record(&mut fields);
        let fields = fields.scrubbed();
        match self.0 {
            LogFormat::Human => human(writer, event, &fields),
            LogFormat::Json => json(writer, event, fields),
        }
    }
}

fn human(
    mut writer: Writer<'_>,
    event: &Event<'_>,
    fields: &[(&'static str, Value)],
) -> fmt::Result {
    let metadata = event.metadata();
    let mut time = String::new();
    SystemTime.format_time(&mut Writer::new(&mut time))?;
    coloured(&mut writer, DIM, &time)?;
    write!(writer, " ")?;
    let level = format!("{:>5}", metadata.level().as_str());
    coloured(&mut writer, colour(*metadata.level()), &level)?;
    write!(writer, " ")?;
    coloured(&mut writer, DIM, &format!("{}:", metadata.target()))?;
    for (name, value) in fields {
        match value {
            _ if *name == MESSAGE => write!(writer, " {}", one_line(&shown(value)))?,
            Value::String(text) if is_a_word(text) => write!(writer, " {name}={text}")?,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => write!(writer, " {name}={value}")?,
        }
    }
    writeln!(writer)
}

/// A text that needs no quotes.
fn is_a_word(text: &str) -> bool {
    let plain = |letter: char| letter.is_alphanumeric() || "_-.:/|@[]*".contains(letter);
    !text.is_empty() && text.chars().all(plain)
}

/// Whatever somebody has put into it, a line stays one line.
fn one_line(text: &str) -> String {
    text.chars()
        .flat_map(|letter| {
            let odd = letter.is_control();
            let escaped = odd.then(|| letter.escape_default());
            escaped
                .into_iter()
                .flatten()
                .chain((!odd).then_some(letter))
        })
        .collect()
}

const fn colour(level: Level) -> &'static str {
    match level {
        Level::ERROR => "31",
        Level::WARN => "33",
        Level::INFO => "32",
        Level::DEBUG => "34",
        Level::TRACE => "35",
    }
}

fn coloured(writer: &mut Writer<'_>, code: &str, text: &str) -> fmt::Result {
    if writer.has_ansi_escapes() {
        write!(writer, "\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        write!(writer, "{text}")
    }
}

/// `{"timestamp": …, "level": …, fields, "target": …}`.
fn json(
    mut writer: Writer<'_>,
    event: &Event<'_>,
    fields: Vec<(&'static str, Value)>,
) -> fmt::Result {
    let metadata = event.metadata();
    let mut time = String::new();
    SystemTime.format_time(&mut Writer::new(&mut time))?;
    let mut object = String::from("{");
    let level = metadata.level().as_str();
    let head = [
        ("timestamp", Value::from(time)),
        ("level", Value::from(level)),
    ];
    let target = [("target", Value::from(metadata.target()))];
    let parts = head.into_iter().chain(fields).chain(target);
    for (n, (name, value)) in parts.enumerate() {
        if n > 0 {
            object.push(',');
        }
        object.push_str(&Value::from(name).to_string());
        object.push(':');
        object.push_str(&value.to_string());
    }
    writeln!(writer, "{object}}}")
}
