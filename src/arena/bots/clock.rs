//! Moves by the clock: the search on one thread, the solver at the root on another, until the time is over or the solver
//! has proved what to draw. A third one sleeps, and stops them both when the time is over.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::board::{Edges, Position};
use crate::search::{Evaluator, MOST_SIMULATIONS, Play, Player};
use crate::solver::{ProvedEdges, Solver, SolverHandle};

/// Nodes of the solver's first attempt at the root, each further one having twice as many: what it learnt stays.
const FIRST_NODES: u64 = 50_000;

/// Beyond so many undrawn edges no solver ends in seconds, and the root is not given to it.
const FURTHEST: usize = 48;

/// Decides a position that is not over within this time, or little more, and tells what it knows of the other edges: those
/// that are proved, where the solver came to something, and else what the search found. `root` shares its table with the
/// solver that the player asks at leaves. Whoever plays `for_margin` alone wants more than a win.
pub(super) fn decide<E: Evaluator>(
    player: &mut Player<E>,
    root: Option<&mut Solver>,
    position: &Position,
    time: Duration,
    for_margin: bool,
) -> Play {
    if let Some(edge) = position.state().free_capture() {
        return Play { edge, proved: None, searched: None };
    }
    let deadline = Instant::now() + time;
    let stop = player.stop();
    stop.store(false, Relaxed);
    let handle = root.as_ref().map(|solver| solver.handle());
    let stop_solvers = || handle.iter().for_each(SolverHandle::stop);
    let (done, waiting) = channel::<()>();
    let play = thread::scope(|scope| {
        let (stop, stop_solvers) = (&stop, &stop_solvers);
        scope.spawn(move || {
            if waiting.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                stop.store(true, Relaxed);
                stop_solvers();
            }
        });
        let solver = root.filter(|_| position.undrawn().len() <= FURTHEST);
        let proving = solver.map(|solver| {
            scope.spawn(move || {
                let proved = prove(solver, position, for_margin, FIRST_NODES, deadline);
                stop.fetch_or(proved.is_final, Relaxed);
                proved.edges
            })
        });
        let (searched, is_settled) = search(player, position);
        if is_settled {
            stop_solvers();
        }
        // Ends when there is nothing left to prove, or is stopped with the time.
        let proved = proving.and_then(|proving| proving.join().ok()).unwrap_or(Edges::EMPTY);
        drop(done);
        // A search without a doubt may have found a win where the solver, stopped by it, had come to a tie.
        let Some(lowest) = proved.lowest().filter(|_| !is_settled) else { return searched };
        // Of the edges that are proved, the searched one is as good as any, and knows more about what is hard to play.
        let edge = if proved.contains(searched.edge) { searched.edge } else { lowest };
        Play { edge, proved: Some(proved), searched: None }
    });
    // Only now, when nobody is left who would stop them.
    handle.iter().for_each(SolverHandle::resume);
    play
}

/// The edges that the solver proves by the deadline to be the best or, unless the margin is all that is played for, to win or
/// tie; none where it cannot.
fn prove(solver: &mut Solver, position: &Position, for_margin: bool, mut nodes: u64, deadline: Instant) -> ProvedEdges {
    let (state, lead) = (position.state(), position.lead());
    let mut kept = ProvedEdges { edges: Edges::EMPTY, is_final: false };
    while Instant::now() < deadline {
        let proved = if for_margin {
            let edges = solver.best_edges(state, nodes);
            ProvedEdges { edges, is_final: !edges.is_empty() }
        } else {
            solver.proved_edges(state, lead, nodes)
        };
        if proved.is_final {
            return proved;
        }
        if !proved.edges.is_empty() {
            kept = proved;
        }
        if solver.was_stopped() {
            break;
        }
        nodes = nodes.saturating_mul(2);
    }
    kept
}

