//! Any bytes as a match log: every line is a game or damaged, and a game that follows the rules is written as it was read.
#![no_main]

use doublecross_arena::parse_log;
use doublecross_core::protocol::numbered_lines;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (games, damaged) = parse_log(bytes);
    assert_eq!(games.len() + damaged.len(), numbered_lines(bytes).count());
    for (_, game) in games {
        if let Ok((board, moves)) = game.replay() {
            assert_eq!(moves.len(), board.edges());
        }
        let line = serde_json::to_vec(&game).expect("a game is JSON");
        let (again, damaged) = parse_log(&line);
        assert!(damaged.is_empty() && again.len() == 1 && again[0].1 == game, "{game:?}");
    }
});
