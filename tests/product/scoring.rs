//! Scores of a training run on a suite of positions that it does not learn from.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::common::{json, progress, repository, succeed, train};
use doublecross::arena::suite::Suite;
use doublecross::board::State;
use doublecross::selfplay::Shard;
use serde_json::Value;

const SETTINGS: [&str; 3] = ["suite.every=3", "suite.positions=6", "finish.games=0"];

/// The canonical forms of all positions in a run's shards.
fn learned(run: &Path) -> HashSet<State> {
    let paths = fs::read_dir(run.join("shards")).unwrap().map(|entry| entry.unwrap().path());
    let shards = paths.map(|path| Shard::read(&path).unwrap());
    shards.flat_map(|shard| shard.samples.into_iter().map(|sample| sample.state.canonical().0)).collect()
}

#[test]
fn scores_are_those_of_eval() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let output = train(folder, "run", &SETTINGS).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert_eq!(told.matches("\n  suite: policy ").count(), 3);
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
    // The run's suite is found from wherever its checkpoint is named.
    let within = folder.join("run/checkpoints");
    for (folder, checkpoint) in [(folder, "run"), (folder, "run/checkpoints/gen-000004"), (&within, "gen-000004")] {
        let report: Value = serde_json::from_str(&succeed(folder, &["eval", checkpoint, "--json"])).unwrap();
        assert_eq!(report["bands"].as_array().unwrap().last(), Some(all), "{checkpoint}");
    }
}

#[test]
fn no_position_of_the_suite_is_learned() {
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
    let held_out: HashSet<State> = suite.positions.iter().map(|p| p.state.canonical().0).collect();
    assert_eq!(held_out.len(), 6);
    assert!(learned(&folder.join("scored")).is_disjoint(&held_out));
    // Without a suite, games come to some of its positions.
    let unscored = learned(&folder.join("unscored"));
    assert!(!unscored.is_disjoint(&held_out));
    // The samples of another run are learned without these positions.
    let rows = |run: &str| -> Vec<State> {
        let shards = (1..=4).map(|n| Shard::read(&folder.join(run).join(format!("shards/gen-{n:06}.shard"))).unwrap());
        shards.flat_map(|shard| shard.samples.into_iter().map(|sample| sample.state.canonical().0)).collect()
    };
    let theirs = rows("unscored");
    let held_back = theirs.iter().filter(|canonical| held_out.contains(canonical)).count();
    assert!(held_back > 0);
    for (run, settings, taken) in
        [("with", [].as_slice(), theirs.len() - held_back), ("without", &["suite.positions=0"], theirs.len())]
    {
        let settings = [&SETTINGS[..], &["generations=1", "learn.window_samples=100000"], settings].concat();
        let output = train(folder, run, &settings).args(["--samples", "unscored"]).output().unwrap();
        assert!(output.status.success());
        let record = &progress(&folder.join(run))[0];
        assert_eq!(
            record["window_samples"].as_u64().unwrap() - record["samples"].as_u64().unwrap(),
            taken as u64,
            "{run}"
        );
    }
}

#[test]
fn a_run_that_is_out_of_time_is_scored_at_its_end() {
    let scratch = tempfile::tempdir().unwrap();
    let settings = ["generations=100000", "resources.minutes=0.01", "suite.every=100000", "finish.games=0"];
    let ended = || {
        let output = train(scratch.path(), "run", &settings).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && told.contains("its 0.01 minutes are used up"), "{told}");
        progress(&scratch.path().join("run"))
    };
    let records = ended();
    // The same command says why nothing happens.
    assert_eq!(ended().len(), records.len());
    let scored = records.iter().filter(|record| record.get("suite_policy_optimal").is_some()).count();
    assert!(records.len() > 2 && scored == 2, "{scored} of {}", records.len());
    assert!(records.last().unwrap().get("suite_policy_optimal").is_some());
}

