//! Power cuts: what a program has written is cut off at every change that it makes, with everything lost or in part
//! that was not synced. Each state goes on to the same results, or is refused with the way to go on.

mod disk;
mod trace;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::common::tools::has_strace;
use crate::common::{json, program, run};
use disk::{Disk, Kept, Tree, read_tree, write_tree};

/// The states that are tried of each recording in all runs of the tests, and in the long one.
const FEW: usize = 120;
const MANY: usize = 4000;

/// Tries states that a power cut leaves of what a command does in a folder. `goes_on` gets a folder in
/// such a state.
fn cut_power(before: &Tree, command: Command, count: usize, goes_on: &(dyn Fn(&Path) -> Result<(), String> + Sync)) {
    let scratch = tempfile::tempdir().unwrap();
    write_tree(scratch.path(), before);
    let calls = trace::record(scratch.path(), command);
    let disk = Disk::new(before, scratch.path(), &calls);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let everything = disk.after(disk.len(), Kept::All, &mut rng);
    assert!(everything == read_tree(scratch.path()), "the recording lacks a change");
    let mut states: BTreeSet<Tree> = BTreeSet::new();
    for changes in 0..=disk.len() {
        let some = [Kept::Some].repeat(if count == MANY { 60 } else { 3 });
        for kept in [Kept::Nothing, Kept::Names, Kept::Bytes, Kept::All].into_iter().chain(some) {
            states.insert(disk.after(changes, kept, &mut rng));
        }
    }
    let mut states: Vec<Tree> = states.into_iter().collect();
    let all = states.len();
    states.shuffle(&mut rng);
    states.truncate(count);
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, |count| count.get());
    let failures: Vec<String> = thread::scope(|scope| {
        let work = || {
            let mut failures = Vec::new();
            while let Some(state) = states.get(next.fetch_add(1, Relaxed)) {
                let scratch = tempfile::tempdir().unwrap();
                write_tree(scratch.path(), state);
                failures.extend(goes_on(scratch.path()).err().map(|error| {
                    let sizes = |(path, bytes): (&String, &Option<Vec<u8>>)| {
                        format!("{path} {:?}", bytes.as_ref().map(Vec::len))
                    };
                    format!("{error}\n  of {}", state.iter().map(sizes).collect::<Vec<_>>().join(", "))
                }));
            }
            failures
        };
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    eprintln!("{} changes, {} of {all} states tried, {} failed", disk.len(), states.len(), failures.len());
    assert!(
        failures.is_empty(),
        "{} of {} states: {}",
        failures.len(),
        states.len(),
        failures[..failures.len().min(5)].join("\n")
    );
}

/// Runs a command that is given anew, and again after its advice was taken, "move A and B away", if it refuses.
fn end(folder: &Path, command: &dyn Fn() -> Command) -> Result<Output, String> {
    let output = command().output().unwrap();
    if output.status.success() {
        return Ok(output);
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let advice = errors.split_once("move ").and_then(|(_, rest)| rest.split_once(" away"));
    let Some((paths, _)) = advice else { return Err(format!("{}: {errors}", output.status)) };
    for path in paths.split(" and ") {
        fs::rename(folder.join(path), tempfile::tempdir().unwrap().keep().join("away"))
            .map_err(|error| format!("{path}: {error}"))?;
    }
    let output = command().output().unwrap();
    if output.status.success() {
        Ok(output)
    } else {
        Err(format!("{errors}{}", String::from_utf8_lossy(&output.stderr)))
    }
}

const CONFIG: &str = "\
board = \"2x2\"
generations = 3
resources.threads = 1
network = { channels = 16, blocks = 0, value_hidden = 8 }
selfplay = { games = 2, simulations = 4, table = 1024, cache = 64 }
labeled = { positions = 2, least_undrawn = 6, most_undrawn = 8 }
learn.batch = 8
suite = { positions = 4, least_undrawn = 6, most_undrawn = 8, every = 1, simulations = 2 }
finish.games = 0
";

/// A folder with the config and a run of it, which is not changed any more.
struct Origin {
    scratch: tempfile::TempDir,
    results: (Tree, Vec<Value>),
}

impl Origin {
    fn new(more: &[&str]) -> Origin {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("config.toml"), CONFIG).unwrap();
        let origin = Origin { scratch, results: Default::default() };
        assert!(origin.train(origin.path(), more).status().unwrap().success());
        Origin { results: results(origin.path()), ..origin }
    }

    fn path(&self) -> &Path {
        self.scratch.path()
    }

    /// A command that trains the config in `folder/run`.
    fn train(&self, folder: &Path, more: &[&str]) -> Command {
        let mut command = program(folder);
        command.arg("train").arg(self.path().join("config.toml")).args(["--run", "run", "--quiet"]).args(more);
        command
    }

    /// Trains on in `folder/run`, which should come to the same as this one.
    fn end(&self, folder: &Path, more: &[&str]) -> Result<(), String> {
        end(folder, &|| self.train(folder, more))?;
        let is_left = |name: &str| folder.join("run").join(name).exists();
        match results(folder) == self.results && !is_left("going-back") {
            true => Ok(()),
            false => Err("it ends otherwise".into()),
        }
    }

    /// The run as it was when its first generations were done.
    fn after(&self, generations: u64) -> Tree {
        let mut tree = read_tree(self.path());
        tree.remove("config.toml");
        let is_later = |path: &str| (generations + 1..=9).any(|later| path.contains(&format!("gen-00000{later}")));
        tree.retain(|path, _| !is_later(path));
        tree
    }
}

/// The results of a run: its games, its weights and its log without times.
fn results(folder: &Path) -> (Tree, Vec<Value>) {
    let mut tree = read_tree(&folder.join("run"));
    let endings = [".shard", ".dxw", ".bin", ".tsv", ".toml"];
    let log = tree.remove("progress.jsonl").flatten().unwrap_or_default();
    tree.retain(|path, _| endings.iter().any(|ending| path.ends_with(ending)));
    let log = String::from_utf8_lossy(&log).into_owned();
    let records = log.lines().map(|line| {
        let record: Value = serde_json::from_str(line).unwrap_or_default();
        let known = ["generation", "games", "samples", "steps", "policy_loss", "margin_loss", "suite"];
        known.map(|key| record[key].clone()).into_iter().collect()
    });
    (tree, records.collect())
}

fn runs_survive(count: usize) {
    if !has_strace() {
        return;
    }
    let ahead: &[&str] = &["--set", "selfplay.lag=1"];
    for more in [&[], ahead] {
        let run = Origin::new(more);
        let goes_on = |folder: &Path| run.end(folder, more);
        cut_power(&Tree::new(), run.train(Path::new("."), more), count, &goes_on);
        // A run that is resumed clears away and writes again.
        cut_power(&run.after(2), run.train(Path::new("."), more), count / 3, &goes_on);
    }
}

#[test]
fn a_run_comes_to_the_same_after_a_power_cut() {
    runs_survive(FEW);
}

fn warm_starts_survive(count: usize) {
    if !has_strace() {
        return;
    }
    let other = Origin::new(&[]);
    let other = other.path().join("run").display().to_string();
    let more = ["--set", "seed=2", "--from", &other, "--samples", &other];
    let run = Origin::new(&more);
    cut_power(&Tree::new(), run.train(Path::new("."), &more), count, &|folder| run.end(folder, &more));
}

#[test]
fn a_warm_start_comes_to_the_same_after_a_power_cut() {
    warm_starts_survive(FEW / 2);
}

fn proofs_survive(count: usize) {
    if !has_strace() {
        return;
    }
    let prove = |folder: &Path| {
        let mut command = program(folder);
        command.args([
            "prove",
            "3x4:0xffff",
            "3x4:0x3f3f",
            "3x4:0x1f0f",
            "3x4:0xf0f",
            "3x4:0xff",
            "3x4",
            "--log",
            "log",
            "--log-from",
            "20",
            "--threads",
            "1",
            "--table",
            "1M",
            "--quiet",
            "--json",
        ]);
        command
    };
    let goes_on = |folder: &Path| {
        let proved = String::from_utf8(end(folder, &|| prove(folder))?.stdout).unwrap();
        let proved = json(proved.lines().next_back().unwrap());
        let checked = run(folder, &["prove", "check", "log", "--sample", "5", "--quiet", "--json"]);
        let found: Value = serde_json::from_slice(&checked.stdout).unwrap_or_default();
        // Lines that were lost in part are damaged, and are named.
        let is_proved = proved["margin"] == 0 && proved["settled"] == true;
        let is_claimed = found["claimed"]["margin"] == 0 && found["false"] == Value::Array(Vec::new());
        // The sample leaves most claims assumed.
        let is_checked = checked.status.code() == Some(if found["damaged"] == 0 { 5 } else { 3 });
        match is_proved && is_claimed && is_checked {
            true => Ok(()),
            false => Err(format!("{proved}, {found}: {}", String::from_utf8_lossy(&checked.stderr))),
        }
    };
    cut_power(&Tree::new(), prove(Path::new(".")), count, &goes_on);
}

#[test]
fn a_proof_comes_to_the_same_after_a_power_cut() {
    proofs_survive(FEW / 2);
}

fn matches_survive(count: usize) {
    if !has_strace() {
        return;
    }
    let play = |folder: &Path| {
        let mut command = program(folder);
        command.args([
            "match",
            "random",
            "greedy",
            "--board",
            "2x2",
            "--games",
            "12",
            "--threads",
            "1",
            "--log",
            "log",
            "--quiet",
        ]);
        command
    };
    let scratch = tempfile::tempdir().unwrap();
    assert!(play(scratch.path()).status().unwrap().success());
    let without_times = |line: &str| {
        let mut game: Value = serde_json::from_str(line).ok()?;
        let game = game.as_object_mut()?;
        game.retain(|key, _| !["seconds", "longest"].contains(&key.as_str()));
        Some(game.clone())
    };
    let expected: Vec<_> = fs::read_to_string(scratch.path().join("log")).unwrap().lines().map(without_times).collect();
    let goes_on = |folder: &Path| {
        end(folder, &|| play(folder))?;
        let text = String::from_utf8_lossy(&fs::read(folder.join("log")).unwrap()).into_owned();
        let games: Vec<_> = text.lines().map(without_times).collect();
        let (before, after) = games.split_at(games.len().saturating_sub(expected.len()));
        // What is there of the first match, and the second one whole.
        let is_known = before.iter().all(|game| game.is_none() || expected.contains(game));
        if after == expected && is_known { Ok(()) } else { Err(text) }
    };
    cut_power(&Tree::new(), play(Path::new(".")), count, &goes_on);
}

#[test]
fn a_match_log_goes_on_after_a_power_cut() {
    matches_survive(FEW / 2);
}

/// The variable that names the run which the test below takes back.
const TAKEN_BACK: &str = "DOUBLECROSS_TAKEN_BACK";

/// Takes a run back, where the test of it calls this program.
#[test]
fn a_run_is_taken_back() {
    if let Some(folder) = std::env::var_os(TAKEN_BACK) {
        assert_eq!(doublecross::train::go_back(folder.as_ref(), 3).unwrap(), 2);
    }
}

fn going_back_survives(count: usize) {
    if !has_strace() {
        return;
    }
    let run = Origin::new(&[]);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "power::a_run_is_taken_back"]).env(TAKEN_BACK, "run");
    cut_power(&run.after(3), command, count, &|folder| run.end(folder, &[]));
}

