//! The parallel solver.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use doublecross_core::analysis::controls;
use doublecross_core::board::{Board, Edges, State};
use doublecross_core::solver::{Book, Bounds, Lemma, MoveQuestion, Solution, Solver, SolverHandle};

use super::{EdgeValue, Limits, SolveProgress};

/// The number of nodes up to which a question is left to one solver, because starting the workers
/// would not pay.
const SINGLE_NODES: u64 = 20_000;

/// The number of entries of the table of the solver that tries a question first. A question that it
/// settles does not touch a table of gigabytes, whose memory the system provides slowly.
const FIRST_ENTRIES: usize = 1 << 18;

/// The first budget of a question if there is a limit, in nodes.
const FIRST_BUDGET: u64 = 100_000;

/// The interval between two calls of the observer.
const OBSERVE: Duration = Duration::from_millis(100);

/// An exact solver with several worker threads on one table.
///
/// Its methods call an `observer` about ten times a second, and end early if it returns `false`.
///
/// ```
/// use doublecross_core::board::{Board, State};
/// use doublecross_proof::parallel::{Limits, ParallelSolver};
/// let board = Board::new(2, 3)?;
/// let mut solver = ParallelSolver::new(board, 1 << 16, 2);
/// let solution = solver.solve(State::new(board), 0, Limits::NONE, &mut |_| true);
/// assert_eq!(solution.margin(), Some(-2));
/// # Ok::<(), doublecross_core::board::BoardError>(())
/// ```
pub struct ParallelSolver {
    /// The solver that tries each question first, until a question is too hard for it.
    pub(super) first: Option<Solver>,
    /// The hits of lemmas of that solver when it was dropped.
    first_hits: u64,
    /// `true` if no question is left to one solver for its first nodes. They would be missing in
    /// the lemmas of the workers, who begin anew.
    keeps_lemmas: bool,
    workers: Vec<Solver>,
    handle: SolverHandle,
    limits: Limits,
    nodes: u64,
    probes: u64,
    is_stopped: bool,
    /// The time at which the observer was called last.
    observed: Instant,
}

impl ParallelSolver {
    /// Creates a solver with `threads` workers, at least one, and a table of about `entries`
    /// positions.
    pub fn new(board: Board, entries: usize, threads: usize) -> ParallelSolver {
        let first = (entries > FIRST_ENTRIES).then(|| Solver::new(board, FIRST_ENTRIES));
        let mut main = Solver::new(board, entries);
        let others: Vec<Solver> = (1..threads).map(|_| main.worker()).collect();
        main.report_moves();
        let handle = main.handle();
        let workers = std::iter::once(main).chain(others).collect();
        let limits = Limits::NONE;
        ParallelSolver {
            first,
            first_hits: 0,
            keeps_lemmas: false,
            workers,
            handle,
            limits,
            nodes: 0,
            probes: 0,
            is_stopped: false,
            observed: Instant::now(),
        }
    }

    /// Returns the number of entries of a table for a board that takes at most this many bytes. A
    /// small board has few positions, and in a large table each of them would touch its own page.
    pub fn entries_for(board: Board, bytes: usize) -> usize {
        let positions = 1 << board.edges().min(usize::BITS as usize - 1);
        Solver::entries_in(bytes).min(positions)
    }

    /// Returns the board of the solver.
    pub fn board(&self) -> Board {
        self.workers[0].board()
    }

    /// Returns the number of nodes of the last solve.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the number of mistakes that the looks into tables are expected to have made since
    /// the solver was created: positions that were taken for others.
    pub fn expected_mistakes(&self) -> f64 {
        self.probes as f64 / Solver::PROBES_PER_MISTAKE
    }

    /// Makes the workers keep each result that takes at least `nodes` nodes as a lemma, which
    /// the handle's [`take_lemmas`](SolverHandle::take_lemmas) returns.
    pub fn keep_lemmas(&mut self, nodes: u64) {
        self.drop_first();
        self.keeps_lemmas = true;
        self.handle.keep_lemmas(nodes);
    }

