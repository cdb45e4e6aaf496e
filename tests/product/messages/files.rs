//! Messages about suites and puzzles, and about files that exist.

use std::fs;

use super::transcript::Transcript;
use crate::common::{repository, succeed};

pub fn puzzles_and_suites(transcript: &mut Transcript) {
    transcript.about("Puzzles and suites");
    let suite = fs::read_to_string(repository("tests/data/suites/3x3.tsv")).unwrap();
    let row = suite.lines().find(|line| line.starts_with("3x3")).unwrap();
    let changed = |column: usize, text: &str| {
        let mut fields: Vec<&str> = row.split('\t').collect();
        fields[column] = text;
        fields.join("\t") + "\n"
    };
    transcript.write("nothing.tsv", "");
    transcript.write("columns.tsv", row.rsplit_once('\t').unwrap().0);
    transcript.write("board.tsv", changed(0, "3by3"));
    transcript.write("undrawn.tsv", changed(2, "7"));
    transcript.write("edges.tsv", changed(3, "0xzz"));
    transcript.write("number.tsv", changed(4, "x"));
    transcript.write("margin.tsv", changed(4, "40"));
    transcript.write("best.tsv", changed(5, "0x0"));
    transcript.write("boards.tsv", format!("{row}\n2x2\trandom\t12\t0x0\t2\t0x1\n"));
    for name in ["nowhere", "nothing", "columns", "board", "undrawn", "edges", "number", "margin", "best", "boards"] {
        transcript.refused(&[&["eval", "checkpoints/3x3", "--suite", &format!("{name}.tsv")]]);
    }
    transcript.refused(&[
        &["eval", "checkpoints/3x3", "--suite", "tests/data/suites/4x4.tsv"],
        &["eval", "checkpoints/3x3", "--suite", "tests/data/suites/3x3.tsv", "--from-undrawn", "20"],
        &["suite", "--like", "nowhere"],
        &["suite", "--like", "tests/data/suites/4x4-deep.tsv"],
        &["suite", "--kind", "nonsense"],
        &["suite", "--board", "2x2", "--undrawn", "13"],
        &["suite", "--board", "2x2", "--undrawn", "6", "--without", "tests/data/suites/3x3.tsv"],
        &["suite", "--board", "4x4", "--undrawn", "36", "--nodes", "1"],
    ]);
    transcript.run(0, &["suite", "--board", "2x2", "--undrawn", "12", "--positions", "5", "--out", "few.tsv"]);

    let make = ["puzzles", "--board", "2x3", "--games", "30", "--count", "1", "-q"];
    let puzzles = succeed(transcript.folder(), &make);
    let (_, game) = puzzles.split_once("\"game\":\"").unwrap();
    let game = game.split('"').next().unwrap().to_string();
    transcript.write("file", "");
    transcript.write("format.json", puzzles.replace("\"format\":1", "\"format\":7"));
    transcript.write("game.json", puzzles.replace(&game, &format!("{game}zz")));
    transcript.write("level.json", puzzles.replace("\"level\":", "\"level\":1"));
    transcript.refused(&[
        &["puzzles", "--check", "nowhere"],
        &["puzzles", "--check", "file"],
        &["puzzles", "--check", "format.json"],
        &["puzzles", "--check", "game.json"],
        &["puzzles", "--check", "file", "--count", "1"],
        &["puzzles", "--level", "9"],
        &["puzzles", "--out", "."],
    ]);
    transcript.run_shown(3, &["puzzles", "--check", "level.json"]);
    transcript
        .failed(&[(0, &["puzzles", "--board", "1x2", "--games", "2"]), (1, &["puzzles", "--out", "nowhere/puzzles"])]);
}

pub fn overwriting(transcript: &mut Transcript) {
    transcript.about("Files that exist");
    for name in ["my bots", "man", "page"] {
        fs::create_dir(transcript.path(name)).unwrap();
    }
    for name in ["mine.tsv", "my bots/bot.rs", "my bots/bot.wasm", "man/doublecross.1", "page/index.html"] {
        transcript.write(name, "mine");
    }
    transcript.refused(&[
        &["suite", "--board", "2x2", "--out", "mine.tsv"],
        &["puzzles", "--out", "mine.tsv"],
        &["export", "checkpoints/3x3", "--to", "my bots"],
        &["export", "checkpoints/3x3", "--to", "my bots", "--form", "source"],
        &["prove", "check", "nothing.tsv", "--frontier", "mine.tsv"],
        &["man", "--to", "man"],
        &["serve", "--export", "page"],
        &["export", "checkpoints/3x3", "--to", "/"],
    ]);
    for (name, files) in [("my bots", 2), ("man", 1), ("page", 1)] {
        assert_eq!(fs::read_dir(transcript.path(name)).unwrap().count(), files, "a refused command writes nothing");
    }
    let export = ["export", "checkpoints/any", "--to", "new bots", "--board", "2x3", "--form", "safetensors"];
    transcript.run(0, &export);
}
