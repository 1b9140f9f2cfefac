//! Orders a second to `PAID` through the real server, against the same server with a journal that keeps nothing.
//!
//! `cargo bench --bench throughput` runs server, sandbox and load as three processes on this machine and alternates
//! the journals, since the bound swings from run to run; it prints medians. `-- --short` is one quick round.
//! With `ONCEPAY_TEST_POSTGRES` the same is measured on a database of that server, too; `-- --postgres` measures that alone.

#![expect(
    clippy::print_stdout,
    clippy::as_conversions,
    clippy::float_arithmetic,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "a benchmark computes with measurements, prints them, and stops at whatever is not as it should be"
)]
#![expect(dead_code, reason = "the other benchmark uses the rest of the roles")]

mod load;
mod plan;
mod roles;
mod table;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    match std::env::var(roles::ROLE).as_deref() {
        Ok("server") => roles::server(),
        Ok("sandbox") => roles::sandbox(),
        _ => plan::run(&plan::Plan::of_arguments()),
    }
}
