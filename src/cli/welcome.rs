//! What a start without a configuration says.

use crate::config::{FirstStart, Settings};
use secrecy::ExposeSecret;

/// Where things are, the keys if they were made just now, and one line that works when pasted. Call it once the
/// server listens.
pub fn welcome(first_start: &FirstStart, settings: &Settings) {
    super::out::line(text(first_start, settings));
}

fn text(first_start: &FirstStart, settings: &Settings) -> String {
    let url = format!("http://{}", settings.server.listen);
    let data_dir = first_start.data_dir.display();
    let mut text = format!(
        "oncepay listens on {url} with a sandbox at {url}/sandbox. Data is in {data_dir}.\n"
    );
    let Some(keys) = &first_start.new_keys else {
        text.push_str(&format!(
            "There is no oncepay.toml; the keys of the first start are in {data_dir}/keys.\n"
        ));
        return text;
    };
    text.push_str("\nThese keys are shown once:\n");
    for key in keys {
        text.push_str(&format!("  {:7} {}\n", key.name, key.key.expose_secret()));
    }
    let shop = keys.iter().find(|key| key.role == "merchant");
    if let Some(shop) = shop {
        text.push_str("\nTry it:\n");
        text.push_str(&format!(
            "curl -s {url}/v1/orders -H 'Authorization: Bearer {}' -H 'Content-Type: application/json' -d \
             '{{\"order_no\":\"hello-1\",\"channel\":\"sandbox\",\"amount\":1999,\"currency\":\"CNY\",\"subject\":\"A first order\"}}'\n",
            shop.key.expose_secret()
        ));
    }
    text
}
