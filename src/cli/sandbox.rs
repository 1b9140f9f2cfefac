//! `oncepay sandbox`.

use super::args::Sandbox;
use super::out;
use super::problem::Problem;
use crate::clock::SystemClock;
use crate::config::private;
use crate::sandbox::{SandboxServe, secret_in, serve};
use secrecy::SecretString;
use std::process::ExitCode;

pub(super) async fn run(args: &Sandbox) -> Result<ExitCode, Problem> {
    let secret = match &args.secret {
        Some(secret) => SecretString::from(secret.as_str()),
        None => secret_in(&args.secret_file)
            .map_err(|error| Problem::file(&args.secret_file, &error))?,
    };
    if let Some(folder) = args.file.parent() {
        private::folder(folder).map_err(|error| Problem::file(folder, &error))?;
    }
    out::line(format_args!(
        "The sandbox is at http://{}/sandbox. A channel for it:\n",
        args.listen
    ));
    // A given secret stands in no file, and is not printed.
    let secret_is = match &args.secret {
        Some(_) => "{ env = \"ONCEPAY_SANDBOX_SECRET\" }".to_owned(),
        None => format!("{{ file = \"{}\" }}", args.secret_file.display()),
    };
    out::line(format_args!(
        "[channels.sandbox]\nkind = \"http\"\nbase_url = \"http://{}/sandbox\"\nsecret = {secret_is}",
        args.listen
    ));
    if args.secret.is_some() {
        out::line("\nGive the server the same secret in its environment.");
    }
    super::serve::start_logging(None)?;
    let settings = SandboxServe {
        listen: args.listen.clone(),
        file: args.file.clone(),
        secret,
        workers: None,
    };
    serve(settings, SystemClock::start())
        .await
        .map_err(|error| Problem::plain(error.to_string()))?;
    Ok(ExitCode::SUCCESS)
}
