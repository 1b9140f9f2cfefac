//! A compose file that builds its own image.

use crate::config::Settings;

pub(super) fn file(settings: &Settings) -> String {
    COMPOSE.replace("@PORT@", &settings.server.listen.port().to_string())
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
        RUN useradd --system --uid 10001 --home-dir /var/lib/oncepay --create-home oncepay
        COPY --from=build /source/target/release/oncepay /usr/local/bin/oncepay
        USER oncepay
        WORKDIR /var/lib/oncepay
        ENTRYPOINT [\"/usr/local/bin/oncepay\"]
    command: [\"serve\", \"--config\", \"/etc/oncepay/oncepay.toml\"]
    environment:
      # Inside its container it listens on every address; only this machine reaches the port below.
      ONCEPAY_SERVER__LISTEN: 0.0.0.0:@PORT@
    volumes:
      - ./oncepay.toml:/etc/oncepay/oncepay.toml:ro
      - oncepay-data:/var/lib/oncepay/data
    ports:
      - 127.0.0.1:@PORT@:@PORT@
    healthcheck:
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
  oncepay-data:
";
