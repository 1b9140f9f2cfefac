//! `oncepay simulate`, as people and programs call it.

use assert_cmd::Command;
use serde_json::Value;

fn simulate(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oncepay"));
    command
        .arg("simulate")
        .args(["--orders", "40", "--hours", "48"])
        .args(arguments);
    command
}

#[test]
fn a_person_reads_what_happened_and_that_no_rule_was_broken() {
    let done = simulate(&["--seed", "5"]).assert().success();
    let told = String::from_utf8(done.get_output().stdout.clone()).expect("it is text");
    for expected in [
        "Seed 5: 40 orders in 48 hours.",
        "requests lost on the way",
        "PAID",
        "No rule was broken",
    ] {
        assert!(told.contains(expected), "{expected} is missing in:\n{told}");
    }
}

#[test]
fn a_program_reads_the_same_twice_but_for_the_time_it_took() {
    let read = || {
        let done = simulate(&["--seed", "6", "--json"]).assert().success();
        let mut told: Value =
            serde_json::from_slice(&done.get_output().stdout).expect("it is JSON");
        let took = told.as_object_mut().expect("an object").remove("took_ms");
        assert!(took.is_some_and(|took| took.is_u64()));
        told
    };
    let told = read();
    assert_eq!(told, read());
    assert_eq!(told["seed"], 6);
    assert_eq!(told["violation"], Value::Null);
    let ended = told["ended"].as_object().expect("an object");
    let ended: u64 = ended.values().filter_map(Value::as_u64).sum();
    let given_up = told["orders_given_up"].as_u64().expect("a number");
    assert_eq!(Some(ended + given_up), told["orders"].as_u64());
}

#[test]
fn nonsense_is_a_usage_error_that_names_the_option() {
    for (option, value) in [("--orders", "0"), ("--hours", "-1"), ("--seed", "one")] {
        let refused = Command::new(env!("CARGO_BIN_EXE_oncepay"))
            .args(["simulate", option, value])
            .assert()
            .code(2);
        let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(told.contains(option) || told.contains(value), "{told}");
    }
}
