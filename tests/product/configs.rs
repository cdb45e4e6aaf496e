//! Configs for every board, and what a run says of itself, in folders without a checkout.

use std::fs;
use std::path::Path;
use std::process::Command;

use doublecross::run::Config;

use crate::common::{DOUBLECROSS, program, progress, repository, run, succeed};

/// Overrides by which a generation takes a moment.
const TINY: [&str; 9] = [
    "generations=2",
    "network.channels=16",
    "network.blocks=1",
    "selfplay.games=6",
    "selfplay.simulations=8",
    "labeled.positions=3",
    "labeled.nodes=2000",
    "suite.nodes=2000",
    "finish.games=0",
];

/// Trains a config with overrides, and returns what was printed on stderr.
fn told(folder: &Path, config: &str, run: &str, overrides: &[&str]) -> String {
    let mut command = program(folder);
    command.args(["train", config, "--run", run]);
    for text in overrides {
        command.args(["--set", text]);
    }
    let output = command.output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{config} {overrides:?}: {errors}");
    errors
}

#[test]
fn a_config_for_any_board_is_printed_and_read() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    for (board, like) in [("2x2", "3x3"), ("2x3", "3x3"), ("3x5", "4x4"), ("6x6", "5x5"), ("9x9", "5x5")] {
        let text = succeed(folder, &["config", board]);
        assert!(text.starts_with(&format!("# {board} with the settings of {like}; ")), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 150), "{text}");
        fs::write(folder.join("mine.toml"), &text).unwrap();
        assert_eq!(succeed(folder, &["config", "mine.toml"]), text);
        let config = Config::load(&folder.join("mine.toml"), &[]).unwrap();
        assert_eq!(config.board.to_string(), board);
        assert!(config.reach < config.board.edges() && config.selfplay.root_undrawn.is_none(), "{board}");
        assert_eq!(succeed(folder, &["config", like, "--set", &format!("board={board}")]), text);
    }
    // A preset is printed as it is.
    for name in ["smoke", "3x3", "3x3-alone", "4x4", "5x5", "any"] {
        let text = fs::read_to_string(repository(&format!("configs/{name}.toml"))).unwrap();
        assert_eq!(succeed(folder, &["config", name]), text, "{name}");
    }
    let without = succeed(folder, &["config", "4x4", "--set", "selfplay.leaf_undrawn=none", "--set", "seed=7"]);
    assert!(without.contains("\n# leaf_undrawn = 20 ") && without.contains("\nseed = 7 "), "{without}");
    for name in ["3x3", "4x4", "5x5", "5x5-large", "5x5-small", "any"] {
        let path = repository(&format!("checkpoints/{name}/config.toml")).display().to_string();
        assert!(succeed(folder, &["config", &path]).contains("# Board to play"), "{name}");
    }
    let output = run(folder, &["config", "4x"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_board_without_a_preset_is_trained() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("alone.toml"), "board = \"2x2\"").unwrap();
    told(folder, "alone.toml", "alone", &TINY);
    assert_eq!(progress(&folder.join("alone")).len(), 2);
    // With the solver, labels and a suite.
    told(folder, "2x2", "small", &[&TINY[..], &["generations=3"]].concat());
    let records = progress(&folder.join("small"));
    assert!(records.len() == 3 && records[2]["suite_search_optimal"].is_f64(), "{records:?}");
    for board in ["board=3x3", "board=6x6"] {
        told(folder, "smoke", board, &[&TINY[..], &["generations=1", "suite.simulations=2", board]].concat());
        assert!(progress(&folder.join(board))[0]["games"] == 6, "{board}");
    }
    // By a name alone, in the folder of that name.
    let mut command = program(folder);
    command.args(["train", "3x3"]);
    for text in TINY {
        command.args(["--set", text]);
    }
    assert!(command.output().unwrap().status.success());
    assert_eq!(progress(&folder.join("runs/3x3")).len(), 2);
}

/// The commands that a run names can be pasted into a shell.
#[cfg(unix)]
#[test]
fn a_run_says_how_to_watch_it_and_what_to_do_with_it() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let errors = told(folder, "smoke", "my run's", &[&TINY[..], &["generations=1"]].concat());
    let quoted = r"'my run'\''s'";
    for line in [
        format!("new run in {quoted}"),
        format!("watch it: doublecross serve --run {quoted}"),
        format!("      or: tensorboard --logdir {quoted}"),
        format!("play against it: doublecross serve {quoted}"),
        format!("export it: doublecross export {quoted} --to my-bot"),
        format!(
            "let it play without the solver: doublecross match {},nodes=0' chains",
            quoted.replacen('\'', "'net:", 1).trim_end_matches('\'')
        ),
    ] {
        assert!(errors.lines().any(|found| found == line), "{line}: {errors}");
    }
    let path = format!("{}:/usr/bin:/bin", Path::new(DOUBLECROSS).parent().unwrap().display());
    for start in ["export it: ", "let it play without the solver: "] {
        let command = errors.lines().find_map(|line| line.strip_prefix(start)).unwrap();
        let command = format!("{} {}", command, if start.starts_with("let") { "--games 2 --board 2x2" } else { "" });
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).current_dir(folder).env("PATH", &path);
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
    // A finished run says so, and what it is good for.
    let errors = told(folder, "my run's", "my run's", &[]);
    assert!(errors.contains("is finished after generation 1") && !errors.contains("watch it"), "{errors}");
    assert!(errors.contains("play against it: "), "{errors}");
}

/// A limit on the size of files stands for a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_run_without_space_says_how_to_resume() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let settings = TINY.map(|text| format!("--set {text}")).join(" ");
    let command = format!("trap '' XFSZ; ulimit -f 8; exec {DOUBLECROSS} train smoke --run 'a run' {settings}");
    let output = Command::new("bash").args(["-c", &command]).current_dir(folder).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let advice = "(make room, then resume with `doublecross train 'a run'`: what is done is kept)";
    assert!(errors.trim_end().ends_with(advice), "{errors}");
    succeed(folder, &["train", "a run"]);
    assert_eq!(progress(&folder.join("a run")).len(), 2);
}
