//! A run may be killed at any moment, and the number of threads changes nothing.

// Whether a file was written again is seen by its inode.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{Running, program, progress, succeed, train, wait_until};
use serde_json::Value;

const SETTINGS: [&str; 8] = [
    "board=3x3",
    "generations=6",
    "selfplay.games=60",
    "selfplay.opening_edges=10",
    "selfplay.root_undrawn=8",
    "selfplay.root_nodes=50000",
    "learn.edge_loss=1.0",
    "finish.games=0",
];

const SHORT: [&str; 3] = ["generations=1", "selfplay.games=4", "finish.games=0"];

/// Trains one generation of a few games.
fn short_run(folder: &Path, run: &str) {
    assert!(train(folder, run, &SHORT).output().unwrap().status.success());
}

/// Name and bytes of every shard of a run.
fn shards(run: &Path) -> BTreeMap<String, Vec<u8>> {
    files(&run.join("shards"), |path| fs::read(path).unwrap())
}

/// The result of `of` for every whole file in a folder.
fn files<T>(folder: &Path, of: impl Fn(&Path) -> T) -> BTreeMap<String, T> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    named.filter(|(name, _)| !name.ends_with(".partial")).map(|(name, path)| (name, of(&path))).collect()
}

fn average(run: &Path) -> Vec<u8> {
    fs::read(run.join("checkpoints/gen-000006/ema.dxw")).unwrap()
}

/// The scores of a run on its suite, generation by generation.
fn scores(run: &Path) -> Vec<[f64; 3]> {
    let figures = ["suite_policy_optimal", "suite_search_optimal", "suite_margin_error"];
    progress(run).iter().map(|record| figures.map(|name| record[name].as_f64().expect("smoke scores each"))).collect()
}

#[test]
fn nothing_is_left_beside_shards_by_a_kill_before_a_clean_up() {
    let scratch = tempfile::tempdir().unwrap();
    short_run(scratch.path(), "run");
    let shards = scratch.path().join("run/shards");
    let names = || files(&shards, |_| ()).into_keys().collect::<Vec<_>>();
    let whole = names();
    for name in ["gen-000001.counts", "gen-000001.parts"] {
        fs::write(shards.join(name), "{}").unwrap();
    }
    short_run(scratch.path(), "run");
    assert_eq!(names(), whole);
}

#[test]
fn a_killed_run_resumes_and_ends_as_if_nothing_had_happened() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let started = std::time::Instant::now();
    assert!(train(folder, "whole", &SETTINGS).output().unwrap().status.success());
    let whole = started.elapsed();
    let run = folder.join("killed");
    let (mut kills, mut last) = (0, 0);
    for attempt in 0..60u64 {
        let before = files(&run.join("shards"), |path| fs::metadata(path).unwrap().ino());
        let mut child = train(folder, "killed", &SETTINGS).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Moments spread over a run's first third; later attempts get longer, so that the run ends.
        let share = ((attempt * 37 % 23) as f64 + (attempt * attempt) as f64 / 8.0) / 80.0;
        let patience = whole.mul_f64(share).max(Duration::from_millis(5));
        let waited = std::time::Instant::now();
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break Some(status),
                None if waited.elapsed() >= patience => break None,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let ended = status.is_some();
        if let Some(status) = status {
            assert!(status.success(), "attempt {attempt} failed");
        } else {
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
        }
        // A finished generation is never played again: its shard is still the same file.
        let after = files(&run.join("shards"), |path| fs::metadata(path).unwrap().ino());
        let is_kept = |(name, inode): (&String, &u64)| !name.ends_with(".shard") || after.get(name) == Some(inode);
        assert!(before.iter().all(is_kept), "{before:?} {after:?}");
        let records = progress(&run);
        let generation = records.last().map_or(0, |record| record["generation"].as_u64().unwrap());
        assert!(generation >= last, "{generation} after {last}");
        last = generation;
        if ended {
            break;
        }
    }
    assert!(kills >= 3, "{kills} kills are too few to tell");
    assert_eq!(last, 6, "the run ended");
    let [killed, whole] = [&run, &folder.join("whole")].map(|run| shards(run));
    assert_eq!(killed.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
    assert!(killed == whole, "the shards differ");
    assert_eq!(average(&run), average(&folder.join("whole")));
    assert_eq!(scores(&run), scores(&folder.join("whole")));
    let records = progress(&run);
    let generations: Vec<u64> = records.iter().map(|record| record["generation"].as_u64().unwrap()).collect();
    assert_eq!(generations, [1, 2, 3, 4, 5, 6]);
    for (a, b) in records.iter().zip(&records[1..]) {
        for counter in ["steps", "games", "samples"] {
            assert!(a[counter].as_u64() < b[counter].as_u64(), "{counter}");
        }
    }
}

