//! The command line.

/// Under load the allocator costs as much as the actors do; this one is measurably cheaper than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    oncepay::cli::run(std::env::args_os())
}
