//! A run keeps the instruction set that it started on.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::{progress, succeed, train};

const ISA: &str = "DOUBLECROSS_ISA";

/// An instruction set that this processor lacks.
const MISSING: &str = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };

/// Trains a few games of so many generations with overrides, where the environment names an instruction set or none.
fn run(folder: &Path, generations: u64, overrides: &[&str], isa: Option<&str>) -> Output {
    let generations = format!("generations={generations}");
    let settings = [&[generations.as_str(), "selfplay.games=4", "finish.games=0"], overrides].concat();
    let mut command = train(folder, "run", &settings);
    match isa {
        Some(isa) => command.env(ISA, isa),
        None => command.env_remove(ISA),
    };
    command.output().unwrap()
}

/// Trains, and returns the line of the run's config with its instruction set.
fn kept(folder: &Path, generations: u64, overrides: &[&str], isa: Option<&str>) -> String {
    let output = run(folder, generations, overrides, isa);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(progress(&folder.join("run")).len() as u64, generations);
    let text = fs::read_to_string(folder.join("run/config.toml")).unwrap();
    text.lines().find(|line| line.starts_with("isa")).expect("a run names its set").to_string()
}

/// Trains, which has to be refused with a message that names all of these.
fn refused(folder: &Path, overrides: &[&str], isa: Option<&str>, named: &[&str]) {
    let before = progress(&folder.join("run"));
    let output = run(folder, 3, overrides, isa);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(progress(&folder.join("run")), before);
    assert!(named.iter().all(|name| error.contains(name)), "{named:?}: {error}");
}

/// The instruction sets that the program says this processor has, the fastest last.
fn available(folder: &Path) -> Vec<String> {
    let version = succeed(folder, &["--version"]);
    let (_, sets) = version.split_once("(of ").expect("the version lists them");
    sets.trim_end().trim_end_matches(')').split(", ").map(String::from).collect()
}

#[test]
fn a_run_goes_on_with_its_own_set_and_no_other() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert_eq!(kept(folder, 1, &[], Some("portable")), "isa = \"portable\"");
    refused(folder, &[&format!("isa={MISSING}")], None, &["isa", "portable", MISSING]);
    if let Some(other) = available(folder).into_iter().find(|isa| isa != "portable") {
        refused(folder, &[], Some(&other), &["portable", &other, ISA]);
    }
    // Neither "auto" nor its own name is another one.
    assert_eq!(kept(folder, 2, &[], None), "isa = \"portable\"");
    assert_eq!(kept(folder, 3, &["isa=portable"], Some("portable")), "isa = \"portable\"");
}

#[test]
fn the_fastest_is_taken_unless_told() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let fastest = available(folder).pop().unwrap();
    assert_eq!(kept(folder, 1, &[], None), format!("isa = \"{fastest}\""));
    let other = tempfile::tempdir().unwrap();
    assert_eq!(kept(other.path(), 1, &["isa=portable"], None), "isa = \"portable\"");
    // A new run on a set that is not here.
    let new = tempfile::tempdir().unwrap();
    refused(new.path(), &[&format!("isa={MISSING}")], None, &[MISSING, &fastest]);
    assert!(!new.path().join("run").exists());
}

#[test]
fn a_run_of_another_machine_or_of_an_earlier_version() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert_eq!(kept(folder, 1, &[], Some("portable")), "isa = \"portable\"");
    // Killed before its first checkpoint, a run goes by the config in its folder.
    let without_checkpoint = |isa: &str| {
        fs::remove_dir_all(folder.join("run/checkpoints")).unwrap();
        fs::remove_file(folder.join("run/progress.jsonl")).unwrap();
        let path = folder.join("run/config.toml");
        let text = fs::read_to_string(&path).unwrap();
        let rest: Vec<&str> = text.lines().filter(|line| !line.starts_with("isa")).collect();
        fs::write(&path, format!("{isa}\n{}\n", rest.join("\n"))).unwrap();
    };
    without_checkpoint(&format!("isa = \"{MISSING}\""));
    refused(folder, &[], None, &[MISSING, "portable", "--from"]);
    fs::create_dir(folder.join("run/checkpoints")).unwrap();
    fs::write(folder.join("run/progress.jsonl"), "").unwrap();
    // Without the key: it takes one and keeps it.
    without_checkpoint("");
    let fastest = available(folder).pop().unwrap();
    assert_eq!(kept(folder, 1, &[], None), format!("isa = \"{fastest}\""));
    assert_eq!(kept(folder, 2, &[], None), format!("isa = \"{fastest}\""));
}
