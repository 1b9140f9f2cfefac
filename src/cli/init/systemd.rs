//! A unit for systemd.

use super::folders::{HOME, written};
use crate::config::Settings;
use std::path::Path;

/// Below it, a port belongs to those who have the capability.
const FREE_PORTS_FROM: u16 = 1_024;

/// A stop finishes writes within 10 s; systemd waits longer before it kills.
const UNIT: &str = "\
# /etc/systemd/system/oncepay.service
#   useradd --system --home-dir /var/lib/oncepay --shell /usr/sbin/nologin oncepay
#   install -D -m 0755 target/release/oncepay /usr/local/bin/oncepay
#   install -D -m 0640 -g oncepay oncepay.toml /etc/oncepay/oncepay.toml
#   systemctl daemon-reload && systemctl enable --now oncepay
[Unit]
Description=oncepay payment runtime
Documentation=man:systemd.service(5)
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
User=oncepay
Group=oncepay
ExecStartPre=/usr/local/bin/oncepay config check --config /etc/oncepay/oncepay.toml
ExecStart=/usr/local/bin/oncepay serve --config /etc/oncepay/oncepay.toml
# Secrets of the configuration may be given as { env = \"…\" } and stand there; { file = \"…\" } is a path from the
# folder below, or a whole one, readable for the user.
EnvironmentFile=-/etc/oncepay/secrets.env
WorkingDirectory=/var/lib/oncepay
StateDirectory=oncepay
StateDirectoryMode=0700
UMask=0077
Restart=always
RestartSec=2
KillSignal=SIGTERM
TimeoutStopSec=30
LimitNOFILE=65536

NoNewPrivileges=true
ProtectSystem=strict
@WRITES@ProtectHome=@PROTECT_HOME@
PrivateTmp=true
PrivateDevices=true
ProtectKernelTunables=true
ProtectKernelModules=true
ProtectControlGroups=true
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=true
LockPersonality=true
SystemCallArchitectures=native
@CAPABILITIES@

[Install]
WantedBy=multi-user.target
";

pub(super) fn unit(settings: &Settings) -> String {
    let elsewhere: Vec<String> = written(settings)
        .into_iter()
        .filter(|folder| !folder.starts_with(HOME))
        .map(|folder| folder.display().to_string())
        .collect();
    let writes = if elsewhere.is_empty() {
        String::new()
    } else {
        // systemd does not make these, and refuses to start without them.
        let folders = elsewhere.join(" ");
        format!("# install -d -m 0700 -o oncepay -g oncepay {folders}\nReadWritePaths={folders}\n")
    };
    let homes = ["/home", "/root", "/run/user"];
    let at_home = elsewhere
        .iter()
        .any(|folder| homes.iter().any(|home| Path::new(folder).starts_with(home)));
    let server = &settings.server;
    let ports = [Some(server.listen), server.admin_listen];
    let low = ports
        .into_iter()
        .flatten()
        .any(|listen| (1..FREE_PORTS_FROM).contains(&listen.port()));
    let capabilities = if low {
        "AmbientCapabilities=CAP_NET_BIND_SERVICE\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE"
    } else {
        "CapabilityBoundingSet="
    };
    UNIT.replace("@WRITES@", &writes)
        .replace("@PROTECT_HOME@", if at_home { "false" } else { "true" })
        .replace("@CAPABILITIES@", capabilities)
}
