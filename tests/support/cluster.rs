//! A PostgreSQL server of one test's own, which the test may stop and start.

use super::{ScratchDatabase, free_port};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A server with its data in a folder that goes with the test.
pub struct Cluster {
    programs: PathBuf,
    port: u16,
    folder: TempDir,
}

impl Cluster {
    /// `None` where stories do not play on PostgreSQL.
    pub fn start() -> Option<Self> {
        std::env::var_os(super::SERVER_VARIABLE)?;
        let cluster = Self {
            programs: programs()?,
            port: free_port(),
            folder: tempfile::tempdir().expect("a folder"),
        };
        if is_root() {
            let folder = cluster.folder.path();
            let given = Command::new("chown").arg("postgres:").arg(folder).status();
            assert!(given.expect("chown(1) runs").success());
        }
        cluster.run(
            "initdb",
            &[
                "--username=oncepay",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
            ],
        );
        cluster.start_again();
        Some(cluster)
    }

    pub fn database(&self) -> ScratchDatabase {
        ScratchDatabase::at(format!(
            "postgres://oncepay@127.0.0.1:{}/postgres",
            self.port
        ))
    }

    /// As by a power cut: every connection breaks, and the next start recovers.
    pub fn stop(&self) {
        self.run("pg_ctl", &["--mode=immediate", "--wait", "stop"]);
    }

    /// `kill -9` of one process of the server, as the kernel does when memory runs out: the server ends all the others
    /// and recovers by itself.
    pub fn kill_backend(&self, pid: i64) {
        let status = Command::new("kill").args(["-9", &pid.to_string()]).status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "{pid} is killed"
        );
    }

    /// Returns when it takes connections.
    pub fn start_again(&self) {
        let folder = self.folder.path().display();
        let options = format!(
            "--options=-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} \
             -c max_connections=200",
            self.port
        );
        let log = format!("--log={folder}/log");
        self.run("pg_ctl", &[&log, "--wait", &options, "start"]);
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        assert!(self.runs(program, arguments), "{program} {arguments:?}");
    }

    /// The server refuses to run as root.
    fn runs(&self, program: &str, arguments: &[&str]) -> bool {
        let path = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        let status = command
            .current_dir(self.folder.path())
            .arg(format!("--pgdata={}/data", self.folder.path().display()))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.folder.path().join("data/postmaster.pid").exists() {
            self.runs("pg_ctl", &["--mode=immediate", "stop"]);
        }
    }
}

/// Where the newest server's programs are: distributions keep them off the path.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|version| Some(version.ok()?.path().join("bin")));
    folders
        .filter(|folder| folder.join("initdb").exists())
        .max()
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(Path::new("/proc/self")).is_ok_and(|of_ours| of_ours.uid() == 0)
}
