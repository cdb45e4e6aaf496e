//! Variants of a config, trained and compared.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use doublecross::arena::suite::Suite;
use doublecross::board::State;
use doublecross::selfplay::Shard;

use crate::common::{json, program, repository, run, succeed, wait_until};
use serde_json::Value;

/// A small comparison of two variants with the smoke config.
fn tune(folder: &Path, more: &[&str]) -> Command {
    let mut command = program(folder);
    command.arg("tune").arg(repository("configs/smoke.toml"));
    command.args(["--folder", "t", "--try", "wide: network.channels=48", "--try", "slow: learn.learning_rate=1e-9"]);
    command.args(["--positions", "30", "--sims", "8", "--set", "resources.threads=1", "--set", "generations=4"]);
    if !more.contains(&"--games") {
        command.args(["--games", "96"]);
    }
    command.args(more);
    command
}

fn output(folder: &Path, more: &[&str]) -> (String, String) {
    let output = tune(folder, more).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    (String::from_utf8(output.stdout).unwrap(), errors)
}

#[test]
fn variants_are_compared_and_the_work_goes_on_after_kills() {
    let scratch = tempfile::tempdir().unwrap();
    let (folder, at) = (scratch.path(), scratch.path().join("t"));
    let mut child = tune(folder, &[]).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let lines = |path: &str| fs::read_to_string(at.join(path)).unwrap_or_default().lines().count();
    wait_until("a generation has ended", || lines("wide/seed-1/progress.jsonl") >= 1);
    child.kill().unwrap();
    child.wait().unwrap();
    // What is there stays: its run goes on.
    let begun = fs::read_to_string(at.join("wide/seed-1/progress.jsonl")).unwrap();
    let first = begun.lines().next().unwrap().to_owned();
    let (table, _) = output(folder, &["--seeds", "2"]);
    assert!(fs::read_to_string(at.join("wide/seed-1/progress.jsonl")).unwrap().starts_with(&first));
    for variant in ["base", "wide", "slow"] {
        let columns = |second: &str| {
            let mut rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            rows.find(|row| row.starts_with(&[variant, second])).unwrap_or_else(|| panic!("{second}: {table}"))
        };
        for seed in ["1", "2"] {
            let run = lines(&format!("{variant}/seed-{seed}/progress.jsonl"));
            assert_eq!((run, columns(seed)[2]), (4, "4"), "{variant}");
        }
        assert!(columns("mean").len() > 4);
    }
    for variant in ["wide", "slow"] {
        assert!(table.contains(&format!("\n{variant} - base: search ")), "{table}");
        assert!(table.contains(&format!("\n{variant} - base: 96 games, ")), "{table}");
    }
    assert!(lines("suite.tsv") <= 30 && lines("suite.tsv") > 3);
    let suite = Suite::read(&at.join("suite.tsv")).unwrap();
    let scored: HashSet<State> = suite.positions.iter().map(|position| position.state.canonical().0).collect();
    let check_shards = |run: &str| {
        for shard in fs::read_dir(at.join(run).join("shards")).unwrap().flatten() {
            let Ok(shard) = Shard::read(&shard.path()) else { continue };
            assert!(!shard.samples.is_empty());
            assert!(shard.samples.iter().all(|sample| !scored.contains(&sample.state.canonical().0)));
        }
    };
    check_shards("base/seed-1");
    succeed(folder, &["verify", "t/base/seed-1", "--games", "100000"]);

    // The same again trains and plays nothing, and says the same.
    let log = fs::read(at.join("wide/games.jsonl")).unwrap();
    let (again, _) = output(folder, &["--seeds", "2"]);
    assert_eq!(again, table);
    assert_eq!(fs::read(at.join("wide/games.jsonl")).unwrap(), log);
    // A log that was cut anywhere gives the same games again.
    for length in [0, 10, log.len() / 2, log.len() - 5] {
        fs::write(at.join("wide/games.jsonl"), &log[..length]).unwrap();
        assert_eq!(output(folder, &["--seeds", "2"]).0, table, "{length}");
    }
    let object = json(&output(folder, &["--seeds", "2", "--json"]).0);
    let variants = object["variants"].as_array().unwrap();
    assert_eq!(variants.len(), 3);
    assert_eq!(variants[0]["against_base"], Value::Null);
    for variant in variants {
        assert_eq!(variant["trials"].as_array().unwrap().len(), 2);
        assert!((0.0..=1.0).contains(&variant["search_optimal"].as_f64().unwrap()), "{variant}");
        assert!(variant["trials"][0]["processor_minutes"].as_f64().unwrap() > 0.0);
        assert!(variant["cost"].as_f64().unwrap() > 0.0);
    }
    let difference = ["low", "share", "high"].map(|end| variants[1]["search_difference"][end].as_f64().unwrap());
    assert!(difference.is_sorted(), "{difference:?}");
    assert_eq!(variants[0]["search_difference"], Value::Null);
    let games = &variants[1]["against_base"];
    let count = |key: &str| games[key].as_u64().unwrap();
    assert_eq!(count("won") + count("lost") + count("tied"), count("games"));
    assert_eq!(count("games"), 96);

    // A trial that goes on by itself does not learn from the suite either.
    succeed(folder, &["train", "t/slow/seed-1", "--set", "generations=20", "--set", "finish.games=0"]);
    check_shards("slow/seed-1");
    fs::remove_dir_all(at.join("slow")).unwrap();

    // A further variant is added to what is there.
    let base = fs::read(at.join("base/seed-1/progress.jsonl")).unwrap();
    let (table, _) = output(folder, &["--seeds", "1", "--try", "other: learn.batch=32", "--games", "0"]);
    assert!(table.lines().any(|line| line.starts_with("other ")) && !table.contains(" games, "), "{table}");
    assert_eq!(fs::read(at.join("base/seed-1/progress.jsonl")).unwrap(), base);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let smoke = repository("configs/smoke.toml").display().to_string();
    let refused = |arguments: &[&str]| {
        let output = run(folder, &[&["tune", &smoke], arguments].concat());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
    };
    refused(&[]);
    refused(&["--try", "learn.batch=64"]);
    refused(&["--try", "x: learn.batchsize=64"]);
    refused(&["--try", "base: learn.batch=64"]);
    refused(&["--try", "x: learn.batch=64", "--try", "x: learn.batch=32"]);
    refused(&["--try", "x: board=3x3"]);
    refused(&["--try", "x: resources.threads=2"]);
    refused(&["--try", "x: seed=2"]);
    refused(&["--try", "x: resources.minutes=2"]);
    refused(&["--try", "x: suite.positions=2"]);
    refused(&["--try", "lock: learn.batch=64"]);
    fs::create_dir(folder.join("other")).unwrap();
    fs::write(folder.join("other/notes.txt"), "mine").unwrap();
    refused(&["--try", "x: learn.batch=64", "--folder", "other"]);
    assert_eq!(fs::read_dir(folder.join("other")).unwrap().count(), 1);
    refused(&["--try", "x: learn.batch=64", "--seeds", "0"]);
    assert!(!folder.join("tune").exists(), "nothing was begun");

    let set = ["--set", "resources.threads=1", "--set", "generations=1"];
    let small = [&["--seeds", "1", "--positions", "5", "--games", "0"], &set[..]].concat();
    succeed(folder, &[&["tune", &smoke, "--try", "x: learn.batch=64"][..], &small].concat());
    let at = folder.join("tune/smoke");
    let others = [&["--seeds", "1", "--positions", "6", "--games", "0"], &set[..]].concat();
    refused(&[&["--try", "x: learn.batch=64"][..], &others].concat());
    // Other runs than those that are there.
    refused(&[&["--try", "x: learn.batch=64"][..], &small, &["--set", "generations=2"]].concat());
    // A variant's name stands for its settings.
    refused(&[&["--try", "x: learn.batch=32"][..], &small].concat());
    for file in ["tune.json", "suite.tsv"] {
        let whole = fs::read(at.join(file)).unwrap();
        fs::write(at.join(file), "?").unwrap();
        let output = run(folder, &[&["tune", &smoke, "--try", "x: learn.batch=64"][..], &small].concat());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{file}: {errors}");
        fs::write(at.join(file), whole).unwrap();
    }
    let whole = fs::read(at.join("suite.tsv")).unwrap();
    fs::copy(repository("tests/data/suites/3x3.tsv"), at.join("suite.tsv")).unwrap();
    let output = run(folder, &[&["tune", &smoke, "--try", "x: learn.batch=64"][..], &small].concat());
    assert_eq!(output.status.code(), Some(3), "a suite of another board");
    fs::write(at.join("suite.tsv"), whole).unwrap();
    // A smaller suite has scores of its own.
    let fewer = [&["--seeds", "1", "--positions", "3", "--games", "0"], &set[..]].concat();
    fs::rename(at.join("suite.tsv"), at.join("kept")).unwrap();
    let report = succeed(folder, &[&["tune", &smoke, "--try", "x: learn.batch=64", "--json"][..], &fewer].concat());
    assert_eq!(json(&report)["variants"][1]["trials"][0]["score"]["positions"], 3);
    fs::rename(at.join("kept"), at.join("suite.tsv")).unwrap();
    fs::remove_file(at.join("tune.json")).unwrap();
    // Without the settings it may be the suite of other runs.
    refused(&[&["--try", "x: learn.batch=64"][..], &small].concat());
    fs::remove_file(at.join("suite.tsv")).unwrap();
    fs::write(at.join("tune.json"), "").unwrap();
    succeed(folder, &[&["tune", &smoke, "--try", "x: learn.batch=64"][..], &small].concat());
    // A run that did not hold the suite out is not scored on it.
    fs::remove_file(at.join("x/seed-1/held-out.txt")).unwrap();
    refused(&[&["--try", "x: learn.batch=64"][..], &small].concat());
}
