//! The choice of a move in a position of a game: by the solver, by a free capture or by search.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::board::{Board, Edge, MAX_EDGES, Position};
use crate::solver::{Book, ProvedEdges, Solver};

use super::{Choice, Evaluator, Outcome, Prover, Search, Settings};

/// A chosen move.
#[derive(Clone, Debug)]
pub struct Play {
    /// The edge to draw.
    pub edge: Edge,
    /// The edges that the solver proved, if it chose the move: all best ones, or edges that are
    /// proved to win or tie if the margin could not be settled and the margin is not the only goal.
    pub proved: Option<ProvedEdges>,
    /// The outcome of the search, if it chose the move.
    pub searched: Option<Outcome>,
}

impl Play {
    /// Returns the first of proved edges as a play, if there are any.
    fn of_proved(proved: ProvedEdges) -> Option<Play> {
        proved.edges.lowest().map(|edge| Play { edge, proved: Some(proved), searched: None })
    }

    /// Returns this play, which a search chose, or one of the edges that are proved to tie if the
    /// search expects less than a tie.
    ///
    /// An edge that is not among them may win, or was not proved in time.
    #[must_use]
    pub fn or_tie(self, tied: ProvedEdges) -> Play {
        let is_below = self.searched.as_ref().is_some_and(|outcome| outcome.value < 0.0);
        match tied.edges.lowest().filter(|_| is_below) {
            Some(_) if tied.edges.contains(self.edge) => Play { proved: Some(tied), searched: None, ..self },
            Some(edge) => Play { edge, proved: Some(tied), searched: None },
            None => self,
        }
    }
}

/// A player that chooses moves: exact where the solver settles the position, by search elsewhere.
/// [`Budget::player`](super::Budget::player) creates one from a budget.
///
/// ```
/// use doublecross_core::board::Position;
/// use doublecross_core::search::{Player, RolloutEvaluator, Settings};
/// use doublecross_core::solver::Solver;
/// let mut position: Position = "2x2 H0,0 V1,2".parse()?;
/// let board = position.board();
/// let mut player = Player::new(board, Settings::default(), RolloutEvaluator)
///     .with_solver(Solver::new(board, 1 << 12), 42, 10_000);
/// while !position.is_over() {
///     let edge = player.decide(&position).edge;
///     position.play(edge)?;
/// }
/// assert_eq!(position.scores().iter().sum::<usize>(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Player<E> {
    search: Search,
    evaluator: E,
    solver: Option<Solver>,
    root_nodes: u64,
    root_undrawn: usize,
    book: Option<Arc<Book>>,
}

impl<E: Evaluator> Player<E> {
    /// Creates a player without a solver.
    pub fn new(board: Board, settings: Settings, evaluator: E) -> Player<E> {
        let search = Search::new(board, settings);
        Player { search, evaluator, solver: None, root_nodes: 0, root_undrawn: 0, book: None }
    }

    /// Returns the player with a solver. At the root it has a budget of `nodes` nodes in positions
    /// of at most `undrawn` undrawn edges. At leaves its budget is that of the settings.
    pub fn with_solver(mut self, solver: Solver, undrawn: usize, nodes: u64) -> Player<E> {
        self.solver = Some(solver);
        self.root_undrawn = undrawn;
        self.root_nodes = nodes;
        self
    }

    /// Returns the player with a book, on which its solver relies. At the root the solver is asked
    /// about every position of the book, however many edges are undrawn. A player without a solver is
    /// left as it is.
    ///
    /// # Panics
    /// Panics if the book is of another board.
    pub fn with_book(mut self, book: Arc<Book>) -> Player<E> {
        if let Some(solver) = &self.solver {
            solver.handle().add_book(&book);
            self.book = Some(book);
        }
        self
    }

    /// Returns the player with a flag that ends its searches and the queries of its solver soon, as long
    /// as it is set. What it chooses then is as good as what it has.
    #[must_use]
    pub fn with_stop(mut self, stop: Arc<AtomicBool>) -> Player<E> {
        self.search = self.search.with_stop(stop.clone());
        self.solver = self.solver.map(|solver| solver.with_stop(stop));
        self
    }

