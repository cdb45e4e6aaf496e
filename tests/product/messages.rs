//! The messages of commands, all of them in `messages.txt`, and the help of all commands, in `help.txt`.
//!
//! Other tests look at exit statuses and at what a command has done. These compare with the files, word for word.
//! `DOUBLECROSS_BLESS=1 cargo test --release --test product messages` writes the files anew.

mod bots;
mod files;
mod fleets;
mod help;
mod library;
mod transcript;

use std::fs;
use std::path::Path;

use doublecross::board::Board;
use doublecross::net::Architecture;
use doublecross::run::initial_weights;

use crate::common::{program, succeed};
use crate::damage::copy;
use transcript::Transcript;

/// A config whose runs take less than a second.
const CONFIG: &str = r#"board = "2x2"
isa = "portable"
generations = 2
[network]
channels = 16
blocks = 1
[selfplay]
games = 6
simulations = 16
root_undrawn = 4
root_nodes = 50000
[learn]
batch = 32
schedule_generations = 9
[suite]
positions = 0
[finish]
games = 0
"#;

#[test]
fn messages_are_those_of_the_file() {
    let mut transcript = Transcript::new();
    usage(&mut transcript);
    positions(&mut transcript);
    bots::matches(&mut transcript);
    bots::logs(&mut transcript);
    configs(&mut transcript);
    checkpoints(&mut transcript);
    files::puzzles_and_suites(&mut transcript);
    files::overwriting(&mut transcript);
    proofs(&mut transcript);
    runs(&mut transcript);
    tuning(&mut transcript);
    fleets::fleets(&mut transcript);
    library::library(&mut transcript);
    transcript.compare("messages.txt");
}

fn usage(transcript: &mut Transcript) {
    transcript.about("Usage");
    transcript.refused(&[
        &["nonsense"],
        &["sovle"],
        &["solve"],
        &["solve", "2x2", "--nonsense"],
        &["solve", "2x2", "--move"],
        &["solve", "2x2", "--nodes"],
        &["solve", "3x3", "H0,0", "--moves"],
        &["book", "show", "5x5", "H0,0", "V1,2"],
        &["book", "shwo"],
        &["man", "solve"],
        &["export", "checkpoints/3x3"],
        &["solve", "2x2", "--color", "blue"],
        &["solve", "2x2", "--quiet", "--verbose"],
        &["solve", "2x2", "--seconds", "-1"],
        &["solve", "2x2", "--table", "0"],
        &["solve", "2x2", "--log", "log", "--log-from", "0"],
        &["match", "greedy"],
        &["match", "first", "greedy", "--foo"],
        &["match", "greedy", "first", "--games", "ten"],
        &["match", "first", "random", "--games", "-2"],
        &["match", "first", "random", "--games=-2"],
        &["bench", "nets"],
        &["bench", "--set", "board=0x0"],
        &["bench", "--set", "network.channels=17"],
        &["completions", "cmd"],
        &["puzzles", "--level", "11"],
        &["serve", "--bind", "here"],
        &["serve", "nowhere"],
        &["serve", "--run", "small.toml"],
        &["serve", "--run", ".", "--run", "small.toml"],
        &["serve", "--run", "nowhere", "--export", "page"],
    ]);
    let long = initial_weights(Board::new(1, 10).unwrap(), Architecture::new(16, 0, 8), 1);
    transcript.write("long.dxw", long.to_bytes());
    transcript.refused(&[&["serve", "long.dxw"]]);
    transcript.failed(&[(1, &["serve", "--bind", "192.0.2.1", "--port", "0"])]);
    for isa in ["sse9", if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" }] {
        // What this processor has instead differs.
        let output = program(transcript.folder()).arg("solve").arg("2x2").env("DOUBLECROSS_ISA", isa).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains(&format!("DOUBLECROSS_ISA={isa}")) && errors.contains("portable"), "{errors}");
    }
}

fn positions(transcript: &mut Transcript) {
    transcript.about("Positions");
    transcript.refused(&[
        &["solve", "5x5:0xfffffffffffffffff"],
        &["solve", "10x10"],
        &["solve", "2x2:0x"],
        &["solve", "4by6"],
        &["solve", "0x5"],
        &["solve", "2x2 H0,9"],
        &["solve", "2x2 H0,0 H0,0"],
        &["solve", "2x2", "--score", "one"],
        &["solve", "2x2:0xfff", "--score", "1-0"],
        &["solve", "2x2", "--known", "4..0"],
        &["solve", "2x2", "--known", "1..1"],
        &["solve", "2x2", "--seconds", "soon"],
        &["solve", "2x2", "--table", "12Q"],
        &["solve", "2x2", "--threads", "0"],
        &["solve", "2x2", "--log", "nowhere/log"],
    ]);
    transcript.failed(&[(3, &["solve", "2x2", "2x2:zz"])]);
    transcript.feed(3, &["solve", "-"], "2x2\nno position\n10x10\n");
}

