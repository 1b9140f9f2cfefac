//! The binary as a process of its own.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A process that ends with the test, at the latest.
pub struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    /// Starts `oncepay` with these arguments; what it says goes to `log`.
    pub fn start(
        folder: &Path,
        arguments: &[&str],
        environment: &[(String, String)],
        log: &Path,
    ) -> Self {
        // A file that may not grow is then an error and not the end of the process, as on a full disk.
        let mut command = Command::new("sh");
        command
            .args(["-c", r#"trap "" XFSZ; exec "$0" "$@""#])
            .arg(env!("CARGO_BIN_EXE_oncepay"))
            .args(arguments);
        Self::of(command, folder, environment, log)
    }

    /// Starts this test binary once more, as one of its ignored tests: a process of the stage's own.
    pub fn this_test(
        test: &str,
        folder: &Path,
        environment: &[(String, String)],
        log: &Path,
    ) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("a program"));
        command.args(["--exact", test, "--ignored", "--nocapture"]);
        Self::of(command, folder, environment, log)
    }

    fn of(
        mut command: Command,
        folder: &Path,
        environment: &[(String, String)],
        log: &Path,
    ) -> Self {
        let out = File::options()
            .create(true)
            .append(true)
            .open(log)
            .expect("a log file");
        let err = out.try_clone().expect("a second handle");
        let child = command
            .current_dir(folder)
            .envs(environment.iter().cloned())
            .env("RUST_BACKTRACE", "1")
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .spawn()
            .expect("the program starts");
        Self {
            child,
            log: log.to_owned(),
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().expect("a running process can be killed");
        self.child.wait().expect("a killed process ends");
    }

    /// Sends a signal by name, such as `TERM` or `STOP`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([&format!("-{name}"), &self.pid().to_string()])
            .status()
            .expect("kill(1) runs");
        assert!(status.success(), "the process takes a signal");
    }

    /// From now on no file of its may be longer: `"8192"` bytes, or `"unlimited"`.
    pub fn files_end_at(&self, bytes: &str) {
        let status = Command::new("prlimit")
            .args([
                "--pid",
                &self.pid().to_string(),
                &format!("--fsize={bytes}:"),
            ])
            .status()
            .expect("prlimit(1) runs");
        assert!(status.success(), "the limit is set");
    }

    /// Waits for its end.
    pub fn ended(&mut self, within: Duration) -> ExitStatus {
        let until = Instant::now() + within;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                return status;
            }
            assert!(
                Instant::now() < until,
                "the process has not ended; its log:\n{}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn is_running(&mut self) -> bool {
        self.child
            .try_wait()
            .expect("a child can be waited for")
            .is_none()
    }

    /// Everything it has said.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