    /// Clears the solver's table, so that play does not depend on earlier games.
    pub fn clear(&mut self) {
        if let Some(solver) = &mut self.solver {
            solver.clear();
        }
    }

    /// Returns the evaluator's own edge and expected margin still to come, without a simulation or
    /// the solver. The edge is the first one of the most likely action of the policy, or, with
    /// boxes on offer, of the better of "take all" and "keep control" by the expected margin.
    ///
    /// # Panics
    /// Panics if the position is over or of another board.
    pub fn judge(&mut self, position: &Position) -> (Edge, f32) {
        let settings = Settings { simulations: 0, ..self.search.settings().clone() };
        let (mut search, noise) = (Search::new(position.board(), settings), [0.0; MAX_EDGES]);
        let outcome = search.run(position.state(), position.lead(), &noise, &mut self.evaluator, None);
        let edge = edge_of(position, outcome.choice());
        (edge, outcome.raw_margin)
    }

    /// Chooses the move of a position, without randomness.
    ///
    /// # Panics
    /// Panics if the position is over or of another board.
    pub fn decide(&mut self, position: &Position) -> Play {
        let state = position.state();
        let is_near = position.undrawn().len() <= self.root_undrawn;
        let in_reach = self.root_nodes > 0 && (is_near || self.knows(position));
        let proved = self.solver.as_mut().filter(|_| in_reach).map(|solver| {
            // With the margin as the only goal, edges that are merely proved to win are of no use.
            match self.search.settings().margin_weight < 1.0 {
                true => solver.proved_edges(state, position.lead(), self.root_nodes),
                false => ProvedEdges { edges: solver.best_edges(state, self.root_nodes), is_final: true },
            }
        });
        if let Some(play) = proved.filter(|proved| proved.is_final).and_then(Play::of_proved) {
            return play;
        }
        if let Some(edge) = state.free_capture() {
            return Play { edge, proved: None, searched: None };
        }
        let play = self.search(position);
        match proved {
            Some(tied) => play.or_tie(tied),
            None => play,
        }
    }

    /// Returns `true` if the position is in the player's book.
    pub fn knows(&self, position: &Position) -> bool {
        self.book.as_ref().is_some_and(|book| book.contains(position.state()))
    }

    /// Chooses the move of a position by search alone.
    ///
    /// # Panics
    /// Panics if the position is over or of another board.
    pub fn search(&mut self, position: &Position) -> Play {
        let noise = [0.0; MAX_EDGES];
        let solver = self.solver.as_mut().map(|solver| solver as &mut dyn Prover);
        let outcome = self.search.run(position.state(), position.lead(), &noise, &mut self.evaluator, solver);
        Play { edge: edge_of(position, outcome.choice()), proved: None, searched: Some(outcome) }
    }

    /// Sets the number of simulations for each move.
    pub fn set_simulations(&mut self, simulations: usize) {
        self.search.set_simulations(simulations);
    }

    /// Sets the number of nodes of the solver at the root, and a leaf budget in proportion.
    pub fn set_nodes(&mut self, nodes: u64) {
        self.root_nodes = nodes;
        self.search.set_leaf_nodes(nodes);
    }

    /// Returns a flag that ends a search before its last simulation when another thread sets it.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.search.stop()
    }

    /// Returns `true` if a flag is set that ends searches: that of [`Player::stop`] or of
    /// [`Player::with_stop`].
    pub fn is_stopped(&self) -> bool {
        self.search.is_stopped()
    }

    /// Returns another solver on this player's table, for another thread, or `None` if the player
    /// has no solver.
    pub fn worker(&mut self) -> Option<Solver> {
        self.solver.as_mut().map(Solver::worker)
    }
}

/// Returns the first edge of a choice.
fn edge_of(position: &Position, choice: Choice) -> Edge {
    let edge = choice.first_edge(position.state());
    edge.or_else(|| position.undrawn().lowest()).expect("the position should not be over")
}
