//! Style as a test: who may name whom, how big a file may be, and words that are not ours.
//! `clippy.toml` and `[workspace.lints]` hold what a compiler can hold; this holds the rest.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at what it cannot read"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up. A layer may name those above its line, but for the ones in its second column (faces ask the
/// gateway, not what it stands on), and the crates in its third. So there is no cycle.
const LAYERS: &str = "
domain    |                              | serde sha2 thiserror
moment    |                              | time
clock     |                              | uuid
scrub     |                              |
store     |                              | entities migration sea_orm rusqlite fs4 hex hmac serde serde_json sha2 thiserror tokio tracing
channels  | store                        | base64 csv encoding_rs flate2 hex hmac md5 reqwest ring secrecy serde serde_json sha2 subtle thiserror time tokio x509_cert zip
sandbox   | store                        | actix_web base64 getrandom reqwest secrecy serde serde_json thiserror time tokio tracing
mail      | store channels sandbox       | html_escape lettre reqwest secrecy thiserror time tokio
config    | channels sandbox             | base64 getrandom governor hex iso_currency reqwest secrecy toml
telemetry | channels sandbox mail config | prometheus_client serde_json tracing tracing_subscriber
actors    | sandbox                      | actix governor hex serde_json sha2 thiserror tokio tracing
fulfilment | sandbox mail                | getrandom hex httpdate reqwest sea_orm sha2 thiserror tokio tracing
web       | sandbox mail                 | actix_web base64 fs4 getrandom governor hex html_escape iso_currency qrcode reqwest secrecy serde serde_json sha2 subtle time tokio tracing utoipa utoipa_swagger_ui
pay_per_use | sandbox mail config telemetry actors fulfilment web | actix_web base64 getrandom hex hmac secrecy serde serde_json sha2 thiserror time tokio tracing
runtime   |                              | actix actix_web thiserror tokio tracing
simulator | moment clock scrub store channels sandbox mail config telemetry actors fulfilment web pay_per_use runtime |
cli       | web                          | actix_web clap hex reqwest sea_orm secrecy serde_json sha2 thiserror time tokio
";

/// What its line says of a layer.
struct Layer<'a> {
    name: &'a str,
    not: Vec<&'a str>,
    crates: Vec<&'a str>,
}

fn layers() -> Vec<Layer<'static>> {
    let lines = LAYERS.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let mut columns = line.split('|');
            let mut words = || {
                columns
                    .next()
                    .unwrap()
                    .split_whitespace()
                    .collect::<Vec<_>>()
            };
            Layer {
                name: words()[0],
                not: words(),
                crates: words(),
            }
        })
        .collect()
}

/// Lines that no file of code may exceed, but for those that are named here with their reason.
const LINES_MAX: usize = 400;
const LINES_MEDIAN_MAX: usize = 150;
const LONGER: &str = "
tests/support/shop.rs          600  the stage: one verb for each thing that a story can do
tests/e2e/callback_security.rs 500  forged notices, one beside the other
tests/e2e/input.rs             700  bad requests, one beside the other
";

const TOP: &str = ".cargo .ci .git .gitignore Cargo.lock Cargo.toml LICENSE-APACHE LICENSE-MIT README.md clippy.toml data \
                   deny.toml entities migration rustfmt.toml src target tests";

/// Parts of names that say nothing.
const EMPTY_WORDS: [&str; 6] = ["manager", "helper", "helpers", "util", "utils", "misc"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below `folder`, as its path from the root and its text; what is not text is left out.
fn texts(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            open.extend(entries.map(|entry| entry.unwrap().path()));
        } else if let Ok(text) = fs::read_to_string(&path) {
            let name = path.strip_prefix(root()).unwrap();
            found.push((name.display().to_string(), text));
        }
    }
    found.sort();
    found
}

fn rust() -> impl Iterator<Item = (String, String)> {
    let folders = ["src", "entities", "migration", "tests"].into_iter();
    let files = folders.flat_map(texts);
    files.filter(|(name, _)| {
        Path::new(name)
            .extension()
            .is_some_and(|ending| ending == "rs")
    })
}

/// Code, documents and scripts.
fn everything() -> Vec<(String, String)> {
    let top = [
        "README.md",
        "Cargo.toml",
        "clippy.toml",
        "deny.toml",
        "rustfmt.toml",
        ".ci",
    ];
    let folders = ["src", "entities", "migration", "tests"];
    top.into_iter().chain(folders).flat_map(texts).collect()
}