fn configs(transcript: &mut Transcript) {
    transcript.about("Configs");
    fs::write(transcript.path("bad.toml"), "[learn]\nbatchsize = 3\n").unwrap();
    fs::write(transcript.path("kind.toml"), "[learn]\nbatch = \"x\"\n").unwrap();
    // The solver settles every game from its start.
    fs::write(
        transcript.path("settled.toml"),
        CONFIG.replace("root_undrawn = 4", "root_undrawn = 12\nband_undrawn = 24"),
    )
    .unwrap();
    transcript.refused(&[
        &["train", "bad.toml"],
        &["train", "kind.toml"],
        &["train", "nowhere.toml"],
        &["train", "30x30"],
        &["config", "0x4"],
        &["train", "small.toml", "--set", "learn.batch=abc"],
        &["train", "small.toml", "--set", "selfplay.root_undrawn=0"],
        &["train", "small.toml", "--set", "network.channels=24"],
        &["train", "small.toml", "--set", "suite.least_undrawn=10"],
        &["train", "small.toml", "--set", "mixture=2x2:1 3x3:1"],
        &["train", "small.toml", "--set", "resources.learn_device=gpu"],
        &["train", "small.toml", "--set", "finish.games=2", "--set", "finish.against=net:nowhere"],
        &["train", "small.toml", "--set", "finish.against=gredy"],
        &["train", "small.toml", "--run", "zero", "--set", "board=0x0"],
        &["train", "small.toml", "--run", "zero", "--set", "board=33"],
    ]);
    assert!(!transcript.path("zero").exists(), "a refused command writes nothing");
    transcript.failed(&[(1, &["train", "settled.toml", "--run", "settled", "-q"])]);
}

fn checkpoints(transcript: &mut Transcript) {
    transcript.about("Checkpoints");
    fs::write(transcript.path("bad.dxw"), "DXWEIGHT and then nonsense").unwrap();
    fs::write(transcript.path("file"), "").unwrap();
    transcript.refused(&[
        &["eval", "bad.dxw", "--against", "greedy"],
        &["eval", "nowhere", "--against", "greedy"],
        &["match", "greedy", "net:bad.dxw"],
        &["train", "small.toml", "--from", "bad.dxw"],
        &["export", "checkpoints/3x3", "--to", "file"],
        &["export", "nowhere", "--to", "out"],
    ]);
    transcript.failed(&[(1, &["export", "checkpoints/3x3", "--to", "file/bot"])]);
}

fn proofs(transcript: &mut Transcript) {
    transcript.about("Proofs and books");
    let prove = ["prove", "3x3", "--log", "proof", "--log-from", "500", "--threads", "1", "-q"];
    succeed(transcript.folder(), &prove);
    let whole = fs::read_to_string(transcript.path("proof")).unwrap();
    let line = whole.lines().find(|line| line.starts_with("3x3:")).unwrap();
    fs::write(transcript.path("damaged"), whole.replacen("..", "..-", 1)).unwrap();
    fs::write(transcript.path("words"), format!("{line}\n# words\nwords\n")).unwrap();
    fs::write(transcript.path("empty"), "").unwrap();
    // The margin is -3.
    fs::write(transcript.path("false"), "3x3:0x0 -1..9 1 3d9129f7\n").unwrap();
    transcript.refused(&[
        &["prove", "3x4", "--log", "new", "--at-least", "x"],
        &["prove", "3x4", "3x3", "--log", "new"],
        &["prove", "3x4", "3x4:0x1", "--log", "new", "--at", "localhost", "--key", "key"],
        &["prove", "3x4", "--log", "proof"],
        &["prove", "merge", "new", "empty"],
        &["book", "show", "--log", "none"],
        &["book", "show", "2x2"],
        &["book", "show", "5x5:0xg"],
    ]);
    transcript.failed(&[
        (3, &["prove", "check", "empty"]),
        (3, &["prove", "check", "words"]),
        (3, &["prove", "merge", "merged", "words"]),
        (3, &["book", "show", "--log", "damaged"]),
        (3, &["book", "show", "--log", "empty"]),
        (3, &["book", "check", "--log", "empty"]),
        (5, &["prove", "check", "proof", "--sample", "2", "--seed", "1", "-q"]),
        (5, &["book", "check", "--log", "proof", "--sample", "all", "--budget", "1", "-q"]),
        (3, &["prove", "check", "false", "--sample", "all", "-q"]),
        (3, &["prove", "check", "false", "--sample", "all", "--budget", "1000", "-q"]),
    ]);
    assert!(!transcript.path("new").exists(), "a refused command writes nothing");
}

