//! A run is scored as it learns on positions with exact answers, and learns none of them.

mod common;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use common::{succeed, train};
use doublecross::board::Edges;
use doublecross::eval::Suite;
use doublecross::train::Shard;
use serde_json::Value;

const SETTINGS: [&str; 3] = ["suite.every=3", "suite.positions=6", "finish.games=0"];

fn progress(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("progress.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The canonical forms of all positions in a run's shards.
fn learnt(run: &Path) -> HashSet<Edges> {
    let paths = fs::read_dir(run.join("shards")).unwrap().map(|entry| entry.unwrap().path());
    let shards = paths.map(|path| Shard::read(&path).unwrap());
    shards.flat_map(|shard| shard.rows.into_iter().map(move |row| shard.board.canonical(row.drawn).0)).collect()
}

#[test]
fn scores_are_those_of_eval() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let output = train(folder, "run", &SETTINGS).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert_eq!(told.matches("on the suite: policy optimal").count(), 3);
    let records = progress(&folder.join("run"));
    let scored: Vec<bool> = records.iter().map(|record| record.get("suite_policy_optimal").is_some()).collect();
    assert_eq!(scored, [true, false, true, true]);
    let arguments = ["eval", "run", "--suite", "run/suite.tsv", "--no-solver", "--sims", "100", "--json"];
    let report: Value = serde_json::from_str(&succeed(folder, &arguments)).unwrap();
    let (all, last) = (report["bands"].as_array().unwrap().last().unwrap(), &records[3]);
    assert_eq!(all["positions"], 6);
    assert_eq!(all["policy_optimal"]["share"], last["suite_policy_optimal"]);
    assert_eq!(all["search_optimal"]["share"], last["suite_search_optimal"]);
    assert_eq!(all["margin_error"], last["suite_margin_error"]);
    assert_eq!(all["sign_agreement"]["share"], last["suite_sign_agreement"]);
}

#[test]
fn no_position_of_the_suite_is_learnt() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let rows_of = |run: &str, settings: &[&str]| {
        let output = train(folder, run, &[&SETTINGS[..], settings].concat()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    rows_of("scored", &[]);
    rows_of("unscored", &["suite.positions=0"]);
    assert!(!folder.join("unscored/suite.tsv").exists());
    let suite = Suite::read(&folder.join("scored/suite.tsv")).unwrap();
    let held_out: HashSet<Edges> = suite.positions.iter().map(|p| suite.board.canonical(p.drawn).0).collect();
    assert_eq!(held_out.len(), 6);
    assert!(learnt(&folder.join("scored")).is_disjoint(&held_out));
    // Games come by them.
    let unscored = learnt(&folder.join("unscored"));
    assert!(!unscored.is_disjoint(&held_out));
    // Nor are they learnt from the rows of another run.
    let window = |run: &str, settings: &[&str]| {
        let settings = [&SETTINGS[..], &["generations=1", "selfplay.games=1"], settings].concat();
        let output = train(folder, run, &settings).args(["--rows", "unscored"]).output().unwrap();
        assert!(output.status.success());
        progress(&folder.join(run))[0]["window_rows"].as_u64().unwrap()
    };
    let (with, without) = (window("with", &[]), window("without", &["suite.positions=0"]));
    assert!(with < without, "{with} {without}");
}

#[test]
fn when_a_run_is_scored_may_change_and_what_on_may_not() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let resumed = |setting: &str| train(folder, "run", &[&SETTINGS[..], &[setting]].concat()).output().unwrap();
    assert!(resumed("generations=1").status.success());
    let suite = fs::read(folder.join("run/suite.tsv")).unwrap();
    let output = resumed("suite.least_undrawn=4");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("suite.least_undrawn"));
    assert_eq!(fs::read(folder.join("run/suite.tsv")).unwrap(), suite);
    assert!(resumed("suite.every=2").status.success());
    let scored =
        progress(&folder.join("run")).iter().filter(|record| record.get("suite_sign_agreement").is_some()).count();
    // After the first generation, the second and the fourth.
    assert_eq!(scored, 3);
    // Another seed, the same positions.
    assert!(train(folder, "other", &[&SETTINGS[..], &["seed=9"]].concat()).output().unwrap().status.success());
    assert_eq!(fs::read(folder.join("other/suite.tsv")).unwrap(), suite);
}
