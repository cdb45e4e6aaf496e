//! Passes the commit of the source to the program, for `doublecross --version`.

use std::fs;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Some(commit) = packaged_commit().or_else(commit) {
        println!("cargo::rustc-env=DOUBLECROSS_COMMIT={commit}");
    }
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
