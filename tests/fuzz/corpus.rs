//! The inputs that are kept: what makes a target take each of its ways, and what has once broken it.

use std::fs;
use std::path::{Path, PathBuf};

/// A kept input and its name.
pub(crate) type Seed = (String, Vec<u8>);

/// Everything that is kept for this target, in the order of names.
pub(crate) fn corpus(name: &str) -> Vec<Seed> {
    let files = fs::read_dir(folder().join(name)).into_iter().flatten();
    let mut seeds: Vec<Seed> = files
        .map(|file| {
            let file = file.unwrap().path();
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(file).unwrap())
        })
        .collect();
    seeds.sort();
    seeds
}

/// The names of all corpora.
pub(crate) fn names() -> Vec<String> {
    let folders = fs::read_dir(folder()).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    folders.map(|entry| name(entry.unwrap())).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus")
}
