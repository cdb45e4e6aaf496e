//! Messages about bots, matches and their logs.

use std::fs;

use super::transcript::Transcript;
use crate::common::succeed;
use doublecross::board::Position;
use doublecross::protocol::format_observation;

pub fn matches(transcript: &mut Transcript) {
    transcript.about("Bots and matches");
    transcript.refused(&[
        &["match", "greedy", "gredy"],
        &["match", "mcts", "random"],
        &["match", "greedy", "uniform:"],
        &["match", "greedy", "level"],
        &["match", "greedy", "level:11"],
        &["match", "greedy", "levle:3"],
        &["match", "greedy", "solver:"],
        &["match", "greedy", "solver:many"],
        &["match", "greedy", "random:3"],
        &["match", "greedy", "net:"],
        &["match", "greedy", "exec:"],
        &["match", "greedy", "net,seconds=1e19"],
        &["match", "greedy", "net,simms=5"],
        &["match", "greedy", "net,sims"],
        &["match", "greedy", "net,sims=5,seconds=1"],
        &["match", "greedy", "mcts:5,sims=6"],
        &["match", "mcts:100000000", "first"],
        &["match", "greedy", "net:checkpoints/3x3,sims=1", "--board", "2x2"],
        &["match", "net:checkpoints/3x3,sims=1", "first", "--board", "2x3"],
        &["match", "greedy", "net:my run"],
        &["match", "uniform:4,book=2", "random", "--games", "2", "--board", "2x2"],
        &["match", "first", "random", "--board", "1x1", "--opening", "5"],
        &["match", "first", "random", "--timeout", "0"],
        &["match", "first", "random", "--memory", "lots"],
        &["bot", "nonsense"],
        &["bot", "mcts,sims=100"],
        &["bot", "level:3,nodes=5"],
        &["eval", "checkpoints/3x3", "--against", "gredy"],
        &["eval", "checkpoints/3x3", "--board", "3x3"],
        &["eval", "checkpoints/3x3", "--against", "first", "--board", "2x3"],
    ]);
    let short = ["--board", "1x1", "--games", "2", "--no-sandbox"];
    let exec = |command: &'static str| [&["match", command, "first"], &short[..]].concat();
    transcript.failed(&[
        (1, &["match", "greedy", "first", "--games", "1000000", "--log", "nowhere/log"]),
        (0, &["match", "net:checkpoints/any,sims=1", "first", "--board", "2x3", "--games", "2"]),
    ]);
    for command in [
        "exec:exit 3",
        "exec:echo one >&2; echo two >&2; kill -9 $$",
        "exec:echo 'MemoryError: no 8 GiB' >&2; exit 1",
        "exec:while read line; do echo garbage; done",
        r#"exec:while read line; do echo '{"orient":"H","r":9,"c":0}'; done"#,
        "exec:read line; exec >&- <&-; sleep 9",
    ] {
        transcript.run_shown(4, &exec(command));
    }
    transcript.run_shown(4, &[&exec("exec:while read line; do sleep 9; done")[..], &["--timeout", "200ms"]].concat());
    transcript.run_shown(0, &["match", "first", "first", "--board", "2x2", "--games", "6", "--opening", "0"]);
    transcript.run(4, &["eval", "checkpoints/3x3", "--against", "exec:exit 3", "--games", "2", "--no-sandbox"]);
    let good = format_observation(&"1x1 H0,0".parse::<Position>().unwrap(), 0, 1);
    let odd = good.replace("[[-1]]", "7");
    assert_ne!(good, odd);
    transcript.feed(0, &["bot", "first"], &format!("{odd}\nno JSON\n{{\"h\":3}}\n"));
    transcript.feed(0, &["bot", "exec:echo why >&2; exit 3", "--no-sandbox"], &format!("{good}\n"));
}

pub fn logs(transcript: &mut Transcript) {
    transcript.about("Logs of matches");
    let play = ["match", "first", "random", "--board", "1x1", "--games", "2", "--log", "games.jsonl", "-q"];
    succeed(transcript.folder(), &play);
    let log = fs::read_to_string(transcript.path("games.jsonl")).unwrap();
    let line = log.lines().next().unwrap();
    transcript.write("damaged.jsonl", format!("{log}no game\n"));
    // Before the times, whose length differs.
    let cut = log.rfind("\"seconds\"").expect("a line should have its times");
    transcript.write("cut.jsonl", &log[..cut]);
    transcript.write("no-log.toml", "seed = 1\n");
    transcript.write("empty.jsonl", "");
    let game = |bots: &str, moves: &str, scores: &str| {
        format!("{{\"board\":\"1x1\",\"bots\":{bots},\"nonce\":7,\"moves\":{moves},\"scores\":{scores}}}\n")
    };
    let both = "[\"first\",\"random\"]";
    let wrong = [
        game(both, "[0,1,2]", "[0,0]"),
        game(both, "[0,0,1,2,3]", "[0,1]"),
        game(both, "[0,1,2,3]", "[1,0]"),
        game(both, "[0,1,2,3]", "[0,1]").replace("}", ",\"opening\":9}"),
        game(both, "[0,1,2,3]", "[0,1]").replace("}", ",\"faults\":[99,0]}"),
        game(both, "[3,2,1,0]", "[0,1]"),
        game(both, "[0,1,2,3]", "[0,1]").replace("1x1", "0x0"),
    ];
    transcript.write("wrong.jsonl", wrong.concat());
    transcript.write("half.jsonl", &wrong[0]);
    let fields = [game("[\"first\"]", "[0]", "[0,1]"), game(both, "\"x\"", "[0,1]"), game(both, "[0]", "[]")];
    transcript.write("fields.jsonl", fields.concat());
    let network = "[\"net,sims=1\",\"net:nowhere\"]";
    let networks = game(network, "[0,1,2,3]", "[0,1]");
    transcript.write("networks.jsonl", networks.replace("}", ",\"isa\":\"another\"}") + &networks);
    let groups = [game("[\"a\",\"b\"]", "[0,1,2,3]", "[0,1]"), game("[\"c\",\"d\"]", "[0,1,2,3]", "[0,1]")];
    transcript.write("groups.jsonl", [&groups.concat(), line, "\n", line, "\n"].concat());
    transcript.refused(&[
        &["replay", "nowhere"],
        &["replay", "a folder/with, commas"],
        &["replay", "empty.jsonl"],
        &["leaderboard", "nowhere"],
        &["replay", "games.jsonl", "--rules", "--show", "61"],
        &["match", "first", "random", "--board", "2x2", "--games", "2", "--log", "no-log.toml"],
    ]);
    transcript.failed(&[
        (3, &["replay", "damaged.jsonl"]),
        (0, &["replay", "cut.jsonl"]),
        (2, &["replay", "fields.jsonl"]),
    ]);
    transcript.run_shown(3, &["replay", "wrong.jsonl"]);
    transcript.run_shown(0, &["replay", "networks.jsonl"]);
    transcript.failed(&[(2, &["leaderboard", "half.jsonl"]), (0, &["leaderboard", "groups.jsonl"])]);
}
