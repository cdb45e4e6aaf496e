//! The time and the memory that a bot takes for a move, by the size of the board.
//!
//! `cargo run --release -p doublecross-experiments --bin pace -- BOT BOARD...` has the bot play itself from the empty
//! board on one thread, in a process for each board.

use std::process::Command;
use std::time::Instant;

use doublecross::arena::{Bot, BotSpec};
use doublecross::board::{Board, Position};
use doublecross::built_in;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [bot, boards @ ..] = &arguments[..] else { panic!("expected a bot and boards") };
    if let [board] = boards {
        return measure(bot, board);
    }
    println!("board moves  ms a move: median    mean  largest  MiB");
    for board in boards {
        let program = std::env::current_exe().expect("this program");
        let status = Command::new(program).args([bot, board]).status().expect("it starts");
        assert!(status.success(), "{board}");
    }
}

fn measure(bot: &str, board: &str) {
    let board: Board = board.parse().expect("a board");
    let spec: BotSpec = bot.parse().expect("a bot");
    let mut bots = [(); 2].map(|()| spec.factory(built_in()).expect("a bot").make());
    let mut position = Position::new(board);
    let mut times = Vec::new();
    while !position.is_over() {
        let bot: &mut Box<dyn Bot> = &mut bots[position.mover()];
        let start = Instant::now();
        let edge = bot.choose(&position, times.len() as u64);
        times.push(start.elapsed().as_secs_f64() * 1e3);
        position.play(edge).expect("a legal move");
    }
    let count = times.len();
    let mean = times.iter().sum::<f64>() / count as f64;
    times.sort_unstable_by(f64::total_cmp);
    println!("{board:>5} {count:5} {:17.1} {mean:7.1} {:8.1} {:4}", times[count / 2], times[count - 1], peak_mib());
}

/// The most memory that the process has had, by Linux's account.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") / 1024
}
