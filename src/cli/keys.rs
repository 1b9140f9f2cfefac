//! `oncepay keys`.

use super::args::{Cli, Keys, Role, Scope};
use super::place::{self, Writer};
use super::problem::Problem;
use super::{out, view};
use crate::config::{Settings, address, kept};
use crate::moment::rfc3339;
use crate::store::keys::{self, StoredKey};
use reqwest::Method;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::process::ExitCode;

pub(super) async fn run(cli: &Cli, action: &Keys) -> Result<ExitCode, Problem> {
    let settings = place::settings(cli)?;
    match action {
        Keys::Create { name, .. } | Keys::Revoke { name } => not_configured(&settings, name)?,
        Keys::List => {}
    }
    match action {
        Keys::Create { name, role, scopes } => {
            if !address::is_key_name(name) {
                return Err(Problem::plain(
                    "a key's name is 1–64 of A-Z a-z 0-9 _ - . @, and not . or ..",
                ));
            }
            let wanted = Wanted {
                name,
                role: role_name(*role),
                scopes: scopes.iter().map(|scope| scope_name(*scope)).collect(),
            };
            let created = wanted.create(&settings).await?;
            show_created(cli, &created);
        }
        Keys::List => list(cli, &settings).await?,
        Keys::Revoke { name } => {
            revoke(&settings, name).await?;
            out::line(format_args!("The key {name} is worth nothing any more."));
        }
    }
    Ok(ExitCode::SUCCESS)
}

const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Merchant => "merchant",
        Role::Viewer => "viewer",
        Role::Operator => "operator",
        Role::Admin => "admin",
    }
}

const fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Refunds => "refunds",
    }
}

struct Wanted<'a> {
    name: &'a str,
    role: &'static str,
    scopes: Vec<&'static str>,
}

impl Wanted<'_> {
    async fn create(&self, settings: &Settings) -> Result<Value, Problem> {
        let own = match place::writer(settings, "admin").await? {
            Writer::Server(server) => {
                let body = json!({"name": self.name, "role": self.role, "scopes": self.scopes});
                return server.ask(Method::POST, "/v1/keys", Some(&body)).await;
            }
            Writer::Own(own) => own,
        };
        let key = kept::new_key(self.role).map_err(|error| Problem::plain(error.to_string()))?;
        let key = key.expose_secret();
        let stored = StoredKey {
            name: self.name.to_owned(),
            role: self.role.to_owned(),
            scopes: self
                .scopes
                .iter()
                .map(|scope| (*scope).to_owned())
                .collect(),
            digest: format!("sha256:{}", hex::encode(Sha256::digest(key.as_bytes()))),
            created_at: own.now(),
            revoked_at: None,
        };
        let statement = keys::add(own.database.backend(), &stored);
        let record = keys::created(place::actor(), &stored);
        if own.run(statement, &record).await? == 0 {
            return Err(Problem::Plain(format!(
                "there is a key named {} already",
                self.name
            )));
        }
        Ok(json!({"name": self.name, "role": self.role, "scopes": self.scopes, "key": key}))
    }
}

fn show_created(cli: &Cli, created: &Value) {
    if cli.json {
        out::json(created);
        return;
    }
    out::line("This key is shown once:");
    out::line(
        created
            .get("key")
            .and_then(Value::as_str)
            .unwrap_or_default(),
    );
}

/// Those of the configuration first: they stand in no row.
async fn list(cli: &Cli, settings: &Settings) -> Result<(), Problem> {
    let stored = keys::all(&place::open(settings).await?.read).await?;
    if cli.json {
        let configured = settings.keys.iter().map(view::configured_key);
        let data: Vec<Value> = configured.chain(stored.iter().map(view::key)).collect();
        out::json(&json!({"data": data}));
        return Ok(());
    }
    let configured = settings.keys.iter().map(|key| {
        let place = "in the configuration".to_owned();
        vec![
            key.name.clone(),
            key.role.clone(),
            key.scopes.join(","),
            place,
            String::new(),
        ]
    });
    let stored = stored.iter().map(|key| {
        let revoked = key.revoked_at.map(rfc3339).unwrap_or_default();
        let created = rfc3339(key.created_at);
        vec![
            key.name.clone(),
            key.role.clone(),
            key.scopes.join(","),
            created,
            revoked,
        ]
    });
    let rows: Vec<_> = configured.chain(stored).collect();
    out::table(&["NAME", "ROLE", "SCOPES", "CREATED", "REVOKED"], &rows);
    Ok(())
}

/// A key of the configuration can be neither made nor revoked here.
fn not_configured(settings: &Settings, name: &str) -> Result<(), Problem> {
    if settings.keys.iter().any(|key| key.name == name) {
        return Err(Problem::Plain(format!(
            "the key {name} stands in the configuration; change it there"
        )));
    }
    Ok(())
}

async fn revoke(settings: &Settings, name: &str) -> Result<(), Problem> {
    let own = match place::writer(settings, "admin").await? {
        Writer::Server(server) => {
            server
                .ask(Method::DELETE, &format!("/v1/keys/{name}"), None)
                .await?;
            return Ok(());
        }
        Writer::Own(own) => own,
    };
    let statement = keys::revoke(own.database.backend(), name, own.now());
    let record = keys::revoked(place::actor(), name);
    match own.run(statement, &record).await? {
        0 => Err(Problem::Plain(format!("no live key has the name {name}"))),
        _ => Ok(()),
    }
}
