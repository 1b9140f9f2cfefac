//! Where a payer is sent back to: only to hosts that the merchant has named.

use super::language::Text;
use reqwest::Url;
use std::net::IpAddr;

const LENGTH_MAX: usize = 2048;

/// What is wrong with a `return_url`, given the hosts that are allowed.
pub(crate) fn check(text: &str, hosts: &[String]) -> Option<Text> {
    let printable = text.len() <= LENGTH_MAX && text.bytes().all(|byte| byte.is_ascii_graphic());
    let url = Url::parse(text).ok().filter(|_| printable);
    let Some(url) = url else {
        return Some(Text::new("must be an absolute URL", "必须是完整的网址"));
    };
    let Some(host) = url.host_str() else {
        return Some(Text::new("must name a host", "必须包含主机名"));
    };
    let secure = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(host));
    if !secure || !url.username().is_empty() || url.password().is_some() {
        return Some(Text::new(
            "must be https, without a user name",
            "必须使用 https，且不含用户名",
        ));
    }
    let allowed = hosts
        .iter()
        .any(|allowed| allowed.eq_ignore_ascii_case(host));
    (!allowed).then(|| {
        Text::new(
            "its host is not in server.return_hosts",
            "主机名不在 server.return_hosts 中",
        )
    })
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || bare
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_payer_is_sent_back_to_a_named_host_only() {
        let hosts = ["shop.example.com".to_owned(), "127.0.0.1".to_owned()];
        for allowed in [
            "https://shop.example.com/done?o=1",
            "https://SHOP.example.com:8443/",
            "http://127.0.0.1:3000/x",
        ] {
            assert_eq!(check(allowed, &hosts), None, "{allowed}");
        }
        for refused in [
            "http://shop.example.com/",
            "https://evil.example/",
            "https://shop.example.com@evil.example/",
            "https://user@shop.example.com/",
            "https://shop.example.com.evil.example/",
            "javascript:alert(1)",
            "http://localhost/",
            "/done",
            "",
            "https://shop.example.com/a b",
            "https://shop.example.com/\u{7}",
        ] {
            assert!(check(refused, &hosts).is_some(), "{refused}");
        }
    }
}
