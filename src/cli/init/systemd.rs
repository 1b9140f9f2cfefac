//! A unit for systemd.

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
# Secrets of the configuration may be given as { env = \"…\" } and stand there.
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
ProtectHome=true
PrivateTmp=true
PrivateDevices=true
ProtectKernelTunables=true
ProtectKernelModules=true
ProtectControlGroups=true
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=true
LockPersonality=true
SystemCallArchitectures=native
CapabilityBoundingSet=

[Install]
WantedBy=multi-user.target
";

pub(super) fn unit() -> String {
    UNIT.to_owned()
}