#[test]
fn one_and_two_threads_play_and_learn_the_same() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    for threads in ["1", "2"] {
        let threads_key = format!("resources.threads={threads}");
        let settings = [&SETTINGS[..], &[threads_key.as_str()]].concat();
        assert!(train(folder, threads, &settings).output().unwrap().status.success());
    }
    let (one, two) = (folder.join("1"), folder.join("2"));
    assert_eq!(shards(&one).len(), 6);
    assert_eq!(shards(&one), shards(&two));
    assert_eq!(average(&one), average(&two));
    assert_eq!(scores(&one), scores(&two));
}

#[test]
fn a_run_may_start_from_the_weights_of_another() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let short = [&SETTINGS[..], &["generations=2"]].concat();
    assert!(train(folder, "first", &short).output().unwrap().status.success());
    let on = [&SETTINGS[..], &["generations=1", "seed=2"]].concat();
    let from = |run: &str, from: &str, settings: &[&str]| train(folder, run, settings).args(["--from", from]).output();
    assert!(from("second", "first", &on).unwrap().status.success());
    assert!(train(folder, "fresh", &on).output().unwrap().status.success());
    assert_eq!(
        fs::read(folder.join("second/start.dxw")).unwrap(),
        fs::read(folder.join("first/checkpoints/gen-000002/ema.dxw")).unwrap()
    );
    let loss = |run: &str| progress(&folder.join(run))[0]["policy_loss"].as_f64().unwrap();
    assert!(loss("second") < loss("fresh"), "{} {}", loss("second"), loss("fresh"));
    // Resumed with or without saying where it came from, but not from elsewhere.
    let longer = [&on[..], &["generations=2"]].concat();
    assert!(from("second", "first", &on).unwrap().status.success());
    assert!(train(folder, "second", &longer).output().unwrap().status.success());
    let refusals = [
        ("second", "fresh", &longer),
        ("fresh", "first", &longer),
        ("third", "first", &[&on[..], &["network.value_hidden=8"]].concat()),
        ("third", "nowhere", &on),
    ];
    for (run, weights, settings) in refusals {
        let output = from(run, weights, settings).unwrap();
        assert_eq!(output.status.code(), Some(2), "{run} from {weights}: {output:?}");
    }
    assert!(!folder.join("third/config.toml").exists(), "nothing is claimed for a run that cannot start");
    assert!(!from("fourth", "nowhere", &on).unwrap().status.success() && !folder.join("fourth").exists());
    // What the run keeps is enough when the other one is gone.
    fs::remove_dir_all(folder.join("first")).unwrap();
    let longer = [&on[..], &["generations=3"]].concat();
    assert!(from("second", "first", &longer).unwrap().status.success());
    assert_eq!(progress(&folder.join("second")).len(), 3);
}

/// A larger network begins with what the smaller one has learned.
#[test]
fn a_run_may_start_from_the_weights_of_a_smaller_network() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let short = [&SETTINGS[..], &["generations=2"]].concat();
    assert!(train(folder, "small", &short).output().unwrap().status.success());
    let on = [&SETTINGS[..], &["generations=1", "seed=2"]].concat();
    let large = [&on[..], &["network.channels=32", "network.blocks=2", "network.value_hidden=40"]].concat();
    let from = |run: &str, settings: &[&str]| train(folder, run, settings).args(["--from", "small"]).output().unwrap();
    let grown = from("grown", &large);
    assert!(grown.status.success());
    assert!(from("same", &on).status.success());
    assert!(train(folder, "fresh", &large).output().unwrap().status.success());
    // The one generation's games are the same as long as the network says the same.
    let first_policy = |run: &str| progress(&folder.join(run))[0]["policy_loss"].as_f64().unwrap();
    let (grown, same, fresh) = (first_policy("grown"), first_policy("same"), first_policy("fresh"));
    assert!((grown - same).abs() < (fresh - same).abs() / 2.0, "{grown} {same} {fresh}");
    // Resumed from the same weights, which grow to the same again.
    assert!(from("grown", &[&large[..], &["generations=2"]].concat()).status.success());
    let smaller = [&on[..], &["network.value_hidden=16"]].concat();
    // A run that has not played takes others, whatever an attempt before has left.
    fs::create_dir(folder.join("left")).unwrap();
    fs::copy(folder.join("same/start.dxw"), folder.join("left/start.dxw")).unwrap();
    fs::write(folder.join("left/lock"), "").unwrap();
    assert!(from("left", &large).status.success());
    let refused = from("smaller", &smaller);
    assert_eq!(refused.status.code(), Some(2));
}

