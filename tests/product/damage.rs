//! Damage to the files of a run: it is found, named, and never becomes other weights.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::{progress, run, succeed, train};

const SETTINGS: [&str; 6] = [
    "board=2x2",
    "selfplay.games=6",
    "selfplay.root_undrawn=4",
    "selfplay.root_nodes=50000",
    "suite.positions=0",
    "finish.games=0",
];

/// Trains to a generation.
fn train_to(folder: &Path, run: &str, generations: u64) -> Output {
    let generations = format!("generations={generations}");
    // The course of the learning rate does not depend on the number of generations.
    train(folder, run, &[&SETTINGS[..], &["learn.schedule_generations=9", &generations]].concat()).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every file below a folder with its bytes, but for the lock.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.insert(path.clone(), Vec::new());
            all.extend(contents(&path));
        } else {
            all.insert(path.clone(), fs::read(&path).unwrap_or_default());
        }
    }
    all
}

/// Copies a folder with all that is in it.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn weights(run: &Path, generation: u64) -> Vec<u8> {
    fs::read(run.join(format!("checkpoints/gen-{generation:06}/ema.dxw"))).unwrap()
}

/// The damaged forms of a file.
fn damages(bytes: &[u8], other: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut all = vec![
        ("emptied".into(), Vec::new()),
        ("of another generation".into(), other.to_vec()),
        ("cut by eight bytes".into(), bytes[..bytes.len() - 8].to_vec()),
        ("cut by a byte".into(), bytes[..bytes.len() - 1].to_vec()),
        ("with eight bytes more".into(), [bytes, &[0; 8]].concat()),
    ];
    for part in 0..12 {
        let at = part * (bytes.len() - 1) / 11;
        let mut flipped = bytes.to_vec();
        flipped[at] ^= 1 << (part % 8);
        all.push((format!("with byte {at} flipped"), flipped));
    }
    all
}

#[test]
fn damage_to_a_run_is_found_or_changes_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert!(train_to(folder, "whole", 2).status.success());
    copy(&folder.join("whole"), &folder.join("further"));
    assert!(train_to(folder, "further", 3).status.success());
    let expected = weights(&folder.join("further"), 3);
    let (mut found, mut harmless) = (0, 0);
    for name in [
        "checkpoints/gen-#/ema.dxw",
        "checkpoints/gen-#/model.dxw",
        "checkpoints/gen-#/optimizer.bin",
        "checkpoints/gen-#/state.json",
        "shards/gen-#.shard",
    ] {
        let path = |generation: &str| folder.join("whole").join(name.replace('#', generation));
        let (bytes, other) = (fs::read(path("000002")).unwrap(), fs::read(path("000001")).unwrap());
        assert_ne!(bytes, other, "{name}");
        for (damage, damaged) in damages(&bytes, &other) {
            let run = folder.join("damaged");
            let _ = fs::remove_dir_all(&run);
            copy(&folder.join("whole"), &run);
            fs::write(run.join(name.replace('#', "000002")), damaged).unwrap();
            let before = contents(&run);
            let output = train_to(folder, "damaged", 3);
            if output.status.success() {
                assert!(weights(&run, 3) == expected, "{name} {damage} became other weights");
                harmless += 1;
                continue;
            }
            let told = told(&output);
            assert_eq!(output.status.code(), Some(3), "{name} {damage}: {told}");
            assert!(told.contains(&name.replace('#', "000002")), "{name} {damage}: {told}");
            assert_eq!(contents(&run), before, "{name} {damage}: a refused command wrote something");
            found += 1;
        }
    }
    assert_eq!((found, harmless), (85, 0));
    // The way back that messages name.
    let run = folder.join("damaged");
    fs::rename(run.join("checkpoints/gen-000002"), folder.join("away")).unwrap();
    fs::copy(folder.join("whole/shards/gen-000002.shard"), run.join("shards/gen-000002.shard")).unwrap();
    let output = train_to(folder, "damaged", 3);
    assert!(output.status.success(), "{}", told(&output));
    assert!(weights(&run, 3) == expected);
}

