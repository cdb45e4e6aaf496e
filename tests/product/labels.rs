//! Data sets of labels, learning from them, and networks that other tools trained.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use doublecross::board::Board;
use doublecross::selfplay::{DataSet, Shard};

use crate::common::{Running, json, program, progress, repository, run, succeed, wait_until};
use serde_json::Value;

/// A small network on a small board.
const SETTINGS: [&str; 6] = [
    "labeled.positions=40",
    "network.channels=16",
    "network.blocks=1",
    "learn.batch=32",
    "suite.positions=10",
    "finish.games=0",
];

fn with_settings<'a>(arguments: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let settings = SETTINGS.iter().chain(more).flat_map(|setting| ["--set", setting]);
    arguments.iter().copied().chain(settings).collect()
}

/// Runs the program, checks its exit status and returns what it says.
fn fail(folder: &Path, arguments: &[&str], status: i32) -> String {
    let output = run(folder, arguments);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {told}");
    told
}

fn contents(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("dataset.json")).unwrap()).unwrap()
}

#[test]
fn labels_are_made_once_and_learned_from() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let label = |shards: &'static str| with_settings(&["label", "2x3", "--to", "labels", "--shards", shards], &[]);
    succeed(folder, &label("2"));
    let first = contents(&folder.join("labels"));
    let kept = fs::read(folder.join("labels/labels-000001.shard")).unwrap();
    succeed(folder, &label("3"));
    let all = contents(&folder.join("labels"));
    assert_eq!((all["shards"].as_array().unwrap().len(), &all["shards"][1]), (3, &first["shards"][1]));
    assert_eq!(fs::read(folder.join("labels/labels-000001.shard")).unwrap(), kept);
    assert_eq!((all["license"].as_str(), all["board"].as_str()), (Some("CC0-1.0"), Some("2x3")));
    let counts: u64 = all["shards"].as_array().unwrap().iter().map(|shard| shard["samples"].as_u64().unwrap()).sum();
    assert_eq!(all["samples"].as_u64(), Some(counts));
    let told = fail(folder, &with_settings(&["label", "2x3", "--to", "labels"], &["seed=2"]), 2);
    assert!(told.contains("labels holds labels with seed = 1, and 2 was asked for"), "{told}");
    // What is damaged or missing is made again.
    let shards =
        |folder: &Path| [1, 2, 3].map(|number| fs::read(folder.join(format!("labels-{number:06}.shard"))).ok());
    let whole = shards(&folder.join("labels"));
    fs::write(folder.join("labels/labels-000001.shard"), "damage").unwrap();
    fs::remove_file(folder.join("labels/labels-000003.shard")).unwrap();
    succeed(folder, &label("3"));
    assert_eq!(shards(&folder.join("labels")), whole);
    // What is no data set is left as it is.
    fs::create_dir(folder.join("other")).unwrap();
    fs::write(folder.join("other/labels-000001.shard"), "mine").unwrap();
    let told = fail(folder, &with_settings(&["label", "2x3", "--to", "other"], &[]), 2);
    assert!(told.contains("neither empty nor a data set"), "{told}");
    assert_eq!(fs::read(folder.join("other/labels-000001.shard")).unwrap(), b"mine");
    assert_eq!(fs::read_dir(folder.join("other")).unwrap().count(), 1);
    let told = fail(folder, &["label", "any", "--to", "several"], 2);
    assert!(told.contains("labels are of one board"), "{told}");

    // More generations than shards: they come again.
    let learn = with_settings(&["learn", "2x3", "--data", "labels"], &["generations=4"]);
    succeed(folder, &learn);
    let run = folder.join("runs/learn-2x3");
    let records = progress(&run);
    assert!(records.len() == 4 && records.iter().all(|record| record["games"] == 0 && record["played_samples"] == 0));
    let samples = |number: usize| records[number]["samples"].as_u64().unwrap();
    assert_eq!(samples(3) - samples(2), samples(0));
    // Resumed from elsewhere, and when the labels are gone.
    succeed(scratch.path().join("runs").as_path(), &["train", "learn-2x3", "--set", "generations=5"]);
    fs::rename(folder.join("labels"), folder.join("elsewhere")).unwrap();
    let told = fail(folder, &["train", "runs/learn-2x3", "--set", "generations=6"], 2);
    assert!(told.contains("labels is no data set"), "{told}");
    let moved = ["train", "runs/learn-2x3", "--set", "generations=6", "--set", "labeled.data=elsewhere"];
    succeed(folder, &moved);
    assert_eq!(progress(&run).len(), 6);
    // Other labels are refused.
    succeed(folder, &with_settings(&["label", "2x3", "--to", "others", "--shards", "1"], &["seed=9"]));
    let others = ["train", "runs/learn-2x3", "--set", "generations=7", "--set", "labeled.data=others"];
    let told = fail(folder, &others, 2);
    assert!(
        told.contains("others has labels with seed = 9, and the run has learned from labels with seed = 1"),
        "{told}"
    );

    let told = fail(folder, &with_settings(&["train", "runs/learn-2x3"], &["labeled.data=none"]), 2);
    assert!(told.contains("labeled.data"), "{told}");
    for set in ["labeled.data=none", "selfplay.games=3", "selfplay={games=3}"] {
        let told = fail(folder, &["learn", "2x3", "--data", "elsewhere", "--set", set], 2);
        assert!(told.contains("from the labels of --data alone"), "{told}");
    }
    let nothing = ["labeled.nodes=0", "labeled.least_undrawn=20", "labeled.most_undrawn=20", "selfplay.games=0"];
    let told = fail(folder, &with_settings(&["train", "3x3", "--run", "nothing"], &nothing), 1);
    assert!(told.contains("the solver settled none"), "{told}");

    // The learner's limit counts the labels of a data set, which take no time.
    let bench = ["bench", "selfplay", "train", "--config", "2x3", "--games", "2", "--rounds", "1", "--json"];
    let limit = |settings: &[&str]| json(&succeed(folder, &with_settings(&bench, settings)))["learner_limit"].clone();
    let [alone, beside] = [limit(&["labeled.positions=0"]), limit(&["labeled.data=elsewhere"])];
    let samples = |limit: &serde_json::Value| limit["samples"].as_f64().unwrap();
    assert!(samples(&beside) > samples(&alone), "{beside} {alone}");

    // Beside games.
    let beside = ["labeled.data=elsewhere", "generations=2", "selfplay.games=8"];
    succeed(folder, &with_settings(&["train", "2x3", "--run", "beside"], &beside));
    assert!(succeed(folder, &["verify", "beside"]).contains("0 different"));
    let told = fail(folder, &with_settings(&["learn", "3x3", "--data", "elsewhere"], &[]), 2);
    assert!(told.contains("labels on 2x3"), "{told}");
}