/// A network begins on a board with what it has learned on another one.
#[test]
fn a_run_may_start_from_the_weights_of_another_board() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert!(train(folder, "first", &[&SETTINGS[..], &["generations=3"]].concat()).output().unwrap().status.success());
    for board in ["board=2x3", "board=3x4"] {
        let on = [&SETTINGS[..], &["generations=1", "seed=2", board]].concat();
        let from = |settings: &[&str]| train(folder, board, settings).args(["--from", "first"]).output().unwrap();
        let told = from(&on);
        assert!(told.status.success(), "{told:?}");
        let fresh = format!("fresh-{board}");
        assert!(train(folder, &fresh, &on).output().unwrap().status.success());
        let loss = |run: &str| progress(&folder.join(run))[0]["policy_loss"].as_f64().unwrap();
        assert!(loss(board) < loss(&fresh), "{board}: {} {}", loss(board), loss(&fresh));
        // What it was sure of on its own board is forgotten.
        let margin = |run: &str| progress(&folder.join(run))[0]["margin_loss"].as_f64().unwrap();
        assert!(margin(board) < 1.1 * margin(&fresh), "{board}: {} {}", margin(board), margin(&fresh));
        // Resumed from the same weights, which are turned into the same again.
        assert!(from(&[&on[..], &["generations=2"]].concat()).status.success());
        assert_eq!(progress(&folder.join(board)).len(), 2);
    }
}

/// The newest rows of another run fill the window from the beginning on.
#[test]
fn a_run_may_begin_with_the_rows_of_another() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let first = [&SETTINGS[..], &["generations=5"]].concat();
    assert!(train(folder, "first", &first).output().unwrap().status.success());
    let samples_of = |line: &Value| line["samples"].as_u64().unwrap();
    let lines = progress(&folder.join("first"));
    // Of its last two generations and a part of the one before.
    let wanted = samples_of(&lines[4]) - samples_of(&lines[2]) + 1;
    let window = format!("learn.window_samples={wanted}");
    // A rate that does not fall is the same however many generations are to come.
    let rates = ["learn.learning_rate=0.002", "learn.final_learning_rate=0.002"];
    let on = [&SETTINGS[..], &["seed=2", "learn.window_share=0", window.as_str()], &rates].concat();
    let begin = |run: &str, generations: &str, rows: Option<&str>| {
        let mut command = train(folder, run, &[&on[..], &[generations]].concat());
        command.args(rows.into_iter().flat_map(|rows| ["--samples", rows])).output().unwrap()
    };
    let output = begin("second", "generations=2", Some("first"));
    assert!(output.status.success());
    let taken = samples_of(&lines[4]) - samples_of(&lines[1]);
    assert!(String::from_utf8_lossy(&output.stderr).contains(&format!("with {taken} samples of another run")));
    for (age, generation) in [(1, 5), (2, 4), (3, 3)] {
        let bytes = |path: String| fs::read(folder.join(path)).unwrap();
        let (kept, theirs) =
            (format!("second/shards/earlier-{age:06}.shard"), format!("first/shards/gen-{generation:06}.shard"));
        assert_eq!(bytes(kept), bytes(theirs));
    }
    assert!(!folder.join("second/shards/earlier-000004.shard").exists());
    let window =
        |run: &str, generation: usize| progress(&folder.join(run))[generation]["window_samples"].as_u64().unwrap();
    assert!(window("second", 0) >= wanted);
    // Others are not let into a run that goes on, and what it keeps is enough when the other one is gone.
    assert!(begin("fresh", "generations=1", None).status.success());
    assert!(window("fresh", 0) < wanted);
    assert!(
        train(folder, "small", &["generations=1", "selfplay.games=4", "finish.games=0"])
            .output()
            .unwrap()
            .status
            .success()
    );
    for (run, rows) in [("fresh", "first"), ("third", "nowhere"), ("third", "small")] {
        let output = begin(run, "generations=2", Some(rows));
        assert_eq!(output.status.code(), Some(2), "{run} with samples of {rows}: {output:?}");
    }
    assert!(!begin("none", "generations=2", Some("nowhere")).status.success() && !folder.join("none").exists());
    // Copies of another run that were cut short are not taken for older rows.
    fs::create_dir_all(folder.join("straight/shards")).unwrap();
    for age in [4, 5] {
        let left = folder.join(format!("straight/shards/earlier-{age:06}.shard"));
        fs::copy(folder.join("first/shards/gen-000001.shard"), left).unwrap();
    }
    assert!(begin("straight", "generations=3", Some("first")).status.success());
    assert!(!folder.join("straight/shards/earlier-000004.shard").exists());
    fs::remove_dir_all(folder.join("first")).unwrap();
    assert!(begin("second", "generations=3", Some("first")).status.success());
    let average = |run: &str| fs::read(folder.join(run).join("checkpoints/gen-000003/ema.dxw")).unwrap();
    assert!(average("second") == average("straight"), "resumed with the rows it keeps");
}

