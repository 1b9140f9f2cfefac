//! A site for nginx, with time-outs that fit the configuration.

use super::reachable;
use crate::config::{Settings, address};
use reqwest::Url;

/// What nginx waits longer than oncepay, in seconds: the answer at the deadline must still come through.
const MARGIN_S: i64 = 30;

pub(super) fn site(settings: &Settings) -> String {
    let read_timeout_s =
        (settings.server.ui_deadline_ms.saturating_add(999) / 1_000).saturating_add(MARGIN_S);
    let body_kib = settings.server.body_limit.div_ceil(1_024).max(64);
    // Where they have a listener of their own, the main one has no operations.
    let (admin_upstream, operations) = match settings.server.admin_listen {
        Some(listen) => (
            format!(
                "upstream oncepay_operations {{\n    server {};\n}}\n\n",
                reachable(listen)
            ),
            "oncepay_operations",
        ),
        None => (String::new(), "oncepay"),
    };
    SITE.replace("@HOST@", &host(&settings.server.public_url))
        .replace("@UPSTREAM@", &reachable(settings.server.listen).to_string())
        .replace("@ADMIN_UPSTREAM@", &admin_upstream)
        .replace("@OPERATIONS@", operations)
        .replace("@READ_TIMEOUT@", &read_timeout_s.to_string())
        .replace("@BODY@", &body_kib.to_string())
}

fn host(public_url: &str) -> String {
    let url = Url::parse(public_url)
        .ok()
        .filter(|_| !address::is_loopback(public_url));
    url.and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_else(|| "pay.example.com".to_owned())
}

const SITE: &str = "\
# /etc/nginx/conf.d/oncepay.conf
# In oncepay.toml: server.public_url = \"https://@HOST@\", server.trusted_proxies = [\"127.0.0.1\"]
upstream oncepay {
    server @UPSTREAM@;
    keepalive 64;
}

@ADMIN_UPSTREAM@server {
    listen 80;
    listen [::]:80;
    server_name @HOST@;
    return 301 https://$host$request_uri;
}

server {
    listen 443 ssl;
    listen [::]:443 ssl;
    server_name @HOST@;

    ssl_certificate     /etc/letsencrypt/live/@HOST@/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/@HOST@/privkey.pem;
    ssl_protocols       TLSv1.2 TLSv1.3;

    client_max_body_size @BODY@k;
    client_body_timeout  15s;

    proxy_http_version 1.1;
    proxy_set_header Connection        \"\";
    proxy_set_header Host              $host;
    proxy_set_header X-Forwarded-For   $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Request-Id      $request_id;

    proxy_connect_timeout 5s;
    proxy_send_timeout    15s;
    # Longer than server.ui_deadline: a shorter one would answer 504 while the order goes on.
    proxy_read_timeout    @READ_TIMEOUT@s;
    # A request is sent once. nginx must not repeat what may have been a create.
    proxy_next_upstream   off;
    proxy_buffering       off;

    # The raw bytes of a callback are what its signature covers: pass them on untouched.
    location /v1/callbacks/ {
        gzip off;
        proxy_pass http://oncepay;
    }

    location /v1/ {
        proxy_pass http://oncepay;
    }

    # Payers come here.
    location /pay/ {
        proxy_pass http://oncepay;
    }

    # For operators; name the networks from which they come.
    location ~ ^/(docs|openapi\\.json|healthz|readyz)(/|$) {
        allow 127.0.0.1;
        allow ::1;
        deny all;
        proxy_pass http://@OPERATIONS@;
    }

    # Everything else, metrics and the sandbox among it, stays inside.
    location / {
        return 404;
    }
}
";