#[test]
fn a_data_set_that_was_tampered_with_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    succeed(folder, &with_settings(&["label", "2x3", "--to", "labels", "--shards", "2"], &[]));
    fs::copy(folder.join("labels/labels-000002.shard"), folder.join("labels/labels-000001.shard")).unwrap();
    let learn = with_settings(&["learn", "2x3", "--data", "labels"], &["generations=1"]);
    let told = fail(folder, &learn, 3);
    assert!(!folder.join("runs").exists());
    assert!(told.contains("is not the shard that dataset.json lists"), "{told}");
    fs::write(folder.join("labels/labels-000001.shard"), "something else").unwrap();
    assert!(fail(folder, &learn, 3).contains("is not the shard that dataset.json lists"));
    fs::remove_file(folder.join("labels/labels-000001.shard")).unwrap();
    assert!(fail(folder, &learn, 2).contains("cannot read"));
    let told = fail(folder, &["label", "smoke", "--to", "none"], 2);
    assert!(told.contains("labeled.positions is 0") && !folder.join("none").exists(), "{told}");
}

#[test]
fn a_network_that_another_tool_trained_plays_and_learns() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let checkpoint = repository("checkpoints/3x3").display().to_string();
    succeed(folder, &["export", &checkpoint, "--to", "out", "--form", "safetensors"]);
    succeed(folder, &["export", "out/weights.safetensors", "--to", "again", "--form", "safetensors"]);
    let bytes = |path: &str| fs::read(folder.join(path)).unwrap();
    assert_eq!(bytes("again/weights.safetensors"), bytes("out/weights.safetensors"));
    let games = ["match", "net:out/weights.safetensors,sims=8,nodes=0", "random", "--games", "4", "--quiet"];
    succeed(folder, &games);
    let start = ["train", "3x3", "--run", "on", "--from", "out/weights.safetensors", "--set", "generations=1"];
    let few = ["--set", "selfplay.games=4", "--set", "labeled.positions=4", "--set", "finish.games=0"];
    succeed(folder, &[&start[..], &few].concat());
    fs::write(folder.join("bad.safetensors"), &bytes("out/weights.safetensors")[..1000]).unwrap();
    let told = fail(folder, &["eval", "bad.safetensors", "--suite", "none.tsv"], 2);
    assert!(told.contains("not a safetensors file"), "{told}");
}

/// `dataset.json` says how all shards were made.
#[test]
fn labels_are_made_without_the_phases_of_a_config() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let label = ["label", "2x3", "--to", "labels", "--shards", "2"];
    succeed(folder, &with_settings(&label, &["phase=[{from=2,labeled={positions=5}}]"]));
    let shard = Shard::read(&folder.join("labels/labels-000002.shard")).unwrap();
    assert_eq!((shard.counts.len(), contents(&folder.join("labels"))["positions"].as_u64()), (40, Some(40)));
}

/// Positions that the solver does not settle give no sample, perhaps none of a whole shard.
#[test]
fn a_shard_without_samples_is_passed_over() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let mut data_set = DataSet::open_or_begin(&folder.join("labels"), Board::new(2, 3).unwrap()).unwrap();
    let empty = Shard::new(Board::new(2, 3).unwrap(), 1, 0, Vec::new());
    data_set.push(&empty).unwrap();
    succeed(folder, &with_settings(&["label", "2x3", "--to", "made", "--shards", "1"], &[]));
    data_set.push(&Shard::read(&folder.join("made/labels-000001.shard")).unwrap()).unwrap();
    succeed(folder, &with_settings(&["learn", "2x3", "--data", "labels"], &["generations=2"]));
    let samples: Vec<u64> =
        progress(&folder.join("runs/learn-2x3")).iter().map(|record| record["samples"].as_u64().unwrap()).collect();
    assert!(samples[0] == 0 && samples[1] > 0, "{samples:?}");
}

/// Two processes in one folder would write the same files.
#[test]
fn labels_are_made_by_one_process_at_a_time() {
    let scratch = tempfile::tempdir().unwrap();
    let label = ["label", "5x5", "--to", "labels", "--shards", "1", "--set", "labeled.nodes=900000000000"];
    let mut command = program(scratch.path());
    let _first = Running(command.args(label).stderr(Stdio::null()).spawn().unwrap());
    wait_until("the data set begins", || scratch.path().join("labels/dataset.json").exists());
    let told = fail(scratch.path(), &label, 2);
    assert!(told.contains("labels is being worked on by another process"), "{told}");
}