/// A shard that was not learned from can be made again, which the message says.
#[test]
fn a_damaged_shard_that_was_not_learned_from_is_played_again() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert!(train_to(folder, "run", 2).status.success());
    let expected = weights(&folder.join("run"), 2);
    fs::remove_dir_all(folder.join("run/checkpoints/gen-000002")).unwrap();
    let shard = folder.join("run/shards/gen-000002.shard");
    fs::write(&shard, "damage").unwrap();
    let output = train_to(folder, "run", 2);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    assert!(told(&output).contains("remove it: its games are played again"), "{}", told(&output));
    fs::remove_file(&shard).unwrap();
    let output = train_to(folder, "run", 2);
    assert!(output.status.success() && weights(&folder.join("run"), 2) == expected, "{}", told(&output));
}

/// A checkpoint whose weights were swapped is not played either.
#[test]
fn swapped_weights_are_not_played() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert!(train_to(folder, "run", 2).status.success());
    let path = |generation: u64| folder.join(format!("run/checkpoints/gen-{generation:06}/ema.dxw"));
    fs::copy(path(1), path(2)).unwrap();
    let output = run(folder, &["eval", "run", "--against", "first", "--games", "2"]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
}

#[test]
fn a_checkpoint_without_checksums_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert!(train_to(folder, "run", 2).status.success());
    let path = folder.join("run/checkpoints/gen-000002/state.json");
    let mut state: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    for name in ["format", "files", "checksum"] {
        assert!(state.as_object_mut().unwrap().remove(name).is_some());
    }
    fs::write(&path, serde_json::to_vec_pretty(&state).unwrap()).unwrap();
    let before = contents(&folder.join("run"));
    let output = train_to(folder, "run", 3);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    assert_eq!(contents(&folder.join("run")), before);
}

#[test]
fn logs_are_made_whole() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert!(train_to(folder, "run", 4).status.success());
    let run = folder.join("run");
    let path = run.join("progress.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let scalars = || -> usize {
        let files = fs::read_dir(run.join("tensorboard")).unwrap().flatten();
        let bytes: Vec<Vec<u8>> = files.map(|file| fs::read(file.path()).unwrap()).collect();
        bytes.iter().flat_map(|bytes| bytes.windows(11)).filter(|window| window == b"loss/policy").count()
    };
    assert_eq!(scalars(), 4);
    let changed = lines[1].replacen("\"steps\":", "\"steps\":1", 1);
    assert_ne!(changed, lines[1]);
    for (text, restored) in [
        (String::new(), 4),
        ("\0\0\0".into(), 4),
        (format!("{}\n{changed}\n{}\n{}\n", lines[0], lines[2], lines[3]), 1),
        (format!("{}\nno json\n{}\n", lines[0], lines[2]), 2),
        // As a kill leaves it, which is nothing to tell.
        (format!("{}\n{}\n{}\n{}", lines[0], lines[1], lines[2], &lines[3][..20]), 0),
        (format!("{}\n{}\n{}\n", lines[0], lines[1], lines[2]), 0),
    ] {
        fs::write(&path, &text).unwrap();
        let output = train_to(folder, "run", 4);
        assert!(output.status.success());
        assert_eq!(fs::read_to_string(&path).unwrap(), whole, "{text}");
        let message = format!("{restored} missing or damaged lines are restored");
        assert_eq!(told(&output).contains("progress.jsonl: "), restored > 0, "{}", told(&output));
        assert!(restored == 0 || told(&output).contains(&message), "{}", told(&output));
        assert_eq!(scalars(), 4, "nothing is written twice");
    }
    // A line that no checkpoint has any more is lost, and the others stay.
    fs::remove_dir_all(run.join("checkpoints/gen-000001")).unwrap();
    fs::write(&path, format!("{}\n", lines[1])).unwrap();
    let output = train_to(folder, "run", 4);
    assert!(told(&output).contains("2 missing or damaged lines are restored; 1 are lost"), "{}", told(&output));
    assert_eq!(progress(&run).len(), 3);
    fs::remove_dir_all(run.join("tensorboard")).unwrap();
    assert!(train_to(folder, "run", 4).status.success());
    assert_eq!(scalars(), 3, "every generation that progress.jsonl has");
}

