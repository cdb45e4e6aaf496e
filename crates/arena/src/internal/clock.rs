//! Play by the clock: the search runs on one thread and the solver at the root on another, until
//! the time is over or one of them has settled the move. A third thread sleeps, and stops both when
//! the time is over.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use doublecross_core::board::{Edges, Position};
use doublecross_core::search::{Evaluator, MOST_SIMULATIONS, Play, Player, reach_on};
use doublecross_core::solver::{ProvedEdges, Solver, SolverHandle};

/// The budget of the solver's first attempt at the root, in nodes. Each further attempt has twice
/// as many, and starts from the table that the one before has filled.
const FIRST_NODES: u64 = 50_000;

/// The most undrawn edges of a position that is given to the solver at the root, on boards of at most
/// 25 boxes. With more, it does not end in seconds.
const MAX_UNDRAWN: usize = 48;

/// Decides a position that is not over in `time`, or a little more.
///
/// The result holds all edges that the solver has proved to be as good, or else the outcome of the
/// search. After a proved tie, the search decides whether to play for a win. `root` is a solver that
/// shares its table with the player's solver for leaves. With `for_margin` only an edge with the best
/// margin is final, and otherwise also one that wins.
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
        let clock = move || {
            if waiting.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                stop.store(true, Relaxed);
                stop_solvers();
            }
        };
        if Builder::new().spawn_scoped(scope, clock).is_err() {
            return search_until(player, position, deadline);
        }
        let is_near = position.undrawn().len() <= reach_on(position.board(), MAX_UNDRAWN);
        let in_reach = (is_near || player.knows(position)) && Solver::is_in_reach(position.state());
        let solver = root.filter(|_| in_reach);
        let proving = solver.and_then(|solver| {
            let prove = move || {
                let proved = prove(solver, position, for_margin, FIRST_NODES, deadline);
                stop.fetch_or(proved.is_final, Relaxed);
                proved
            };
            // Where the system has no more threads, the search decides alone.
            Builder::new().spawn_scoped(scope, prove).ok()
        });
        let (searched, is_settled) = search(player, position);
        if is_settled {
            stop_solvers();
        }
        // The solver ends when nothing is left to prove, or when it is stopped.
        let proved = proving.and_then(|proving| proving.join().ok());
        drop(done);
        // A settled search may have proved a win where the solver, which it stopped, had proved a
        // tie.
        match proved.filter(|_| !is_settled) {
            Some(proved) => better(searched, proved),
            None => searched,
        }
    });
    // All threads that could stop the solvers have ended.
    handle.iter().for_each(SolverHandle::resume);
    play
}

/// Returns the play of a search or, where it is better, one of the edges that the solver proved.
fn better(searched: Play, proved: ProvedEdges) -> Play {
    let Some(lowest) = proved.edges.lowest() else { return searched };
    if !proved.is_final {
        return searched.or_tie(proved);
    }
    // All proved edges are as good. The search prefers those that are hard to answer.
    let edge = if proved.edges.contains(searched.edge) { searched.edge } else { lowest };
    Play { edge, proved: Some(proved), searched: None }
}

/// Returns the edges that the solver proves by the deadline to have the best margin or, without
/// `for_margin`, to win or tie. There are none if it proves nothing.
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

/// Searches until the search is stopped or settles the position, which the flag says.
fn search<E: Evaluator>(player: &mut Player<E>, position: &Position) -> (Play, bool) {
    player.set_simulations(MOST_SIMULATIONS);
    let play = player.search(position);
    let is_settled = play.searched.as_ref().is_some_and(|outcome| outcome.actions[outcome.chosen].is_proved);
    (play, is_settled)
}