#[test]
fn a_run_goes_back_through_a_power_cut() {
    going_back_survives(FEW / 4);
}

#[test]
#[ignore = "thousands of states, some minutes"]
fn everything_survives_thousands_of_power_cuts() {
    runs_survive(MANY);
    warm_starts_survive(MANY);
    proofs_survive(MANY);
    matches_survive(MANY);
    going_back_survives(MANY);
}

/// The only checkpoints of a run are damaged. The message names what to move away, and the run comes to the same then.
#[test]
fn a_run_whose_only_checkpoints_are_damaged_names_the_way() {
    let run = Origin::new(&[]);
    for generations in [1, 2] {
        for name in ["ema.dxw", "model.dxw", "optimizer.bin", "state.json"] {
            let folder = tempfile::tempdir().unwrap();
            let mut tree = run.after(generations);
            // The games of the next generation may be there.
            let next = format!("run/shards/gen-00000{}.shard", generations + 1);
            tree.extend(read_tree(run.path()).remove(&next).map(|bytes| (next, bytes)));
            for (path, bytes) in &mut tree {
                if path.ends_with(name) {
                    bytes.as_mut().unwrap().truncate(20);
                }
            }
            write_tree(folder.path(), &tree);
            let refused = run.train(folder.path(), &[]).output().unwrap();
            assert_eq!(refused.status.code(), Some(3), "{name}");
            run.end(folder.path(), &[]).unwrap_or_else(|error| panic!("{generations} {name}: {error}"));
        }
    }
}