#[test]
fn what_an_interrupted_clean_up_leaves_goes() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert!(train_to(folder, "run", 3).status.success());
    let checkpoints = folder.join("run/checkpoints");
    for name in ["model.dxw", "optimizer.bin"] {
        assert!(!checkpoints.join("gen-000001").join(name).exists());
        fs::copy(checkpoints.join("gen-000003").join(name), checkpoints.join("gen-000001").join(name)).unwrap();
    }
    fs::create_dir(checkpoints.join("gen-000004.partial")).unwrap();
    fs::write(checkpoints.join("gen-000004.partial/ema.dxw"), "half").unwrap();
    assert!(train_to(folder, "run", 3).status.success());
    for stale in ["gen-000001/model.dxw", "gen-000001/optimizer.bin", "gen-000004.partial"] {
        assert!(!checkpoints.join(stale).exists(), "{stale}");
    }
    for kept in ["gen-000001/ema.dxw", "gen-000002/optimizer.bin", "gen-000003/model.dxw"] {
        assert!(checkpoints.join(kept).exists(), "{kept}");
    }
}

/// Nothing changes in a folder in which a run cannot start or go on.
#[test]
fn a_refused_command_writes_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert!(train_to(folder, "run", 2).status.success());
    let refused = |name: &str, make: &dyn Fn(&Path), arguments: &[&str]| {
        let run = folder.join(name);
        make(&run);
        let before = contents(&run);
        let output = train(folder, name, &[&SETTINGS[..], &["generations=3", "learn.schedule_generations=9"]].concat())
            .args(arguments)
            .output()
            .unwrap();
        assert!(matches!(output.status.code(), Some(2 | 3)), "{name}: {}", told(&output));
        assert_eq!(contents(&run), before, "{name}");
    };
    let whole = |run: &Path| copy(&folder.join("run"), run);
    refused(
        "config",
        &|run| {
            fs::create_dir(run).unwrap();
            fs::write(run.join("config.toml"), "").unwrap()
        },
        &[],
    );
    refused(
        "photos",
        &|run| {
            fs::create_dir(run).unwrap();
            (0..5).for_each(|i| fs::write(run.join(format!("{i}.jpg")), "").unwrap())
        },
        &[],
    );
    refused(
        "no-shards",
        &|run| {
            whole(run);
            fs::remove_dir_all(run.join("shards")).unwrap()
        },
        &[],
    );
    refused(
        "no-checkpoints",
        &|run| {
            whole(run);
            fs::remove_dir_all(run.join("checkpoints")).unwrap()
        },
        &[],
    );
    refused("other-weights", &whole, &["--from", "run"]);
    refused("no-rows", &|_| (), &["--samples", "nowhere"]);
    refused("no-from", &|_| (), &["--from", "nowhere"]);
    refused("seed", &whole, &["--set", "seed=7"]);
    refused(
        "shard",
        &|run| {
            whole(run);
            fs::write(run.join("shards/gen-000002.shard"), "x").unwrap()
        },
        &[],
    );
    let put = |name: &'static str, text: &'static str| {
        move |run: &Path| {
            fs::create_dir_all(run).unwrap();
            fs::write(run.join(name), text).unwrap();
        }
    };
    refused("curve", &put("progress.jsonl", "mine"), &[]);
    refused(
        "folder-for-curve",
        &|run| {
            whole(run);
            fs::remove_file(run.join("progress.jsonl")).unwrap();
            fs::create_dir(run.join("progress.jsonl")).unwrap();
        },
        &[],
    );
    refused(
        "file-for-tensorboard",
        &|run| {
            whole(run);
            fs::remove_dir_all(run.join("tensorboard")).unwrap();
            fs::write(run.join("tensorboard"), "").unwrap();
        },
        &[],
    );
    #[cfg(unix)]
    {
        fs::write(folder.join("precious"), "kept").unwrap();
        let link = |name: &'static str| {
            move |run: &Path| {
                whole(run);
                let _ = fs::remove_file(run.join(name));
                std::os::unix::fs::symlink("../precious", run.join(name)).unwrap();
            }
        };
        refused("lock", &link("lock"), &[]);
        link("progress.jsonl.partial")(&folder.join("partial"));
        assert!(train_to(folder, "partial", 3).status.success());
        assert_eq!(fs::read_to_string(folder.join("precious")).unwrap(), "kept");
    }
}

