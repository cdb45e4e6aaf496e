//! Lists the sources of this crate, from which `doublecross export` makes a bot in one file.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("src");
    let mut files = Vec::new();
    list(&root, &mut files)?;
    files.sort();
    let mut text = String::from("&[\n");
    for path in files {
        let path = path.to_str().expect("names of sources are text");
        let name = path[root.to_str().map_or(0, str::len) + 1..].replace('\\', "/");
        text += &format!("    ({name:?}, include_str!({path:?})),\n");
    }
    text += "]\n";
    fs::write(Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("sources.rs"), text)
}

fn list(folder: &Path, files: &mut Vec<std::path::PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
