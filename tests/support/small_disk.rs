//! A filesystem of some megabytes that a test fills up and frees again.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A filesystem in memory, mounted over a folder until it is dropped.
pub struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts it over `folder`, whose files are on it then. `None` where this process may not mount.
    pub fn over(folder: &Path, megabytes: u32) -> Option<Self> {
        let files: Vec<_> = std::fs::read_dir(folder)
            .expect("the folder is read")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.is_file())
            .map(|path| (path.clone(), std::fs::read(path).expect("a file is read")))
            .collect();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "tmpfs"])
            .arg(folder)
            .stderr(Stdio::null())
            .status();
        if !mounted.is_ok_and(|status| status.success()) {
            return None;
        }
        for (path, content) in files {
            std::fs::write(path, content).expect("a file is written");
        }
        Some(Self {
            folder: folder.to_owned(),
        })
    }

    /// Leaves no byte free.
    pub fn fill(&self) {
        let mut ballast = File::create(self.ballast()).expect("a file");
        for piece in [1 << 20, 4096, 1] {
            let zeros = vec![0; piece];
            while ballast.write_all(&zeros).is_ok() {}
        }
    }

    /// From now on nothing on it may be changed, or it may again. Files that are open for writing keep it from that.
    pub fn read_only(&self, is_read_only: bool) {
        let mode = if is_read_only {
            "remount,ro"
        } else {
            "remount,rw"
        };
        let remounted = Command::new("mount")
            .args(["-o", mode])
            .arg(&self.folder)
            .status();
        assert!(remounted.is_ok_and(|status| status.success()), "{mode}");
    }

    pub fn free(&self) {
        std::fs::remove_file(self.ballast()).expect("the ballast goes");
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a server that still runs keeps it until its end.
        drop(Command::new("umount").arg("-l").arg(&self.folder).status());
    }
}