/// Searches on this thread alone until a deadline: again and again, with twice the simulations, as
/// long as the next search should end in time.
fn search_until<E: Evaluator>(player: &mut Player<E>, position: &Position, deadline: Instant) -> Play {
    let mut simulations = 16;
    loop {
        let start = Instant::now();
        player.set_simulations(simulations);
        let play = player.search(position);
        let left = deadline.saturating_duration_since(Instant::now());
        let is_short = play.searched.as_ref().is_some_and(|outcome| outcome.simulations < simulations);
        if is_short || simulations >= MOST_SIMULATIONS || 3 * start.elapsed() > left {
            return play;
        }
        simulations = (2 * simulations).min(MOST_SIMULATIONS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, random_edge, stream};
    use doublecross_core::board::{Board, Edge, Position, State};
    use doublecross_core::search::{Budget, Cached, Outcome, UniformEvaluator, equivalent_moves};
    use doublecross_core::solver::Bounds;

    /// Returns positions of random games on this board, each with its score.
    fn positions(board: Board, count: u64, undrawn: usize) -> impl Iterator<Item = Position> {
        (0..count).map(move |game| {
            let mut position = Position::new(board);
            let mut rng = stream(0, 0, game, Purpose::Opening);
            while position.undrawn().len() > undrawn {
                position.play(random_edge(position.undrawn(), &mut rng)).unwrap();
            }
            position
        })
    }

    /// Returns the exact margin still to come if this edge is drawn, for the player who draws it.
    fn edge_margin(solver: &mut Solver, state: State, edge: Edge) -> i32 {
        let rest = solver.margin(state.after(edge), u64::MAX).unwrap();
        match state.captures(edge) {
            0 => -rest,
            captured => captured as i32 + rest,
        }
    }

    /// Returns a player with the uniform evaluator, and a solver for the root on the same table.
    fn player_and_root(board: Board) -> (Player<Cached<UniformEvaluator>>, Option<Solver>) {
        let mut player = Budget::new(10, 1000).player(board, UniformEvaluator);
        let root = player.worker();
        (player, root)
    }

    /// Plays a game on a board that the solver settles at once: it ends with the board's margin,
    /// and long before its time.
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
        assert!(start.elapsed() < Duration::from_secs(100), "that was the time of one move");
    }

    /// The result for the player to move, 1 for a win, with this edge and best play.
    fn result_of(exact: &mut Solver, position: &Position, edge: Edge) -> i32 {
        (position.lead() + edge_margin(exact, position.state(), edge)).signum()
    }

    /// The edges that the nonce may choose instead are as good: by proof near the end, and by the
    /// search far from it.
    #[test]
    fn edges_that_are_as_good_are_returned() {
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

    /// Edges that are proved to be best are played, and those that are proved to tie if the search expects
    /// less.
    #[test]
    fn what_is_proved_is_played_unless_the_search_may_win() {
        let [low, high, other] = [3, 5, 7].map(Edge::new);
        let edges: Edges = [low, high].into_iter().collect();
        for (edge, value, proved, is_final, expected) in [
            (other, 0.5, edges, true, (low, true)),
            (high, 0.5, edges, true, (high, true)),
            (other, 0.5, edges, false, (other, false)),
            (other, -0.5, edges, false, (low, true)),
            (high, -0.5, edges, false, (high, true)),
            (other, -0.5, Edges::EMPTY, false, (other, false)),
        ] {
            let bounds = Bounds::of_open_boxes(4);
            let outcome = Outcome { actions: Vec::new(), chosen: 0, value, bounds, raw_margin: 0.0, simulations: 8 };
            let searched = Play { edge, proved: None, searched: Some(outcome) };
            let play = better(searched, ProvedEdges { edges: proved, is_final });
            assert_eq!((play.edge, play.proved.is_some()), expected, "{edge:?} {value} {is_final}");
        }
    }

    /// A proved tie does not end the proof while a win is possible.
    #[test]
    fn a_win_is_looked_for_after_a_proved_tie() {
        /// A budget with which some positions that are won are proved to be at least tied.
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
            // For the margin a win is not enough.
            let ProvedEdges { edges: proved, is_final } =
                prove(&mut Solver::new(board, 1 << 12), &position, true, FEW, far);
            let best = exact.best_edges(state, u64::MAX);
            assert!(is_final && !proved.is_empty() && proved.difference(best).is_empty(), "{position}");
        }
        assert!(behind_ties > 0);
    }

    /// Leaves that would take the solver hours are stopped too.
    #[test]
    fn moves_with_hard_leaves_are_played_in_time() {
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
        // The solver that was stopped works again.
        assert_eq!(root.map(|mut solver| solver.margin(State::from_undrawn(board, Edges::EMPTY), 1000)), Some(Some(0)));
    }

    /// So are moves without a thread that watches the clock.
    #[test]
    fn one_thread_searches_until_the_time_is_over() {
        let board = Board::new(5, 5).unwrap();
        let (mut player, _) = player_and_root(board);
        let position = Position::new(board);
        let start = Instant::now();
        let play = search_until(&mut player, &position, start + Duration::from_millis(100));
        assert!(position.undrawn().contains(play.edge));
        assert!(play.searched.is_some_and(|outcome| outcome.simulations > 16));
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }

    #[test]
    fn moves_that_cannot_be_proved_are_played_in_time() {
        let board = Board::new(5, 5).unwrap();
        let (mut player, mut root) = player_and_root(board);
        let start = Instant::now();
        // As far from the end as the solver at the root is asked.
        let drawn = board.all().iter().step_by(4).take(12).collect();
        let position = Position::from_state(State::from_drawn(board, drawn));
        assert_eq!(position.undrawn().len(), MAX_UNDRAWN);
        let edge = decide(&mut player, root.as_mut(), &position, Duration::from_millis(50), false).edge;
        assert!(position.undrawn().contains(edge));
        // A machine under load may take longer, but not as long as the solver would.
        assert!((0.05..5.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
        assert_eq!(player.worker().map(|solver| solver.board()), Some(board));
    }
}
