//! Moves by the clock: the search on one thread, the solver at the root on another, until the time is over or the solver
//! has proved what to draw.

use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use crate::board::{Edge, Edges, Position};
use crate::search::{Evaluator, Player, free_capture};
use crate::solver::Solver;

/// Simulations of the first search of a move, each further one being up to [`GROWTH`] times as long.
const FIRST: usize = 64;

const GROWTH: usize = 4;

/// Nodes of the solver's first attempt at the root, each further one having twice as many: what it learnt stays.
const FIRST_NODES: u64 = 50_000;

/// The share of the time left that a further search is to take, since the next simulations may be slower.
const CAREFUL: f64 = 0.8;

/// Decides a position that is not over within this time, or little more.
pub(super) fn decide<E: Evaluator>(
    player: &mut Player<E>,
    root: Option<&mut Solver>,
    position: &Position,
    time: Duration,
) -> Edge {
    if let Some(edge) = free_capture(position) {
        return edge;
    }
    let deadline = Instant::now() + time;
    let stop = player.stop();
    stop.store(false, Relaxed);
    let Some(solver) = root else { return search(player, position, deadline).0 };
    let reins = solver.reins();
    thread::scope(|scope| {
        let proving = scope.spawn(|| {
            let proved = prove(solver, position, deadline);
            stop.store(!proved.is_empty(), Relaxed);
            proved
        });
        let (searched, is_settled) = search(player, position, deadline);
        while !is_settled && !proving.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        reins.stop();
        let proved = proving.join().unwrap_or(Edges::EMPTY);
        reins.release();
        // Of the edges that are proved, the searched one is as good as any, and knows more about what is hard to play.
        if proved.contains(searched) { searched } else { proved.lowest().unwrap_or(searched) }
    })
}

/// The edges that the solver proves to be the best, or to win or tie, by the deadline; none where it cannot.
fn prove(solver: &mut Solver, position: &Position, deadline: Instant) -> Edges {
    let mut nodes = FIRST_NODES;
    while Instant::now() < deadline {
        let proved = solver.edges_to_draw(position.drawn(), position.lead(), nodes);
        if !proved.is_empty() || solver.nodes() < nodes / 2 {
            return proved;
        }
        nodes *= 2;
    }
    Edges::EMPTY
}

/// Searches anew with ever more simulations while there is time: evaluations are cached, and leaves that were solved are
/// in the solver's table. The longest search that ended decides; the flag says whether it left no doubt.
fn search<E: Evaluator>(player: &mut Player<E>, position: &Position, deadline: Instant) -> (Edge, bool) {
    let stop = player.stop();
    let mut simulations = FIRST;
    let mut edge = None;
    loop {
        player.set_simulations(simulations);
        let start = Instant::now();
        let play = player.search(position);
        let is_settled = play.searched.as_ref().is_some_and(|outcome| outcome.simulations < simulations);
        let found = *edge.get_or_insert(play.edge);
        if stop.load(Relaxed) {
            return (found, false);
        }
        edge = Some(play.edge);
        let each = start.elapsed().as_secs_f64() / simulations as f64;
        let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        let next = ((left * CAREFUL / each.max(1e-9)) as usize).min(simulations * GROWTH);
        if is_settled || next <= simulations {
            return (play.edge, is_settled);
        }
        simulations = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Position};
    use crate::search::{Budget, UniformEvaluator};

    /// A whole game by the clock on a board where the solver is soon done: nobody gives the board's value away, and no
    /// time is waited for that is not needed.
    #[test]
    fn proved_moves_are_played_before_the_time_is_over() {
        let board = Board::new(3, 3).unwrap();
        let mut player = Budget::new(10, 1000).player(board, UniformEvaluator);
        let mut root = player.companion();
        let mut exact = Solver::new(board, 1 << 18);
        let mut position = Position::new(board);
        let margin = exact.margin(position.drawn(), u64::MAX).unwrap();
        let start = Instant::now();
        while !position.is_over() {
            let edge = decide(&mut player, root.as_mut(), &position, Duration::from_secs(100));
            position.play(edge).unwrap();
        }
        assert_eq!(position.scores()[0] as i32 - position.scores()[1] as i32, margin);
        assert!(start.elapsed() < Duration::from_secs(100), "a single move had that much");
    }

    #[test]
    fn hopeless_moves_are_played_in_time() {
        let board = Board::new(5, 5).unwrap();
        let mut player = Budget::new(10, 1000).player(board, UniformEvaluator);
        let mut root = player.companion();
        let start = Instant::now();
        let edge = decide(&mut player, root.as_mut(), &Position::new(board), Duration::from_millis(50));
        assert!(board.all().contains(edge));
        // A machine under load may take its time, but not what the solver would.
        assert!((0.05..5.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
        assert_eq!(player.companion().map(|solver| solver.board()), Some(board));
    }
}