/// Lines of code: what follows `//` is prose.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(n, line)| {
        let line = line.split("//").next().unwrap_or_default();
        (!line.trim().is_empty()).then_some((n + 1, line))
    })
}

/// The names that stand before `::` at the beginning of a path.
fn roots(line: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices("::").filter_map(move |(end, _)| {
        let before = line.get(..end)?;
        let name = before.rsplit(|c| !is_name(c)).next()?;
        let rest = before.strip_suffix(name)?;
        (!name.is_empty() && !rest.ends_with("::")).then_some(name)
    })
}

/// The names that stand right after `crate::`.
fn inside(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    })
}

fn dependencies() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    ["dependencies", "dev-dependencies"]
        .into_iter()
        .filter_map(|section| table.get(section)?.as_table())
        .flat_map(toml::Table::keys)
        .map(|name| name.replace('-', "_"))
        .collect()
}

fn no_faults(rule: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{rule}:\n  {}", faults.join("\n  "));
}

#[test]
fn every_layer_names_only_what_stands_above_it_and_its_own_crates() {
    let (known, layers) = (dependencies(), layers());
    let mut faults = Vec::new();
    for (name, text) in texts("src") {
        let place = name.split(['/', '.']).nth(1).unwrap_or_default();
        let Some(at) = layers.iter().position(|layer| layer.name == place) else {
            continue;
        };
        let (above, layer) = (&layers[..at], &layers[at]);
        for (n, line) in code(&text) {
            for other in inside(line).filter(|other| *other != place) {
                let stands_above = above.iter().any(|layer| layer.name == other);
                if !stands_above || layer.not.contains(&other) {
                    faults.push(format!("{name}:{n} names crate::{other}"));
                }
            }
            for other in roots(line).filter(|other| known.contains(*other)) {
                let own_module = text.contains(&format!("mod {other};"));
                if !layer.crates.contains(&other) && !own_module {
                    faults.push(format!("{name}:{n} names {other}"));
                }
            }
        }
    }
    no_faults("a layer reaches where it may not", &faults);
}

#[test]
fn every_part_of_src_is_a_layer() {
    let outside = ["lib", "main", "ARCHITECTURE", "CHANGELOG", "README"];
    let mut faults = Vec::new();
    for (name, _) in texts("src") {
        let place = name.split(['/', '.']).nth(1).unwrap_or_default();
        if !outside.contains(&place) && !layers().iter().any(|layer| layer.name == place) {
            faults.push(name);
        }
    }
    no_faults("a part of src that no layer holds", &faults);
}

#[test]
fn every_dependency_is_used() {
    let all: Vec<_> = rust().collect();
    let used = |name: &String| {
        all.iter()
            .any(|(_, text)| roots(text).any(|root| root == name))
    };
    let faults: Vec<_> = dependencies()
        .into_iter()
        .filter(|name| !used(name))
        .collect();
    no_faults("a dependency that nothing names", &faults);
}

#[test]
fn files_stay_small() {
    let mut sizes = Vec::new();
    let mut faults = Vec::new();
    for (name, text) in rust() {
        let lines = text.lines().count();
        let longer = LONGER
            .lines()
            .find_map(|line| line.strip_prefix(name.as_str()));
        let most = longer.and_then(|rest| rest.split_whitespace().next());
        let most = most.map_or(LINES_MAX, |most| most.parse().unwrap());
        if lines > most {
            faults.push(format!("{name} has {lines} lines, and may have {most}"));
        }
        if name.starts_with("src/") {
            sizes.push(lines);
        }
    }
    sizes.sort_unstable();
    let median = sizes[sizes.len() / 2];
    if median > LINES_MEDIAN_MAX {
        faults.push(format!("the median file of src has {median} lines"));
    }
    no_faults("a file wants to be two", &faults);
}

#[test]
fn every_file_says_what_it_is_and_is_a_module_of_something() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut faults = Vec::new();
    for (name, text) in rust() {
        if !text.starts_with("//! ") {
            faults.push(format!("{name} does not begin with //!"));
        }
        let path = PathBuf::from(&name);
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let is_root = ["lib", "main"].contains(&stem) || manifest.contains(&format!("\"{name}\""));
        let (module, parent) = match stem {
            "mod" => (
                path.parent().unwrap().file_name().unwrap(),
                path.parent().unwrap().parent(),
            ),
            _ => (path.file_stem().unwrap(), path.parent()),
        };
        let declared = format!("mod {};", module.to_str().unwrap());
        if !is_root && !declares(parent.unwrap(), &declared) && name != "tests/support/mod.rs" {
            faults.push(format!("{name} is compiled by nobody"));
        }
    }
    no_faults("a file without a face or a place", &faults);
}

