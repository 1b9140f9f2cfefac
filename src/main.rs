fn main() {
    let loaded = oncepay::config::Settings::load(&oncepay::config::Sources::of_process(None)).unwrap();
    if let Some(first) = &loaded.first_start {
        if let Some(keys) = &first.new_keys {
            for k in keys { use secrecy::ExposeSecret; println!("{} {}", k.name, k.key.expose_secret()); }
        }
    }
    oncepay::telemetry::logs::init(oncepay::telemetry::LogFormat::Human).unwrap();
    actix_web::rt::System::new().block_on(oncepay::runtime::serve(loaded.settings, |a| println!("listening {a}"))).unwrap();
}