#[test]
fn a_runs_folder_resumes_the_run() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert!(train_to(folder, "run", 1).status.success());
    succeed(folder, &["train", "run", "--set", "generations=2"]);
    assert_eq!(progress(&folder.join("run")).len(), 2);
    fs::remove_dir_all(folder.join("run/shards")).unwrap();
    let output = run(folder, &["train", "run"]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(!folder.join("runs").exists());
}

#[test]
fn more_generations_raise_the_learning_rate_unless_its_course_is_given() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let settings =
        [&SETTINGS[..], &["learn.warmup_steps=1", "learn.learning_rate=0.001", "learn.final_learning_rate=0.0001"]]
            .concat();
    let go_on = |more: &[&str]| train(folder, "run", &[&settings[..], more].concat()).output().unwrap();
    assert!(go_on(&["generations=3"]).status.success());
    let longer = go_on(&["generations=5"]);
    assert!(longer.status.success(), "{}", told(&longer));
    let rate = |index: usize| progress(&folder.join("run"))[index]["learning_rate"].as_f64().unwrap();
    assert!(rate(3) > 1.5 * rate(2), "{} {}", rate(2), rate(3));
    let held = go_on(&["generations=7", "learn.schedule_generations=5"]);
    assert!(held.status.success(), "{}", told(&held));
    assert!((rate(6) - 1e-4).abs() < 1e-9 && (rate(5) - 1e-4).abs() < 1e-9, "{}", rate(6));
}

/// A run's own config may change in the keys that may change on resume, and in no other, although it is all that
/// `train RUN` is given.
#[test]
fn an_edited_config_is_told_from_the_runs_own() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert!(train_to(folder, "run", 2).status.success());
    let path = folder.join("run/config.toml");
    let own = fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("seed = 1", "seed = 2"),
        ("\nlearning_rate = ", "\nlearning_rate = 0.5 # "),
        ("\nbatch = ", "\nbatch = 7 # "),
        ("\nbatch = ", "\nbatch = many # "),
    ] {
        let edited = own.replacen(from, to, 1);
        assert_ne!(edited, own, "{from} in {own}");
        fs::write(&path, &edited).unwrap();
        let output = run(folder, &["train", "run", "--set", "generations=3"]);
        assert_eq!(output.status.code(), Some(2), "{}", told(&output));
        assert_eq!(fs::read_to_string(&path).unwrap(), edited);
    }
    for cut in ["", &own[..200]] {
        fs::write(&path, cut).unwrap();
        let output = run(folder, &["train", "run"]);
        assert!(!output.status.success(), "{}", told(&output));
    }
    // The way back that the message names.
    assert!(train_to(folder, "run", 3).status.success());
    assert!(fs::read_to_string(&path).unwrap().contains("generations = 3"));
    // Without its config or its version the folder still stands for the run.
    fs::remove_file(folder.join("run/version.txt")).unwrap();
    succeed(folder, &["train", "run", "--set", "generations=4"]);
    fs::remove_file(&path).unwrap();
    let output = run(folder, &["train", "run"]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    // Also where games are newer than the checkpoint, as after a kill in learning.
    fs::remove_dir_all(folder.join("run/checkpoints/gen-000004")).unwrap();
    assert!(train_to(folder, "run", 4).status.success());
    assert!(fs::read_to_string(&path).unwrap().contains("generations = 4"));
    fs::create_dir(folder.join("checkpoints")).unwrap();
    let output = run(folder, &["train", "."]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(!folder.join("runs").exists());
}
