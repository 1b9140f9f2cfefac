//! A compose file that builds its own image.

use super::folders::{absolute, written};
use crate::config::{Outline, Settings};
use std::path::Path;

/// The user inside the image; a file of a secret must be readable for it.
const UID: &str = "10001";

/// `config` is the configuration's file, which is mounted; without one it is `oncepay.toml`.
pub(super) fn file(outline: &Outline, config: Option<&Path>) -> String {
    let settings = &outline.settings;
    let server = &settings.server;
    let asked = server.admin_listen.unwrap_or(server.listen);
    let folders: Vec<String> = written(settings)
        .iter()
        .map(|folder| folder.display().to_string())
        .collect();
    let config = config.map_or_else(
        || here("oncepay.toml"),
        |file| here(&file.display().to_string()),
    );
    COMPOSE
        .replace("@FOLDERS@", &folders.join(" "))
        .replace("@ENV_FILE@", &env_file(outline))
        .replace("@ENVIRONMENT@", &environment(settings))
        .replace("@CONFIG@", &config)
        .replace("@SECRETS@", &secrets(outline))
        .replace("@MOUNTS@", &mounts(&folders))
        .replace("@PORTS@", &ports(settings))
        .replace("@VOLUMES@", &volumes(&folders))
        .replace("@PORT@", &asked.port().to_string())
        .replace("@UID@", UID)
}

/// A path beside the compose file.
fn here(path: &str) -> String {
    if path.starts_with('/') || path.starts_with("./") || path.starts_with("../") {
        path.to_owned()
    } else {
        format!("./{path}")
    }
}

fn env_file(outline: &Outline) -> String {
    if outline.variables.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = outline.variables.iter().map(String::as_str).collect();
    format!(
        "    # NAME=value a line, chmod 0600; the configuration names {}\n    env_file: secrets.env\n",
        names.join(", ")
    )
}

fn environment(settings: &Settings) -> String {
    let server = &settings.server;
    let mut lines = format!(
        "      ONCEPAY_SERVER__LISTEN: 0.0.0.0:{}\n",
        server.listen.port()
    );
    if let Some(admin) = server.admin_listen {
        lines.push_str(&format!(
            "      ONCEPAY_SERVER__ADMIN_LISTEN: 0.0.0.0:{}\n",
            admin.port()
        ));
    }
    if settings.channels.values().any(|channel| !channel.live) {
        lines.push_str(
            "      # A channel moves no real money: refused on such a listener, unless it is said that it is meant.\n      \
             ONCEPAY_SANDBOX__ALLOW: \"true\"\n",
        );
    }
    lines
}

fn ports(settings: &Settings) -> String {
    let server = &settings.server;
    let ports = [Some(server.listen), server.admin_listen];
    let line = |port: u16| format!("      - 127.0.0.1:{port}:{port}\n");
    let lines = ports
        .into_iter()
        .flatten()
        .map(|listen| line(listen.port()));
    lines.collect()
}

fn secrets(outline: &Outline) -> String {
    let line = |file: &String| {
        let inside = absolute(Path::new(file));
        format!(
            "      # Readable for the user {UID}.\n      - {}:{}:ro\n",
            here(file),
            inside.display()
        )
    };
    outline.files.iter().map(line).collect()
}

fn volume(n: usize) -> String {
    match n {
        0 => "oncepay-data".to_owned(),
        n => format!("oncepay-data-{n}"),
    }
}

fn mounts(folders: &[String]) -> String {
    let lines = folders.iter().enumerate();
    lines
        .map(|(n, folder)| format!("      - {}:{folder}\n", volume(n)))
        .collect()
}

fn volumes(folders: &[String]) -> String {
    (0..folders.len())
        .map(|n| format!("  {}:\n", volume(n)))
        .collect()
}

const COMPOSE: &str = "\
# compose.yaml, in the folder of the source; beside it oncepay.toml
#   docker compose up --detach --build
services:
  oncepay:
    build:
      context: .
      dockerfile_inline: |
        FROM rust:1-bookworm AS build
        WORKDIR /source
        COPY . .
        RUN cargo build --release --locked --bin oncepay
        FROM debian:bookworm-slim
        # A new volume takes the owner of the folder on which it is mounted.
        RUN useradd --system --uid @UID@ --home-dir /var/lib/oncepay --create-home oncepay \\
         && install -d -m 0700 -o oncepay @FOLDERS@
        COPY --from=build /source/target/release/oncepay /usr/local/bin/oncepay
        USER oncepay
        WORKDIR /var/lib/oncepay
        ENTRYPOINT [\"/usr/local/bin/oncepay\"]
    command: [\"serve\", \"--config\", \"/etc/oncepay/oncepay.toml\"]
@ENV_FILE@    environment:
      # Inside its container it listens on every address; only this machine reaches the ports below.
@ENVIRONMENT@    volumes:
      - @CONFIG@:/etc/oncepay/oncepay.toml:ro
@SECRETS@@MOUNTS@    ports:
@PORTS@    healthcheck:
      test:
        - CMD
        - bash
        - -c
        - exec 3<>/dev/tcp/127.0.0.1/@PORT@ && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '
      interval: 10s
      timeout: 5s
      start_period: 30s
    restart: unless-stopped
    # A stop finishes writes within 10 s.
    stop_grace_period: 30s
    read_only: true
    tmpfs:
      - /tmp
    cap_drop: [ALL]
    security_opt: [\"no-new-privileges:true\"]

volumes:
@VOLUMES@";
