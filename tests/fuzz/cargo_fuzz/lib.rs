//! The targets, for cargo-fuzz.

#[path = "../../domain/money_rules.rs"]
mod money_rules;
#[path = "../../domain/order_ledger.rs"]
mod order_ledger;
#[path = "../../domain/rules.rs"]
mod rules;
#[path = "../../domain/scene.rs"]
mod scene;
#[path = "../targets/mod.rs"]
mod targets;

/// Holds the target with this name against these bytes.
pub fn hold(name: &str, data: &[u8]) {
    targets::run(name, data);
}