    /// Makes the workers rely on lemmas from now on.
    ///
    /// # Panics
    /// Panics if a lemma is of another board.
    pub fn add_lemmas<'a>(&mut self, lemmas: impl IntoIterator<Item = &'a Lemma>) {
        self.drop_first();
        lemmas.into_iter().for_each(|lemma| self.handle.add_lemma(lemma));
    }

    /// Makes the solver rely on a book from now on.
    ///
    /// # Panics
    /// Panics if the book is of another board.
    pub fn add_book(&mut self, book: &Book) {
        let first = self.first.as_ref().map(Solver::handle);
        first.iter().chain([&self.handle]).for_each(|handle| handle.add_book(book));
    }

    /// Returns the number of times that a lemma or the book has said more about a position than the
    /// table, since the solver was created.
    pub fn lemma_hits(&self) -> u64 {
        let first = self.first.as_ref().map_or(0, |first| first.handle().lemma_hits());
        self.first_hits + first + self.handle.lemma_hits()
    }

    /// Returns a handle to the lemmas, the node count and the moves being tried. The handle does
    /// not stop a solve. Limits and the observer do.
    pub fn handle(&self) -> SolverHandle {
        self.handle.clone()
    }

    /// Returns the margin and all optimal edges, or the bounds proved when the limits or the
    /// observer end the solve.
    ///
    /// The bounds close in from the margin at which a player who leads by `lead` wins, so the
    /// winner is known first.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn solve(
        &mut self,
        state: State,
        lead: i32,
        limits: Limits,
        observer: &mut dyn FnMut(SolveProgress) -> bool,
    ) -> Solution {
        self.solve_within(state, Bounds::of_state(state), lead, limits, observer)
    }

    /// Returns bounds of the margin, as close as the limits and the observer let them come. The
    /// first question is whether the margin is at least `guess`, or one more if the parity requires
    /// it.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn bounds(
        &mut self,
        state: State,
        guess: i32,
        limits: Limits,
        observer: &mut dyn FnMut(SolveProgress) -> bool,
    ) -> Bounds {
        self.start(limits);
        let observe = &mut |nodes, bounds| observer(SolveProgress { nodes, bounds, edge: None });
        self.narrow_bounds(state, Bounds::of_state(state), guess, observe)
    }

    /// Returns the margin and all optimal edges as [`ParallelSolver::solve`] does, within bounds
    /// that are known already and are not proved again. The result is true if they are.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn solve_within(
        &mut self,
        state: State,
        known: Bounds,
        lead: i32,
        limits: Limits,
        observer: &mut dyn FnMut(SolveProgress) -> bool,
    ) -> Solution {
        self.start(limits);
        let observe = &mut |nodes, bounds| observer(SolveProgress { nodes, bounds, edge: None });
        let bounds = self.narrow_bounds(state, known, -lead, observe);
        let best = bounds.margin().and_then(|margin| self.edges_worth(state, margin, observer));
        Solution { bounds, best: best.unwrap_or(Edges::EMPTY), nodes: self.nodes }
    }

    /// Returns the edges after which the player to move still gets `margin`, the state's value, or
    /// `None` if the solve ends before they are known.
    fn edges_worth(
        &mut self,
        state: State,
        margin: i32,
        observer: &mut dyn FnMut(SolveProgress) -> bool,
    ) -> Option<Edges> {
        let (bounds, mut best) = (Bounds::exact(margin), Edges::EMPTY);
        for equivalent in state.equivalent_edges() {
            let Some(edge) = equivalent.lowest() else { continue };
            let observe = &mut |nodes| observer(SolveProgress { nodes, bounds, edge: Some(edge) });
            let MoveQuestion { target, wanted } = MoveQuestion::new(state.captures(edge), margin);
            if self.ask(state.after(edge), target, u64::MAX, observe)? == wanted {
                best = best.union(equivalent);
            }
        }
        Some(best)
    }

    /// Returns `Some(true)` if the margin of a state is at least `target`, `Some(false)` if it is
    /// not, and `None` if the limits or the observer end the solve.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn is_at_least(
        &mut self,
        state: State,
        target: i32,
        limits: Limits,
        observer: &mut dyn FnMut(SolveProgress) -> bool,
    ) -> Option<bool> {
        self.start(limits);
        let bounds = Bounds::of_state(state);
        self.ask(state, target, u64::MAX, &mut |nodes| observer(SolveProgress { nodes, bounds, edge: None }))
    }

    /// Returns the player in control of a state with this margin as [`controls`] does, as far as the limits of
    /// all its questions together allow.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn controls(
        &mut self,
        state: State,
        margin: i32,
        mut limits: Limits,
        observer: &mut dyn FnMut(SolveProgress) -> bool,
    ) -> Option<bool> {
        controls(state, margin, |state, target, budget| {
            let question = Limits { nodes: limits.nodes.min(budget), ..limits };
            let answer = self.is_at_least(state, target, question, observer);
            limits = limits.after(self.nodes());
            answer
        })
    }

    /// Returns the value of each undrawn edge of a state, whose solution is known as far as
    /// `solution` says, as far as the limits allow.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn edge_values(
        &mut self,
        state: State,
        solution: &Solution,
        limits: Limits,
        observer: &mut dyn FnMut(SolveProgress) -> bool,
    ) -> Vec<EdgeValue> {
        self.start(limits);
        let mut values = Vec::new();
        for edges in state.equivalent_edges() {
            let Some(edge) = edges.lowest() else { continue };
            let (after, captures) = (state.after(edge), state.captures(edge));
            let known = solution.narrow_edge(edge, Bounds::of_state(after).after(captures)).before(captures);
            // Edges that are not optimal are mostly worth little less.
            let observe = &mut |nodes, bounds| observer(SolveProgress { nodes, bounds, edge: Some(edge) });
            let guess = if captures > 0 { known.upper } else { known.lower + 1 };
            let found = self.narrow_bounds(after, known, guess, observe);
            values.push(EdgeValue { edges, bounds: found.after(captures) });
        }
        values
    }

    fn start(&mut self, limits: Limits) {
        self.limits = limits;
        self.nodes = 0;
        self.is_stopped = false;
    }

    /// Returns bounds of a state's margin within known ones, from `guess` outwards.
    ///
    /// With a limit, the questions around the guess, which are the hard ones, get a small budget at
    /// first. If it does not suffice, the easy ones at the far ends are asked before the budget
    /// grows, so that some bounds are proved whenever the limit is reached.
    fn narrow_bounds(
        &mut self,
        state: State,
        mut bounds: Bounds,
        guess: i32,
        observe: &mut dyn FnMut(u64, Bounds) -> bool,
    ) -> Bounds {
        if !Solver::is_in_reach(state) {
            return bounds;
        }
        let mut budget = if self.limits.are_set() { FIRST_BUDGET } else { u64::MAX };
        while !bounds.is_exact() && !self.is_over() {
            let middle = bounds.next_target(guess);
            let proved = bounds;
            if let Some(reached) = self.ask(state, middle, budget, &mut |nodes| observe(nodes, proved)) {
                bounds.answer(middle, reached);
                continue;
            }
            for is_low in [true, false] {
                loop {
                    let proved = bounds;
                    let target = if is_low { bounds.lower + 2 } else { bounds.upper };
                    if target == middle || bounds.lower == bounds.upper {
                        break;
                    }
                    let observe = &mut |nodes| observe(nodes, proved);
                    let Some(reached) = self.ask(state, target, budget / 2, observe) else { break };
                    bounds.answer(target, reached);
                }
            }
            budget = budget.saturating_mul(4);
        }
        bounds
    }

    /// Returns `Some(true)` if the margin of a state is at least `target`, `Some(false)` if it is
    /// not, and `None` if the budget, a limit or the observer ends the search.
    fn ask(&mut self, state: State, target: i32, budget: u64, observe: &mut dyn FnMut(u64) -> bool) -> Option<bool> {
        if !Solver::is_in_reach(state) {
            return self.workers[0].is_at_least(state, target, 0);
        }
        self.handle.resume();
        let left = self.limits.nodes.saturating_sub(self.nodes).min(budget);
        if self.is_over() || (self.observed.elapsed() >= OBSERVE && !self.observe(self.nodes, observe)) {
            return None;
        }
        if self.keeps_lemmas {
            return self.ask_workers(state, target, left, observe);
        }
        let first = self.first.as_mut().unwrap_or(&mut self.workers[0]);
        let answer = first.is_at_least(state, target, left.min(SINGLE_NODES));
        (self.nodes, self.probes) = (self.nodes + first.nodes(), self.probes + first.probes());
        if answer.is_some() || left <= SINGLE_NODES {
            return answer;
        }
        self.drop_first();
        self.ask_workers(state, target, left - SINGLE_NODES, observe)
    }

    /// Drops the solver that tries each question first.
    fn drop_first(&mut self) {
        if let Some(first) = self.first.take() {
            self.first_hits += first.handle().lemma_hits();
        }
    }

    /// Gives the question to all workers at once, who share the budget. The first answer stops the
    /// others.
    fn ask_workers(
        &mut self,
        state: State,
        target: i32,
        nodes: u64,
        observe: &mut dyn FnMut(u64) -> bool,
    ) -> Option<bool> {
        self.handle.share_budget(nodes);
        let before = self.handle.nodes();
        let (sender, receiver) = channel();
        let (mut answer, mut started) = (None, 0);
        thread::scope(|scope| {
            for solver in &mut self.workers {
                let sender = sender.clone();
                // A send fails only after the receiver is gone, and then the answer is known.
                let ask = move || sender.send(solver.is_at_least(state, target, 0)).ok();
                // Where the system has no more threads, fewer workers take longer.
                if thread::Builder::new().spawn_scoped(scope, ask).is_err() {
                    break;
                }
                started += 1;
            }
            drop(sender);
            loop {
                match receiver.recv_timeout(OBSERVE) {
                    Ok(Some(found)) => {
                        answer = Some(found);
                        self.handle.stop();
                    }
                    Ok(None) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {
                        let is_late = self.limits.is_late(Instant::now());
                        self.observed = Instant::now();
                        if answer.is_none() && (is_late || !observe(self.nodes + self.handle.nodes() - before)) {
                            self.is_stopped = true;
                            self.handle.stop();
                        }
                    }
                }
            }
        });
        self.handle.share_budget(0);
        for worker in &self.workers[..started] {
            (self.nodes, self.probes) = (self.nodes + worker.nodes(), self.probes + worker.probes());
        }
        if started == 0 { self.is_at_least_by_one(state, target, nodes, observe) } else { answer }
    }

    /// Asks one worker on this thread. Its budget grows from a small one, so that limits are
    /// noticed in between.
    fn is_at_least_by_one(
        &mut self,
        state: State,
        target: i32,
        nodes: u64,
        observe: &mut dyn FnMut(u64) -> bool,
    ) -> Option<bool> {
        let mut budget = SINGLE_NODES;
        loop {
            budget = budget.saturating_mul(2).min(nodes);
            let answer = self.workers[0].is_at_least(state, target, budget);
            let worker = &self.workers[0];
            (self.nodes, self.probes) = (self.nodes + worker.nodes(), self.probes + worker.probes());
            if answer.is_some() || budget == nodes || self.is_over() {
                return answer;
            }
            if !self.observe(self.nodes, observe) {
                return None;
            }
        }
    }

    /// Calls the observer. Returns `false` if it ends the solve.
    fn observe(&mut self, nodes: u64, observe: &mut dyn FnMut(u64) -> bool) -> bool {
        self.observed = Instant::now();
        self.is_stopped |= !observe(nodes);
        !self.is_stopped
    }

    fn is_over(&self) -> bool {
        self.is_stopped || self.limits.is_late(Instant::now()) || self.nodes >= self.limits.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Workers share a limit to its last node.
    #[test]
    fn small_limits_end_solves_that_keep_lemmas() {
        let board = Board::new(3, 4).unwrap();
        for nodes in [1, 2, 3, 100, 101, 20_001] {
            let mut solver = ParallelSolver::new(board, 1 << 16, 3);
            solver.keep_lemmas(10);
            let limits = Limits { nodes, deadline: None };
            let solution = solver.solve(State::new(board), 0, limits, &mut |_| true);
            assert!(solution.margin().is_none() && solution.nodes == nodes, "{nodes}: {solution:?}");
        }
    }

    /// The answer does not depend on whether threads can be started.
    #[test]
    fn one_thread_answers_as_the_workers_do() {
        let board = Board::new(3, 3).unwrap();
        let state = State::new(board);
        let solver = || {
            let mut solver = ParallelSolver::new(board, 1 << 16, 2);
            solver.start(Limits::NONE);
            solver
        };
        for target in [-5, -3, -1, 1, 3, 5] {
            let alone = solver().is_at_least_by_one(state, target, u64::MAX, &mut |_| true);
            let answer = solver().ask_workers(state, target, u64::MAX, &mut |_| true);
            assert!(alone.is_some() && alone == answer, "{target}: {alone:?} {answer:?}");
        }
        let mut solver = ParallelSolver::new(Board::new(5, 5).unwrap(), 1 << 16, 2);
        solver.start(Limits::NONE);
        let state = State::new(Board::new(5, 5).unwrap());
        assert_eq!(solver.is_at_least_by_one(state, 1, u64::MAX, &mut |_| false), None);
        assert!(solver.is_stopped && solver.nodes > SINGLE_NODES);
    }
}
