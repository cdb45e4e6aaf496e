//! Passes the commit of the source to the program, for `doublecross --version`, and lists the files of
//! the page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The modules of the package for JavaScript that the page is built on.
const PACKAGE: [&str; 5] = ["bot.js", "geometry.js", "rules.js", "svg.js", "worker.js"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    list_page();
    if let Some(commit) = packaged_commit().or_else(commit) {
        println!("cargo::rustc-env=DOUBLECROSS_COMMIT={commit}");
    }
}

/// Writes the list of the page's files, each with its name and its bytes. The compiler joins the paths
/// to this folder, so that a checkout can be moved.
fn list_page() {
    println!("cargo::rerun-if-changed=site");
    let mut files: Vec<(String, String)> = Vec::new();
    let mut folders = vec![PathBuf::from("site")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder site should be readable") {
            let path = entry.expect("the folder site should be readable").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // On the page and in the compiler's paths, folders are divided by "/".
            let parts: Vec<&str> = path.iter().map(|part| part.to_str().expect("a name")).collect();
            files.push((parts[1..].join("/"), format!("/{}", parts.join("/"))));
        }
    }
    files.extend(PACKAGE.map(|name| (format!("doublecross/{name}"), format!("/packages/javascript/{name}"))));
    files.sort();
    let line = |(name, path): &(String, String)| {
        format!("    ({name:?}, include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?})) as &[u8]),\n")
    };
    let lines: String = files.iter().map(line).collect();
    let list = Path::new(&std::env::var("OUT_DIR").expect("set by cargo")).join("page.rs");
    fs::write(list, format!("&[\n{lines}]\n")).expect("the folder of build outputs should be writable");
}

/// Returns the commit that `cargo package` has noted, or `None` if this is no package.
fn packaged_commit() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let commit = text.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
    is_commit(commit).then(|| commit[..12].into())
}

/// Returns the commit of this repository's HEAD, or `None` if there is no git or no repository. A
/// repository around this folder is another one.
fn commit() -> Option<String> {
    if !fs::exists(".git").ok()? {
        return None;
    }
    let commit = git(&["rev-parse", "HEAD"])?;
    // HEAD changes with the branch, and the branch's file, or the packed ones, with each commit.
    let branch = git(&["symbolic-ref", "-q", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        if let Some(path) = git(&["rev-parse", "--git-path", name]).filter(|path| fs::exists(path).unwrap_or(false)) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    is_commit(&commit).then(|| commit[..12].into())
}

fn is_commit(text: &str) -> bool {
    text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The output of a git command that succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().into())
}