fn runs(transcript: &mut Transcript) {
    transcript.about("Runs");
    succeed(transcript.folder(), &["train", "small.toml", "--run", "run", "-q"]);
    let run = transcript.path("run");
    // Each stands in a folder of its own, which gives it its name here.
    let newest = "checkpoints/gen-000002";
    let emptied = |name: &'static str| move |run: &Path| fs::write(run.join(name), "").unwrap();
    let removed = |name: &'static str| {
        move |run: &Path| match run.join(name) {
            path if path.is_dir() => fs::remove_dir_all(path).unwrap(),
            path => fs::remove_file(path).unwrap(),
        }
    };
    let changed = |from: &'static str, to: &'static str| {
        move |run: &Path| {
            let config = fs::read_to_string(run.join("config.toml")).unwrap();
            assert!(config.contains(from), "{config}");
            fs::write(run.join("config.toml"), config.replacen(from, to, 1)).unwrap();
        }
    };
    type Damage<'a> = Box<dyn Fn(&Path) + 'a>;
    let damages: Vec<(i32, &str, Damage)> = vec![
        (3, "empty-weights", Box::new(emptied("checkpoints/gen-000002/ema.dxw"))),
        (3, "empty-optimizer", Box::new(emptied("checkpoints/gen-000002/optimizer.bin"))),
        (3, "empty-state", Box::new(emptied("checkpoints/gen-000002/state.json"))),
        (3, "empty-shard", Box::new(emptied("shards/gen-000002.shard"))),
        (
            3,
            "swapped-weights",
            Box::new(|run| {
                let weights = |generation: &str| run.join("checkpoints").join(generation).join("ema.dxw");
                fs::copy(weights("gen-000001"), weights("gen-000002")).unwrap();
            }),
        ),
        (
            3,
            "misplaced-checkpoint",
            Box::new(|run| {
                fs::rename(run.join(newest), run.join("checkpoints/gen-000009")).unwrap();
            }),
        ),
        (2, "no-shards", Box::new(removed("shards"))),
        (2, "no-checkpoints", Box::new(removed("checkpoints"))),
        (2, "no-config", Box::new(removed("config.toml"))),
        (2, "empty-config", Box::new(emptied("config.toml"))),
        (2, "other-seed", Box::new(changed("seed = 1", "seed = 2"))),
        (2, "other-batch", Box::new(changed("\nbatch = ", "\nbatch = many # "))),
        (
            2,
            "folder-for-progress",
            Box::new(|run| {
                fs::remove_file(run.join("progress.jsonl")).unwrap();
                fs::create_dir(run.join("progress.jsonl")).unwrap();
            }),
        ),
        (
            2,
            "file-for-tensorboard",
            Box::new(|run| {
                fs::remove_dir_all(run.join("tensorboard")).unwrap();
                fs::write(run.join("tensorboard"), "").unwrap();
            }),
        ),
        (
            2,
            "weights-alone",
            Box::new(|run| {
                fs::copy(run.join(newest).join("ema.dxw"), run.join("ema.dxw")).unwrap();
                removed("checkpoints")(run);
                removed("shards")(run);
            }),
        ),
    ];
    for (status, name, damage) in damages {
        copy(&run, &transcript.path(name));
        damage(&transcript.path(name));
        transcript.run(status, &["train", name, "--set", "generations=3"]);
    }
    for i in 0..5 {
        fs::create_dir_all(transcript.path("photos")).unwrap();
        fs::write(transcript.path("photos").join(format!("{i}.jpg")), "").unwrap();
    }
    let train = ["train", "small.toml", "--run"];
    transcript.failed(&[
        (2, &[&train[..], &["photos"]].concat()),
        (1, &[&train[..], &["file/run"]].concat()),
        (2, &[&train[..], &["run", "--from", "run"]].concat()),
        (2, &[&train[..], &["run", "--samples", "run"]].concat()),
        (2, &[&train[..], &["new", "--samples", "nowhere"]].concat()),
        (2, &[&train[..], &["new", "--samples", "run", "--set", "board=2x3"]].concat()),
        (2, &[&train[..], &["new", "--from", "nowhere"]].concat()),
        (2, &[&train[..], &["run", "--set", "seed=7"]].concat()),
        (2, &[&train[..], &["run", "--set", "learn.ema_decay=0.5"]].concat()),
        (2, &[&train[..], &["run", "--set", "generations=1"]].concat()),
        (2, &[&train[..], &["new", "--from", "run", "--set", "network.value_hidden=16"]].concat()),
        (2, &["eval", "swapped-weights", "--against", "first", "--games", "2"]),
    ]);
    assert!(!transcript.path("new").exists(), "a refused command writes nothing");
}

fn tuning(transcript: &mut Transcript) {
    transcript.about("Tune");
    let tune = |arguments: &[&'static str]| [&["tune", "small.toml"], arguments].concat();
    let variants = [
        "learn.batch=64",
        "x: learn.batchsize=64",
        "base: learn.batch=64",
        "lock: learn.batch=64",
        "x: board=3x3",
        "x: resources.threads=2",
        "x: seed=2",
        "x: resources.minutes=2",
        "x: suite.positions=2",
    ];
    for variant in variants {
        transcript.refused(&[&tune(&["--try", variant])]);
    }
    transcript.refused(&[
        &tune(&[]),
        &tune(&["--try", "x: learn.batch=64", "--try", "x: learn.batch=32"]),
        &tune(&["--try", "x: learn.batch=64", "--folder", "photos"]),
        &tune(&["--try", "x: learn.batch=64", "--seeds", "0"]),
    ]);
    assert!(!transcript.path("tune").exists(), "a refused command writes nothing");
}
