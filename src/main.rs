//! The command line.

fn main() -> std::process::ExitCode {
    oncepay::cli::run(std::env::args_os())
}
