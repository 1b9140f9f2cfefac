//! The start that needs no configuration.

use oncepay::config::Settings;
use secrecy::ExposeSecret;

#[test]
fn the_first_start_makes_keys_once_and_a_sandbox_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let first = Settings::first_start(&data).unwrap_or_else(|error| panic!("{error}"));
    let keys = first.first_start.unwrap().new_keys.expect("keys are new");
    let roles: Vec<_> = keys
        .iter()
        .map(|key| (key.name.as_str(), key.role.as_str()))
        .collect();
    assert_eq!(
        roles,
        [
            ("shop", "merchant"),
            ("ops", "operator"),
            ("viewer", "viewer"),
            ("admin", "admin")
        ]
    );
    assert_eq!(keys[0].scopes, ["refunds"]);
    assert!(first.settings.sandbox.mounted);
    assert_eq!(
        first.settings.channels["sandbox"].base_url,
        "http://127.0.0.1:8080/sandbox"
    );
    assert!(first.settings.database.url.ends_with("/data/oncepay.db"));

    let second = Settings::first_start(&data).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        second.first_start.unwrap().new_keys.is_none(),
        "they are shown once"
    );
    let secret = |settings: &Settings| {
        let (_, secret) = settings.sandbox_channel().expect("it has a sandbox");
        secret.expose_secret().to_owned()
    };
    assert_eq!(secret(&first.settings), secret(&second.settings));
    let texts = |settings: &Settings| -> Vec<String> {
        settings
            .keys
            .iter()
            .map(|key| key.key.expose_secret().to_owned())
            .collect()
    };
    assert_eq!(texts(&first.settings), texts(&second.settings));
}

#[cfg(unix)]
#[test]
fn what_the_first_start_keeps_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    Settings::first_start(folder.path()).unwrap_or_else(|error| panic!("{error}"));
    for name in ["keys", "sandbox.secret"] {
        let mode = folder
            .path()
            .join(name)
            .metadata()
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_command_that_only_looks_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let sources = oncepay::config::Sources {
        flags: vec![("server.data_dir".to_owned(), data.display().to_string())],
        ..oncepay::config::Sources::default()
    };
    let looked = Settings::load(&sources).unwrap_or_else(|error| panic!("{error}"));
    assert!(looked.settings.keys.is_empty());
    assert!(!data.exists());
}

#[test]
fn one_setting_from_the_environment_changes_the_sandbox_and_does_not_replace_it() {
    let folder = tempfile::tempdir().unwrap();
    let variables = [
        ("ONCEPAY_SERVER__DATA_DIR", folder.path().to_str().unwrap()),
        ("ONCEPAY_SERVER__LISTEN", "127.0.0.1:9000"),
        ("ONCEPAY_CHANNELS__SANDBOX__LATE_SUCCESS", "fulfil"),
    ];
    let sources = oncepay::config::Sources {
        environment: variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        may_create: true,
        ..oncepay::config::Sources::default()
    };
    let loaded = Settings::load(&sources).unwrap_or_else(|error| panic!("{error}"));
    let sandbox = &loaded.settings.channels["sandbox"];
    assert_eq!(sandbox.base_url, "http://127.0.0.1:9000/sandbox");
    assert_eq!(
        sandbox.late_success,
        oncepay::domain::schedule::LateSuccess::Fulfil
    );
}
