//! The configuration: any text and any variables are accepted or refused, with a problem that names its place and
//! tells no secret; and what is accepted starts.

use super::bytes::Bytes;
use super::settings::{SECRETS, line, variable};
use oncepay::clock::{SharedClock, SystemClock};
use oncepay::config::{ChannelKind, ConfigError, Outline, Settings, Sources, check_serving};
use oncepay::domain::order::Fingerprint;
use oncepay::runtime::open_channel;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

/// What parts the text of the file from the variables.
const PART: &str = "%%%";

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

pub(crate) fn hold(data: &[u8]) {
    // Texts as people write them begin with a letter that can be seen; what does not is a choice of lines.
    let composed = data.first().is_some_and(|first| *first < b' ');
    let (text, environment) = if composed {
        compose(&mut Bytes::new(data.split_at(1).1))
    } else {
        let text = String::from_utf8_lossy(data).into_owned();
        let (text, rest) = text.split_once(PART).unwrap_or((&text, ""));
        let pairs = rest.lines().filter_map(|line| line.split_once('='));
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        (text.to_owned(), pairs.map(owned).collect())
    };
    // A secret may stand in a file, and any file of this machine is not a fuzzer's to open.
    if text.contains("file") || environment.values().any(|value| value.contains("file")) {
        return;
    }
    judge(Settings::from_text(&text));
    with_environment(&text, environment);
}

fn compose(bytes: &mut Bytes<'_>) -> (String, BTreeMap<String, String>) {
    let mut text = String::new();
    let mut environment = BTreeMap::new();
    while !bytes.is_empty() && text.len() < 4_096 {
        if bytes.rarely(4) {
            let (name, value) = variable(bytes);
            environment.insert(name, value);
        } else {
            text.push_str(&line(bytes));
        }
    }
    (text, environment)
}

fn with_environment(text: &str, environment: BTreeMap<String, String>) {
    let file: PathBuf = FOLDER.path().join("oncepay.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources {
        file: Some(file),
        environment,
        flags: vec![("server.data_dir".to_owned(), "data".to_owned())],
        may_create: false,
    };
    let loaded = Settings::load(&sources).map(|loaded| loaded.settings);
    let outline = Outline::load(&sources);
    if loaded.is_ok() {
        assert!(outline.is_ok(), "good, and no outline of it: {outline:?}");
    }
    judge(loaded);
}

fn judge(read: Result<Settings, ConfigError>) {
    match read {
        Ok(settings) => examine(&settings),
        Err(error) => refused(&error),
    }
}

fn refused(error: &ConfigError) {
    assert!(!error.problems.is_empty(), "refused without a reason");
    let told = error.to_string();
    for problem in &error.problems {
        assert!(!problem.path.is_empty(), "a problem of nothing: {told}");
        assert!(!problem.message.is_empty(), "{told}");
        assert!(told.contains(&problem.path));
    }
    tells_no_secret(&told);
}

fn tells_no_secret(told: &str) {
    for secret in SECRETS {
        assert!(!told.contains(secret), "it tells a secret: {told}");
    }
}

/// What `config check` calls good, `serve` can start with.
fn examine(settings: &Settings) {
    if let Err(error) = check_serving(settings) {
        let [problem] = error.problems.as_slice() else {
            panic!("{error}");
        };
        assert_eq!(problem.path, "server.public_url");
    }
    for warning in settings.warnings() {
        tells_no_secret(&warning);
    }
    tells_no_secret(&format!("{settings:?}"));
    let checks = &settings.checks;
    assert!(checks.submit_timeout_ms < settings.server.ui_deadline_ms);
    assert!(checks.schedule_ms.iter().all(|rung| *rung > 0) && !checks.schedule_ms.is_empty());
    assert!(settings.longest_grace_ms() > 0);
    for name in settings.channels.keys() {
        a_channel_opens(settings, name);
    }
}

fn a_channel_opens(settings: &Settings, name: &str) {
    let configured = &settings.channels[name];
    assert!(configured.read_timeout_ms > settings.server.ui_deadline_ms);
    let clock: SharedClock = SystemClock::start();
    let channel = match open_channel(name, configured, &clock) {
        Ok(channel) => channel,
        // Whether a text is a key is known once it is used.
        Err(error) if !matches!(configured.kind, ChannelKind::Http { .. }) => {
            return tells_no_secret(&error.to_string());
        }
        Err(error) => panic!("good, and it does not start: {error}"),
    };
    let account = Fingerprint {
        channel: name.to_owned(),
        merchant: configured.merchant.clone(),
        live: configured.live,
    };
    assert_eq!(
        channel.account(),
        account,
        "another account than the one that was checked"
    );
    let rules = settings.rules_for(name, channel.capabilities(), Some(account));
    assert!(rules.check_delay_ms(1).is_some_and(|delay| delay > 0));
    assert!(rules.pending_delay_ms(u32::MAX) > 0);
}
