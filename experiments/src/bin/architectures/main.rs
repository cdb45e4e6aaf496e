//! Which network learns most in a given time? Networks of several shapes learn the same positions of 5x5 with exact
//! answers for the same number of seconds of one core. They are compared on positions that none has seen, by their likeliest
//! edges and by moves searched for the same time.
//!
//! `cargo run --release -p doublecross-experiments --bin architectures -- SECONDS SAMPLES SEEDS [NAME[@GFLOPS]...]`, where
//! GFLOPS is the speed at which the network is evaluated, by default that of the engine in f32.

mod attention;
mod auxiliary;
mod clock;
mod data;
mod learn;
mod nets;
mod playout;
mod searched;
mod tower;

use std::fmt::{Display, Formatter};
use std::time::Duration;

use doublecross::board::Board;
use rayon::prelude::*;

use data::{Sample, generate};
use learn::{Score, learn, score, score_auxiliary};
use nets::{Net, candidates};
use searched::{ENGINE, Searched, search};

/// Positions that the networks are compared on.
const TEST_SAMPLES: usize = 4000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default| {
        arguments.get(index).map_or(default, |text| text.parse().expect("SECONDS SAMPLES SEEDS, all numbers"))
    };
    let (seconds, samples, seeds) = (number(0, 60), number(1, 60_000), number(2, 3));
    let names: Vec<(&str, f64)> = arguments.iter().skip(3).map(|argument| name_and_speed(argument)).collect();
    let board = Board::new(5, 5).expect("a board");
    let train = generate(board, samples as usize, 1, &[]);
    let test = generate(board, TEST_SAMPLES, 2, &train);
    println!("{} training samples, {} positions to compare on, {seconds} seconds on one core", train.len(), test.len());
    println!(
        "{:<22} {:>8} {:>7} {:>9} {:>8} | {:>7} {:>7} | optimal edge, % (undrawn 28 30 32 34 36, all) | sign, % | simulations, searched, with solver, %",
        "network", "numbers", "MFLOP", "samples/s", "flex/s", "policy", "margin"
    );
    let speed = |net: &Net| match names[..] {
        [] => Some(ENGINE),
        _ => names.iter().find(|(name, _)| net.name == *name).map(|(_, speed)| *speed),
    };
    let nets: Vec<(Net, f64)> =
        candidates(board).into_iter().filter_map(|net| speed(&net).map(|speed| (net, speed))).collect();
    let runs: Vec<(usize, u64)> = (0..nets.len()).flat_map(|net| (0..seeds).map(move |seed| (net, seed))).collect();
    // One run on each core at a time, so that other work on the machine slows all of them alike.
    let results: Vec<(usize, Result)> = runs
        .par_iter()
        .with_max_len(1)
        .map(|&(index, seed)| {
            let result = run(&nets[index], board, &train, &test, Duration::from_secs(seconds), seed);
            eprintln!("{} seed {seed}: {result}", nets[index].0.name);
            (index, result)
        })
        .collect();
    for (index, (net, _)) in nets.iter().enumerate() {
        let of_net: Vec<&Result> = results.iter().filter(|(i, _)| *i == index).map(|(_, result)| result).collect();
        let median = |figure: &dyn Fn(&Result) -> f64| {
            let mut values: Vec<f64> = of_net.iter().map(|result| figure(result)).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let optimal: Vec<String> =
            (0..6).map(|band| format!("{:.1}", 100.0 * median(&|r| r.score.optimal[band]))).collect();
        println!(
            "{:<22} {:>8} {:>7.2} {:>9.0} {:>8.0} | {:>7.3} {:>7.3} | {} | {:.1} | {:.0} {:.1} {:.1}",
            net.name,
            net.numbers(),
            net.operations() as f64 / 1e6,
            median(&|r| r.samples_per_second),
            median(&|r| r.evaluations_per_second),
            median(&|r| r.score.policy_loss),
            median(&|r| r.score.margin_loss),
            optimal.join(" "),
            100.0 * median(&|r| r.score.sign),
            median(&|r| r.searched.simulations as f64),
            100.0 * median(&|r| r.searched.optimal[0]),
            100.0 * median(&|r| r.searched.optimal[1]),
        );
    }
}

/// The result of one network and one seed.
struct Result {
    samples_per_second: f64,
    evaluations_per_second: f64,
    score: Score,
    searched: Searched,
    auxiliary_loss: Option<f64>,
}

impl Display for Result {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        let (score, [without, with]) = (&self.score, self.searched.optimal);
        write!(
            f,
            "{:.0} samples/s, policy {:.4}, margin {:.4}, likeliest edge {:.1} % optimal, sign {:.1} %, \
             {} simulations {:.1} %, with the solver {:.1} %",
            self.samples_per_second,
            score.policy_loss,
            score.margin_loss,
            100.0 * score.optimal[5],
            100.0 * score.sign,
            self.searched.simulations,
            100.0 * without,
            100.0 * with
        )?;
        self.auxiliary_loss.map_or(Ok(()), |loss| write!(f, ", auxiliary {loss:.4}"))
    }
}

/// A network's name and the speed of its evaluations, in operations a second.
fn name_and_speed(argument: &str) -> (&str, f64) {
    match argument.split_once('@') {
        Some((name, speed)) => (name, speed.parse::<f64>().expect("NAME@GFLOPS, a number") * 1e9),
        None => (argument, ENGINE),
    }
}

fn run(
    (net, speed): &(Net, f64),
    board: Board,
    train: &[Sample],
    test: &[Sample],
    time: Duration,
    seed: u64,
) -> Result {
    let (tensors, samples_per_second) = learn(net, board, train, time, seed);
    let auxiliary_loss = score_auxiliary(net, board, &tensors, test);
    let net = net.for_play();
    let (score, evaluations_per_second) = score(&net, board, &tensors, test);
    let searched = search(&net, board, &tensors, test, *speed);
    Result { samples_per_second, evaluations_per_second, score, searched, auxiliary_loss }
}