/// Whoever reads a run's words may go away: the run goes on.
#[test]
fn a_run_needs_no_reader() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let mut command = train(folder, "run", &[&SETTINGS[..], &["generations=3"]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert!(child.wait().unwrap().success());
    assert_eq!(progress(&folder.join("run")).len(), 3);
    let mut child = program(folder).args(["replay", "nowhere"]).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

/// A pretrained checkpoint is not overwritten by a run that was meant to go on from it.
#[test]
fn a_folder_of_weights_alone_is_no_run() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    short_run(folder, "run");
    fs::create_dir(folder.join("pretrained")).unwrap();
    fs::copy(folder.join("run/checkpoints/gen-000001/ema.dxw"), folder.join("pretrained/ema.dxw")).unwrap();
    for name in ["config.toml", "progress.jsonl"] {
        fs::copy(folder.join("run").join(name), folder.join("pretrained").join(name)).unwrap();
    }
    let output = train(folder, "pretrained", &SHORT).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.join("pretrained/shards").exists(), "nothing is made there");
    for name in ["config.toml", "progress.jsonl"] {
        let bytes = |run: &str| fs::read(folder.join(run).join(name)).unwrap();
        assert_eq!(bytes("pretrained"), bytes("run"), "{name}");
    }
}

#[test]
fn a_run_goes_on_from_its_own_config() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    short_run(folder, "run");
    succeed(folder, &["train", "run/config.toml", "--set", "generations=2"]);
    assert_eq!(progress(&folder.join("run")).len(), 2);
    assert!(!folder.join("runs").exists());
    // It is not made shorter than it is.
    let config = fs::read(folder.join("run/config.toml")).unwrap();
    let output = train(folder, "run", &SHORT).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(fs::read(folder.join("run/config.toml")).unwrap() == config);
}

/// A key that came later has its default.
#[test]
fn a_run_whose_config_lacks_a_key_goes_on() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    short_run(folder, "run");
    let path = folder.join("run/config.toml");
    let whole = fs::read_to_string(&path).unwrap();
    assert!(whole.contains("noisy_moves = 64\n"), "{whole}");
    let older = whole.replace("noisy_moves = 64\n", "");
    fs::write(&path, &older).unwrap();
    let refused = train(folder, "run", &[&SHORT[..], &["learn.ema_decay=0.5"]].concat()).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), older);
    assert!(train(folder, "run", &[&SHORT[..], &["generations=2"]].concat()).output().unwrap().status.success());
    assert_eq!(fs::read_to_string(&path).unwrap(), whole.replace("generations = 1", "generations = 2"));
    fs::write(&path, &older).unwrap();
    succeed(folder, &["train", "run/config.toml", "--set", "generations=3"]);
    assert_eq!(progress(&folder.join("run")).len(), 3);
}

#[test]
fn one_process_at_a_time_works_on_a_run() {
    let scratch = tempfile::tempdir().unwrap();
    let long = ["generations=100000", "finish.games=0"];
    let mut first = Running(train(scratch.path(), "run", &long).stderr(Stdio::null()).spawn().unwrap());
    wait_until("the first process has played a generation", || {
        assert!(first.0.try_wait().unwrap().is_none(), "the first process goes on");
        !progress(&scratch.path().join("run")).is_empty()
    });
    // Were it let in, it would soon be done.
    let second = train(scratch.path(), "run", &["generations=1", "finish.games=0"]).output().unwrap();
    drop(first);
    assert_eq!(second.status.code(), Some(1));
}

