//! Nodes and times of the solver on positions further and further from the end of the game, on one
//! core and with a fresh table for each.
//!
//! `cargo bench --bench solver` prints tables of nodes and microseconds, then divan's timings of
//! whole lists. `-- --deep` prints the same for positions that take seconds each and for whole
//! boards, and the number of proved moves. `-- --tables` prints the nodes with tables that are
//! smaller than the search.

use std::path::Path;
use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;
use doublecross::arena::random::{Purpose, stream};
use doublecross::arena::suite::Suite;
use doublecross::board::{Board, Edge, State};
use doublecross::solver::Solver;
use rand::RngExt;

const TABLE: usize = 1 << 20;

/// Positions of one board.
struct List {
    name: &'static str,
    board: Board,
    states: Vec<State>,
}

/// Returns the positions of a suite with this number of undrawn edges.
fn suite(name: &'static str, file: &str, undrawn: usize) -> List {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/suites/{file}.tsv"));
    let Suite { board, positions, .. } = Suite::read(&path).expect("the suite should be there");
    let states = positions.iter().map(|position| position.state).filter(|state| state.undrawn().len() == undrawn);
    List { name, board, states: states.collect() }
}

/// Returns positions of random play on 5x5 with this number of undrawn edges. The play takes boxes
/// on offer and gives none away as long as it can.
fn careful(name: &'static str, undrawn: usize, count: usize) -> List {
    let board = Board::new(5, 5).expect("the board should exist");
    let mut rng = stream(1, undrawn as u64, 0, Purpose::SelfPlay);
    let mut states = Vec::new();
    while states.len() < count {
        let mut state = State::new(board);
        while state.undrawn().len() > undrawn {
            let all: Vec<Edge> = state.undrawn().iter().collect();
            let those = |keep: &dyn Fn(Edge) -> bool| all.iter().copied().filter(|&e| keep(e)).collect::<Vec<_>>();
            let captures = those(&|edge| state.captures(edge) > 0);
            let safe = those(&|edge| state.after(edge).is_capture_free());
            let choices = [captures, safe, all.clone()].into_iter().find(|list| !list.is_empty()).unwrap_or_default();
            state = state.after(choices[rng.random_range(0..choices.len())]);
        }
        if state.is_capture_free() {
            states.push(state);
        }
    }
    List { name, board, states }
}

fn lists() -> Vec<List> {
    vec![
        suite("strong 30", "5x5-strong", 30),
        suite("strong 32", "5x5-strong", 32),
        suite("careful 32", "5x5-careful", 32),
        suite("careful 34", "5x5-careful", 34),
        suite("careful 36", "5x5-careful", 36),
        careful("careful 38", 38, 50),
    ]
}

fn deep_lists() -> Vec<List> {
    let empty = |name, rows, cols| {
        let board = Board::new(rows, cols).expect("the board should exist");
        List { name, board, states: vec![State::new(board)] }
    };
    vec![careful("careful 40", 40, 30), careful("careful 42", 42, 10), empty("3x4", 3, 4), empty("4x4", 4, 4)]
}

/// Prints the median, the 90th and 99th percentile and the maximum of nodes and of time of each
/// list.
fn print_table(lists: &[List], entries: usize) {
    println!("{:12} {:>50}   {:>45}", "", "nodes: median p90 p99 max", "microseconds: median p90 p99 max   M nodes/s");
    for List { name, board, states } in lists {
        let mut solver = Solver::new(*board, entries);
        // The first round only makes the system provide the table's memory.
        for round in 0..2 {
            let (mut nodes, mut times) = (Vec::new(), Vec::new());
            for &state in states.iter().take(if round == 0 { 20.min(states.len() / 2) } else { usize::MAX }) {
                solver.clear();
                let start = Instant::now();
                assert!(solver.margin(state, u64::MAX).is_some());
                times.push(start.elapsed().as_nanos() as f64 / 1e3);
                nodes.push(solver.nodes() as f64);
            }
            if round == 1 {
                let rate = nodes.iter().sum::<f64>() / times.iter().sum::<f64>();
                let (nodes, times) = (row(nodes), row(times));
                println!("{name:12} {nodes:>50}   {times:>45}   {rate:.2}");
            }
        }
    }
}