/// Searches until it is stopped, or nothing is left to search; the flag says whether it left no doubt.
fn search<E: Evaluator>(player: &mut Player<E>, position: &Position) -> (Play, bool) {
    player.set_simulations(MOST_SIMULATIONS);
    let play = player.search(position);
    let is_short = play.searched.as_ref().is_some_and(|outcome| outcome.simulations < MOST_SIMULATIONS);
    (play, is_short && !player.stop().load(Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::positions;
    use crate::board::{Board, Edge, Position, State};
    use crate::search::{Budget, Cached, UniformEvaluator, equivalent_moves};
    use crate::solver::tests::edge_margin;

    /// A player without knowledge, and a solver on its table for the root.
    fn player_and_root(board: Board) -> (Player<Cached<UniformEvaluator>>, Option<Solver>) {
        let mut player = Budget::new(10, 1000).player(board, UniformEvaluator);
        let root = player.worker();
        (player, root)
    }

    /// A whole game by the clock on a board where the solver is soon done: nobody gives the board's value away, and no
    /// time is waited for that is not needed.
    #[test]
    fn proved_moves_are_played_before_the_time_is_over() {
        let board = Board::new(3, 3).unwrap();
        let (mut player, mut root) = player_and_root(board);
        let mut exact = Solver::new(board, 1 << 18);
        let mut position = Position::new(board);
        let margin = exact.margin(position.state(), u64::MAX).unwrap();
        let start = Instant::now();
        while !position.is_over() {
            let edge = decide(&mut player, root.as_mut(), &position, Duration::from_secs(100), false).edge;
            position.play(edge).unwrap();
        }
        assert_eq!(position.scores()[0] as i32 - position.scores()[1] as i32, margin);
        assert!(start.elapsed() < Duration::from_secs(100), "a single move had that much");
    }

    /// Whether the player to move wins (1), ties or loses (-1) with this edge.
    fn result_of(exact: &mut Solver, position: &Position, edge: Edge) -> i32 {
        (position.lead() + edge_margin(exact, position.state(), edge)).signum()
    }

    /// What the nonce may choose instead is as good: proved near the end, and far from it what the search thinks.
    #[test]
    fn what_is_known_of_the_other_edges_is_told() {
        let board = Board::new(3, 3).unwrap();
        let (mut player, mut root) = player_and_root(board);
        let mut exact = Solver::new(board, 1 << 16);
        let mut others = 0;
        for position in positions(board, 100, 22).filter(|position| position.state().free_capture().is_none()) {
            let mut result_of = |edge| result_of(&mut exact, &position, edge);
            let play = decide(&mut player, root.as_mut(), &position, Duration::from_secs(100), false);
            let result = result_of(play.edge);
            assert!(position.undrawn().iter().all(|edge| result_of(edge) <= result), "{position}");
            let edges = equivalent_moves(&position, &play, 0.0);
            assert!(edges.iter().all(|edge| result_of(edge) == result), "{position}");
            others += edges.len() - 1;
        }
        assert!(others > 100, "{others}");

        let board = Board::new(5, 5).unwrap();
        let position = Position::from_state(State::from_drawn(board, board.all().iter().step_by(8).collect()));
        let (mut player, mut root) = player_and_root(board);
        let play = decide(&mut player, root.as_mut(), &position, Duration::from_millis(50), false);
        assert_eq!(play.proved, None);
        assert!(play.searched.is_some());
        assert!(equivalent_moves(&position, &play, 2.0).len() > equivalent_moves(&position, &play, -1.0).len());
    }

    /// A tie that is proved first is not taken for all that there is: proving goes on until nothing better can come.
    #[test]
    fn a_win_is_looked_for_behind_a_tie() {
        /// Nodes that prove a tie now and then where there is a win.
        const FEW: u64 = 256;
        let board = Board::new(3, 4).unwrap();
        let mut exact = Solver::new(board, 1 << 16);
        let mut behind_ties = 0;
        for position in positions(board, 300, 21) {
            let (state, lead) = (position.state(), position.lead());
            let mut result_of = |edge| result_of(&mut exact, &position, edge);
            let best = position.undrawn().iter().map(&mut result_of).max().unwrap();
            let first = Solver::new(board, 1 << 12).proved_edges(state, lead, FEW).edges;
            behind_ties += first.iter().any(|edge| result_of(edge) < best) as usize;
            let far = Instant::now() + Duration::from_secs(1000);
            let ProvedEdges { edges: proved, is_final } =
                prove(&mut Solver::new(board, 1 << 12), &position, false, FEW, far);
            assert!(is_final && !proved.is_empty());
            assert!(proved.iter().all(|edge| result_of(edge) == best), "{position}");
            // For the margin alone a win is not enough.
            let ProvedEdges { edges: proved, is_final } =
                prove(&mut Solver::new(board, 1 << 12), &position, true, FEW, far);
            let best = exact.best_edges(state, u64::MAX);
            assert!(is_final && !proved.is_empty() && proved.difference(best).is_empty(), "{position}");
        }
        assert!(behind_ties > 0);
    }

    /// Leaves that the solver would be at for hours do not hold a move up, near the empty board or further on.
    #[test]
    fn the_time_is_over_for_leaves_too() {
        let board = Board::new(5, 5).unwrap();
        let mut budget = Budget::new(10, 1000);
        let settings = &mut budget.settings;
        (settings.solver_nodes, settings.solver_safe, settings.solver_undrawn) = (u64::MAX / 2, 60, 60);
        let mut player = budget.player(board, UniformEvaluator);
        let mut root = player.worker();
        for drawn in [0, 16] {
            let position =
                Position::from_state(State::from_drawn(board, board.all().iter().step_by(3).take(drawn).collect()));
            let start = Instant::now();
            let edge = decide(&mut player, root.as_mut(), &position, Duration::from_millis(50), false).edge;
            assert!(position.undrawn().contains(edge));
            assert!((0.05..20.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
        }
        // What was stopped works again.
        assert_eq!(root.map(|mut solver| solver.margin(State::from_undrawn(board, Edges::EMPTY), 1000)), Some(Some(0)));
    }

    #[test]
    fn hopeless_moves_are_played_in_time() {
        let board = Board::new(5, 5).unwrap();
        let (mut player, mut root) = player_and_root(board);
        let start = Instant::now();
        // As far from the end as a solver is asked at the root.
        let drawn = board.all().iter().step_by(4).take(12).collect();
        let position = Position::from_state(State::from_drawn(board, drawn));
        assert_eq!(position.undrawn().len(), FURTHEST);
        let edge = decide(&mut player, root.as_mut(), &position, Duration::from_millis(50), false).edge;
        assert!(position.undrawn().contains(edge));
        // A machine under load may take its time, but not what the solver would.
        assert!((0.05..5.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
        assert_eq!(player.worker().map(|solver| solver.board()), Some(board));
    }
}