#[test]
fn a_run_of_other_settings_is_not_overwritten() {
    let scratch = tempfile::tempdir().unwrap();
    let short = ["generations=1", "finish.games=0"];
    assert!(train(scratch.path(), "run", &short).output().unwrap().status.success());
    let output = train(scratch.path(), "run", &[&short[..], &["seed=2"]].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    // More generations of the same run are not other settings.
    let output = train(scratch.path(), "run", &["generations=2", "finish.games=0"]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(progress(&scratch.path().join("run")).len(), 2);
}

/// Files that do not belong to a run are refused, and nothing that is there is lost.
#[test]
fn what_is_of_another_run_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let settings = ["generations=2", "selfplay.games=4", "finish.games=0"];
    let longer = ["generations=3", "selfplay.games=4", "finish.games=0"];
    for (run, board) in [("run", "board=2x2"), ("other", "board=2x3")] {
        let settings = [&settings[..], &[board]].concat();
        assert!(train(folder, run, &settings).output().unwrap().status.success());
    }
    let run = folder.join("run");
    let curve = fs::read(run.join("progress.jsonl")).unwrap();
    let refused = |settings: &[&str], from: Option<&str>| {
        let mut command = train(folder, "run", settings);
        command.args(from.into_iter().flat_map(|from| ["--from", from]));
        let output = command.output().unwrap();
        assert!(matches!(output.status.code(), Some(2 | 3)), "{output:?}");
        assert_eq!(fs::read(run.join("progress.jsonl")).unwrap(), curve);
    };
    let shard = run.join("shards/gen-000002.shard");
    let kept = fs::read(&shard).unwrap();
    fs::copy(folder.join("other/shards/gen-000002.shard"), &shard).unwrap();
    refused(&longer, None);
    fs::copy(run.join("shards/gen-000001.shard"), &shard).unwrap();
    refused(&longer, None);
    fs::write(&shard, kept).unwrap();
    // A config that was taken away does not let other settings go on with these weights. One that
    // agrees with the checkpoint's is written in its place.
    let config = fs::read(run.join("config.toml")).unwrap();
    fs::remove_file(run.join("config.toml")).unwrap();
    refused(&[&longer[..], &["network.channels=64"]].concat(), None);
    let output = program(folder).args(["train", "run"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(train(folder, "run", &settings).output().unwrap().status.success());
    assert_eq!(fs::read(run.join("config.toml")).unwrap(), config);
    // Games without a checkpoint are not begun over.
    fs::rename(run.join("checkpoints"), folder.join("checkpoints")).unwrap();
    refused(&longer, None);
    fs::rename(run.join("config.toml"), folder.join("config.toml")).unwrap();
    refused(&longer, None);
    fs::rename(folder.join("config.toml"), run.join("config.toml")).unwrap();
    fs::remove_file(&shard).unwrap();
    refused(&longer, Some("other"));
    fs::rename(folder.join("checkpoints"), run.join("checkpoints")).unwrap();
}

/// Weights do not come into a run whose first games were played by others.
#[test]
fn games_of_fresh_weights_stay_with_them() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    short_run(folder, "first");
    short_run(folder, "second");
    // As a kill leaves it between the games and the checkpoint.
    fs::remove_dir_all(folder.join("second/checkpoints")).unwrap();
    let output = train(folder, "second", &SHORT).args(["--from", "first"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let output = train(folder, "second", &SHORT).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    // What the games took is not known any more.
    let line = &progress(&folder.join("second"))[0];
    assert_eq!((line["games"].as_u64(), line["positions"].as_u64()), (Some(4), Some(0)));
}

/// The process that played the games took the figures of their speed with it. They are left out, not those of the
/// generation before.
#[test]
fn a_generation_whose_games_outlived_a_kill_has_no_rates() {
    let scratch = tempfile::tempdir().unwrap();
    let run = scratch.path().join("run");
    let resume = |generations: &str| {
        let settings = [generations, "selfplay.games=4", "finish.games=0"];
        let output = train(scratch.path(), "run", &settings).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let is_rate = |name: &str| name == "cache_hits" || name.ends_with("_per_second") || name.starts_with("share_");
    let rates = |line: &Value| line.as_object().unwrap().keys().filter(|name| is_rate(name)).count();
    resume("generations=2");
    let before = progress(&run);
    assert_eq!(before.iter().map(rates).collect::<Vec<_>>(), [10, 10]);
    // As a kill leaves it between the games and the checkpoint.
    fs::remove_dir_all(run.join("checkpoints/gen-000002")).unwrap();
    let told = resume("generations=2");
    assert!(told.contains("\ngeneration 2/2: policy loss ") && !told.contains("games/s"), "{told}");
    let after = progress(&run);
    assert_eq!(after[0], before[0]);
    assert_eq!(rates(&after[1]), 0);
    for figure in ["generation", "steps", "games", "samples", "policy_loss", "margin_error", "window_samples"] {
        assert_eq!(after[1][figure], before[1][figure], "{figure}");
    }
    resume("generations=3");
    assert_eq!(progress(&run).iter().map(rates).collect::<Vec<_>>(), [10, 0, 10]);
}
