//! One target of cargo-fuzz, by the name of its program.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| oncepay_fuzz::hold(env!("CARGO_BIN_NAME"), data));