fn row(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    format!("{:.0} {:.0} {:.0} {:.0}", at(0.5), at(0.9), at(0.99), at(1.0))
}

/// Prints the cost of a leaf to a search: the share settled and the mean time with a small budget,
/// with a fresh table for each.
fn print_leaves(budget: u64) {
    println!("\nleaves of careful play, {budget} nodes at most: share settled and mean microseconds");
    for undrawn in [20, 24, 28, 30, 32, 34] {
        let List { board, states, .. } = careful("", undrawn, 400);
        let mut solver = Solver::new(board, 1 << 16);
        let mut time = |query: &mut dyn FnMut(&mut Solver, State) -> bool| {
            let (mut settled, mut spent) = (0, 0.0);
            for &state in &states {
                solver.clear();
                let start = Instant::now();
                settled += query(&mut solver, state) as usize;
                spent += start.elapsed().as_secs_f64();
            }
            let count = states.len() as f64;
            format!("{:3.0} % {:4.0}", 100.0 * settled as f64 / count, 1e6 * spent / count)
        };
        let margin = time(&mut |solver, state| solver.margin(state, budget).is_some());
        let win = time(&mut |solver, state| solver.is_at_least(state, 1, budget).is_some());
        println!("{undrawn} undrawn: margin {margin}, who wins {win}");
    }
}

/// Prints how often a player with this budget has a proved move, by the margin and by the result.
fn print_proved_moves(budget: u64) {
    println!("\nproved moves on careful play with {budget} nodes: by the margin alone, and by margin or result");
    for undrawn in [36, 38, 40, 42] {
        let List { board, states, .. } = careful("", undrawn, 60);
        let mut solver = Solver::new(board, TABLE);
        let (mut by_margin, mut by_result) = (0, 0);
        for &state in &states {
            solver.clear();
            by_margin += !solver.solve(state, budget).best.is_empty() as usize;
            solver.clear();
            by_result += !solver.proved_edges(state, 0, budget).edges.is_empty() as usize;
        }
        println!("{undrawn} undrawn: {by_margin} and {by_result} of {}", states.len());
    }
}

/// Prints the nodes of both questions about the empty 4x4 board, by the size of the table.
fn print_tables() {
    let board = Board::new(4, 4).expect("the board should exist");
    println!(
        "the empty 4x4 board, one thread: nodes for \"at least 0?\" and for \"at least 2?\" by entries of the table"
    );
    for entries in [1 << 27, 1 << 24, 1 << 22, 1 << 20] {
        let nodes = [0, 2].map(|margin| {
            let mut solver = Solver::new(board, entries);
            assert_eq!(solver.is_at_least(State::new(board), margin, u64::MAX), Some(margin == 0));
            solver.nodes()
        });
        println!("{entries:11}: {:11} {:11}", nodes[0], nodes[1]);
    }
}

#[divan::bench(args = 0..6usize, sample_count = 5)]
fn margins(bencher: Bencher, index: usize) {
    let List { board, states, .. } = lists().remove(index);
    let mut solver = Solver::new(board, TABLE);
    bencher.counter(ItemsCount::new(states.len())).bench_local(|| {
        for &state in &states {
            solver.clear();
            divan::black_box(solver.margin(state, u64::MAX));
        }
    });
}

fn main() {
    let has_flag = |flag: &str| std::env::args().any(|argument| argument == flag);
    if has_flag("--deep") {
        print_table(&deep_lists(), 1 << 24);
        print_proved_moves(200_000);
        return;
    }
    if has_flag("--tables") {
        print_tables();
        return;
    }
    print_table(&lists(), TABLE);
    print_leaves(1000);
    println!("\nmargins of whole lists, in the order above:");
    divan::main();
}
