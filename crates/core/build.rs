//! Lists the sources of this crate, from which `doublecross export` makes a bot in one file.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let mut files = Vec::new();
    list(Path::new("src"), &mut files)?;
    files.sort();
    // The compiler joins the paths to the crate's folder, so that a checkout can be moved.
    let mut text = String::from("&[\n");
    for path in files {
        let path = path.to_str().expect("names of sources are text").replace('\\', "/");
        let name = &path["src/".len()..];
        let at = format!("/{path}");
        text += &format!("    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {at:?}))),\n");
    }
    text += "]\n";
    fs::write(Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("sources.rs"), text)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
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