/// Whether the module of this folder, or the root of a test or bench beside it, has the declaration.
fn declares(folder: &Path, declaration: &str) -> bool {
    let beside = fs::read_dir(root().join(folder)).unwrap();
    let files = beside
        .map(|entry| entry.unwrap().path())
        .chain([root().join(folder).with_extension("rs")]);
    files
        .filter_map(|file| fs::read_to_string(file).ok())
        .any(|text| text.contains(declaration))
}

#[test]
fn nothing_is_left_to_be_done_and_nothing_panics_in_src() {
    let never = [
        "todo!(",
        "unimplemented!(",
        "dbg!(",
        ".unwrap()",
        ".expect(",
        "panic!(",
    ];
    let mut faults = Vec::new();
    for (name, text) in texts("src") {
        let is_test = name.ends_with("tests.rs") || !name.ends_with(".rs");
        let own = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (n, line) in code(own).filter(|_| !is_test) {
            faults.extend(
                never
                    .iter()
                    .filter(|word| line.contains(**word))
                    .map(|word| format!("{name}:{n} has {word}")),
            );
        }
    }
    no_faults("src must not stop by itself", &faults);
}

#[test]
fn names_say_something() {
    let mut faults = Vec::new();
    for (name, text) in rust().filter(|(name, _)| name != "tests/tidy.rs") {
        let file = name.rsplit('/').next().unwrap_or_default();
        for (n, line) in code(&text).chain([(0, file)]) {
            let words: Vec<_> = line.split_whitespace().collect();
            let declared = words
                .windows(2)
                .filter(|pair| ["fn", "struct", "enum", "trait", "mod", "type"].contains(&pair[0]))
                .filter_map(|pair| pair[1].split(['(', '<', ':', '{']).next())
                .chain((n == 0).then_some(file));
            for name_of in declared {
                let mut parts = name_of
                    .split(|c: char| !c.is_ascii_alphabetic())
                    .map(str::to_lowercase);
                if parts.any(|part| {
                    EMPTY_WORDS
                        .iter()
                        .any(|word| part == *word || part.ends_with("manager"))
                }) {
                    faults.push(format!("{name}:{n} {name_of}"));
                }
            }
        }
        for (n, line) in text.lines().enumerate() {
            let says_state =
                line.trim_start().starts_with("//") && words(line).any(|word| word == "state");
            if says_state
                && name.starts_with("src/")
                && !line.contains("state machine")
                && !line.contains('`')
            {
                faults.push(format!("{name}:{} says state where status is meant", n + 1));
            }
        }
    }
    no_faults("words that say nothing, or that are not ours", &faults);
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric())
}

#[test]
fn texts_are_clean() {
    let machine = [
        "/ro:ot/",
        "/wo:rk/",
        "/tm:p/",
        ".intern:al",
        "mirr:ors.",
        "artifact:ory",
        "rspr:oxy",
    ];
    let machine = machine.map(|part| part.replace(':', ""));
    let mut faults = Vec::new();
    for (name, text) in everything() {
        // Another program's data stands as it came, and so does what has broken something.
        if name.contains("/vectors/") || name.starts_with("tests/fuzz/corpus/") {
            continue;
        }
        if !text.ends_with('\n') || text.ends_with("\n\n") {
            faults.push(format!("{name} does not end with one line break"));
        }
        for (n, line) in text.lines().enumerate() {
            if line.ends_with([' ', '\r']) || line.contains('\t') {
                faults.push(format!("{name}:{} has a tab or a space at its end", n + 1));
            }
            if machine.iter().any(|part| line.contains(part.as_str())) && !line.contains("/dev/tcp")
            {
                faults.push(format!("{name}:{} names a place of one machine", n + 1));
            }
        }
    }
    no_faults("text that is not clean", &faults);
}

#[test]
fn nothing_new_stands_at_the_top() {
    let allowed: Vec<_> = TOP.split_whitespace().collect();
    let entries = fs::read_dir(root()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().display().to_string());
    let faults: Vec<_> = names
        .filter(|name| !allowed.contains(&name.as_str()) && !name.ends_with(".profraw"))
        .collect();
    no_faults(
        "the top of the tree holds what tools insist on alone",
        &faults,
    );
}