#[test]
fn suites_that_cannot_be_made_are_reported() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let told = |run: &str, settings: &[&str]| {
        let output = train(folder, run, &[&["generations=1", "finish.games=0"], settings].concat()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, errors) =
        told("none", &["board=3x3", "suite.least_undrawn=20", "suite.most_undrawn=22", "suite.nodes=1"]);
    assert_eq!(status, Some(0), "{errors}");
    assert!(!folder.join("none/suite.tsv").exists());
    // The suite holds every position of the games.
    let all = ["board=1x1", "suite.positions=100", "suite.least_undrawn=0", "suite.most_undrawn=3", "selfplay.games=2"];
    let (status, errors) = told("all", &all);
    assert_eq!(status, Some(1), "{errors}");
    // The suite of a failed attempt with other settings is removed.
    std::fs::write(folder.join("all/suite.tsv"), "").unwrap();
    assert_eq!(told("all", &["board=1x1", "suite.positions=0"]).0, Some(0));
    assert!(!folder.join("all/suite.tsv").exists());
}

#[test]
fn the_interval_of_scores_may_change_but_not_the_suite() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let resumed = |setting: &str| train(folder, "run", &[&SETTINGS[..], &[setting]].concat()).output().unwrap();
    assert!(resumed("generations=1").status.success());
    let suite = fs::read(folder.join("run/suite.tsv")).unwrap();
    for (setting, told) in [
        ("suite.least_undrawn=4", "suite.least_undrawn is 6 there, and 4 was asked for"),
        ("suite.positions=0", "suite.positions is 6 there, and 0 was asked for"),
    ] {
        let output = resumed(setting);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(told), "{setting}");
    }
    assert_eq!(fs::read(folder.join("run/suite.tsv")).unwrap(), suite);
    assert!(resumed("suite.every=2").status.success());
    let scored =
        progress(&folder.join("run")).iter().filter(|record| record.get("suite_sign_agreement").is_some()).count();
    // Scored after generations 1, 2 and 4.
    assert_eq!(scored, 3);
    // Another seed has the same positions.
    assert!(train(folder, "other", &[&SETTINGS[..], &["seed=9"]].concat()).output().unwrap().status.success());
    assert_eq!(fs::read(folder.join("other/suite.tsv")).unwrap(), suite);
}

/// `eval` without further arguments scores on the suite of the run, as training does.
#[test]
fn training_and_eval_print_the_same_figures() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert!(
        train(path, "run", &["generations=2", "suite.simulations=30", "finish.games=0"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let record = progress(&path.join("run")).pop().unwrap();
    for checkpoint in ["run", "run/checkpoints/gen-000002", "run/checkpoints/gen-000002/ema.dxw"] {
        let scores = json(&succeed(path, &["eval", checkpoint, "--json"]));
        assert_eq!((&scores["simulations"], &scores["solver"]), (&Value::from(30), &Value::from(false)));
        let all = scores["bands"].as_array().unwrap().last().unwrap();
        assert_eq!(all["policy_optimal"]["share"], record["suite_policy_optimal"]);
        assert_eq!(all["search_optimal"]["share"], record["suite_search_optimal"]);
        assert_eq!(all["margin_error"], record["suite_margin_error"]);
    }
    // Weights elsewhere are scored on the default suite of their board, which any board has.
    std::fs::copy(path.join("run/checkpoints/gen-000002/ema.dxw"), path.join("weights.dxw")).unwrap();
    let scores = json(&succeed(path, &["eval", "weights.dxw", "--json"]));
    assert_eq!(scores["bands"][0]["suite"], "2x2-default");
    let scores =
        json(&succeed(path, &["eval", repository("checkpoints/3x3").to_str().unwrap(), "--sims", "2", "--json"]));
    assert_eq!(scores["bands"].as_array().unwrap().last().unwrap()["suite"], "3x3-default");
    assert_eq!((&scores["simulations"], &scores["solver"]), (&Value::from(2), &Value::from(false)));
}
