//! The items of a generation: games of self-play, and positions that the solver labels.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::data::costs::Costs;
use crate::data::part::Part;
use crate::data::played_item::{Origin, PlayedItem};
use crate::play::exact::{Labeler, edge_margins};
use crate::play::labeled::label;
use crate::play::session::Session;
use crate::play::timed::Timed;
use crate::{MarginTarget, Orders, Sample};
use doublecross_arena::random::{random_edge, random_state};
use doublecross_core::board::{Board, MAX_EDGES, State};
use doublecross_core::float::ln_f64;
use doublecross_core::search::{Cached, Choice, Evaluator, Search};
use doublecross_core::solver::{Bounds, Solver};
use doublecross_run::config::SelfPlayConfig;

/// A player of the items of a generation, one after the other.
pub struct ItemPlayer {
    session: Arc<Session>,
    search: Search,
    evaluator: Cached<Timed<Box<dyn Evaluator>>>,
    solver: Timed<Solver>,
    stop: Arc<AtomicBool>,
}

/// A sample whose game has not ended.
struct Pending {
    sample: Sample,
    /// The seat of the player to move.
    seat: usize,
    /// The boxes by which that player leads.
    lead: i32,
    /// The distance of the search's policy from the network's.
    surprise: f32,
}

impl ItemPlayer {
    /// Creates a player for the items of a session's orders.
    pub fn new(session: Arc<Session>) -> ItemPlayer {
        ItemPlayer::stopped_by(session, Arc::default())
    }

    /// Creates a player with a flag that ends the item being played soon, as long as it is set.
    pub fn stopped_by(session: Arc<Session>, stop: Arc<AtomicBool>) -> ItemPlayer {
        let Orders { board, selfplay, book, .. } = &session.orders;
        let solver = Solver::new(*board, selfplay.table).with_stop(stop.clone());
        if let Some(book) = book {
            solver.handle().add_book(book);
        }
        ItemPlayer {
            search: Search::new(*board, selfplay.search()).with_stop(stop.clone()),
            evaluator: Cached::new(Timed::new(session.inference.evaluator()), selfplay.cache),
            solver: Timed::new(solver),
            stop,
            session,
        }
    }

    /// Returns the player for the items of this session: the one that is there if it is that, or else
    /// a new one in its place, with the flag of [`ItemPlayer::stopped_by`].
    pub fn renewed<'a>(
        player: &'a mut Option<ItemPlayer>,
        session: &Arc<Session>,
        stop: &Arc<AtomicBool>,
    ) -> &'a mut ItemPlayer {
        if player.as_ref().is_some_and(|player| !Arc::ptr_eq(&player.session, session)) {
            // Its tables are freed before the new one's are made.
            *player = None;
        }
        player.get_or_insert_with(|| ItemPlayer::stopped_by(session.clone(), stop.clone()))
    }

    /// Plays an item, or returns `None` if the flag of [`ItemPlayer::stopped_by`] is set meanwhile: an item
    /// that was cut short is not that of the orders.
    pub fn play_unless_stopped(&mut self, item: u32) -> Option<PlayedItem> {
        let played = self.play(item);
        (!self.stop.load(Relaxed)).then_some(played)
    }

    /// Plays a game, or labels a position.
    pub fn play(&mut self, item: u32) -> PlayedItem {
        let rng = self.session.orders.stream(item);
        let (samples, costs) = if item < self.session.orders.games() { self.play_game(rng) } else { self.label(rng) };
        PlayedItem { number: item, samples, costs, origin: Origin::Here }
    }

    /// Labels a position with the solver's exact answer, unless the solver does not settle it, and
    /// positions on the way from it to the end.
    fn label(&mut self, mut rng: ChaCha8Rng) -> (Vec<Sample>, Costs) {
        let start = Instant::now();
        let Orders { board, ref labeled, learns_edges, .. } = self.session.orders;
        let samples = label(&mut self.solver.inner, board, labeled, learns_edges, &mut rng);
        (samples, Costs { total: start.elapsed(), ..Costs::default() })
    }

    /// Plays a game from its opening to its end, or until the solver or the search proves the
    /// margin.
    fn play_game(&mut self, mut rng: ChaCha8Rng) -> (Vec<Sample>, Costs) {
        let start = Instant::now();
        let before = (self.evaluator.counts(), self.evaluator.inner().spent, self.solver.spent);
        let mut costs = Costs::default();
        // The states that the solver settles must not depend on the items that were played before.
        self.solver.inner.clear();
        let mut state = self.opening(&mut rng);
        let (mut seat, mut lead) = (0, 0);
        let mut pending: Vec<Pending> = Vec::new();
        let mut band = Vec::new();
        while !state.is_over() && !self.stop.load(Relaxed) {
            let offer = state.offer();
            if offer.taken > 0 && offer.price.is_none() {
                lead += offer.taken;
                state = offer.rest;
                continue;
            }
            let solving = Instant::now();
            let solved = self.solve(state);
            costs.solver += solving.elapsed();
            if let Some(margin) = solved {
                lead += margin;
                let solving = Instant::now();
                let SelfPlayConfig { band_undrawn, root_nodes, .. } = self.session.orders.selfplay;
                band = self.labeler(root_nodes).walk(state, band_undrawn.unwrap_or_default(), &mut rng);
                costs.solver += solving.elapsed();
                break;
            }
            costs.searches += 1;
            let SelfPlayConfig { full_share, simulations, fast_simulations, noisy_moves, .. } =
                self.session.orders.selfplay;
            let is_full = full_share >= 1.0 || rng.random::<f64>() < full_share;
            self.search.set_simulations(if is_full { simulations } else { fast_simulations });
            let is_noisy = is_full && costs.searches <= noisy_moves;
            let noise = if is_noisy { gumbel_noise(state.board(), &mut rng) } else { [0.0; MAX_EDGES] };
            let outcome = self.search.run(state, lead, &noise, &mut self.evaluator, Some(&mut self.solver));
            let settled = outcome.margin();
            if offer.taken == 0 && is_full {
                let policy = Sample::quantize(outcome.edge_policy());
                let sample = Sample {
                    state,
                    margin: settled.map_or(MarginTarget::Played(0), |margin| MarginTarget::Exact(margin as i8)),
                    policy,
                    edge_margins: Vec::new(),
                };
                pending.push(Pending { sample, seat, lead, surprise: outcome.surprise() });
            }
            if let Some(margin) = settled {
                lead += margin;
                break;
            }
            match outcome.choice() {
                Choice::TakeAll => {
                    lead += offer.taken;
                    state = offer.rest;
                }
                Choice::KeepControl => {
                    lead = -(lead + offer.taken - offer.price.unwrap_or(0));
                    seat = 1 - seat;
                    state = offer.rest;
                }
                Choice::Draw(edges) => {
                    state = state.after(random_edge(edges, &mut rng));
                    lead = -lead;
                    seat = 1 - seat;
                }
            }
        }
        // `lead` is now the final margin of `seat`.
        for pending in pending.iter_mut().filter(|pending| !pending.sample.margin.is_exact()) {
            let last = if pending.seat == seat { lead } else { -lead };
            pending.sample.margin = MarginTarget::Played((last - pending.lead) as i8);
        }
        let solving = Instant::now();
        self.relabel(&mut pending);
        costs.solver += solving.elapsed();
        if let Some(book) = &self.session.orders.book {
            for Pending { sample, .. } in &mut pending {
                sample.margin = sample.margin.proved(book.bounds(sample.state));
            }
        }
        let mut samples = repeat(pending, self.session.orders.selfplay.surprise_share, &mut rng);
        samples.extend(band);
        let after = (self.evaluator.counts(), self.evaluator.inner().spent, self.solver.spent);
        costs.evaluations = after.0.0 - before.0.0;
        costs.computed = after.0.1 - before.0.1;
        costs.network = after.1 - before.1;
        costs.leaves = after.2 - before.2;
        costs.total = start.elapsed();
        (samples, costs)
    }

    /// Returns a state to begin with: one of the orders' starts or of the book, or up to
    /// `opening_edges` random edges, every number of them being equally likely.
    fn opening(&self, rng: &mut ChaCha8Rng) -> State {
        let SelfPlayConfig { opening_edges, opening_safe, start_share, book_share, .. } = self.session.orders.selfplay;
        let Orders { board, starts, .. } = &self.session.orders;
        if let Some(book) = &self.session.orders.book
            && !book.is_empty()
            && rng.random::<f64>() < book_share
        {
            return book.state(rng.random_range(0..book.len()));
        }
        if start_share > 0.0 && !starts.is_empty() && rng.random::<f64>() < start_share {
            return starts[rng.random_range(0..starts.len())];
        }
        let is_careful = opening_safe > 0.0 && rng.random::<f64>() < opening_safe;
        let edges = rng.random_range(0..=opening_edges.min(board.edges() - 1));
        random_state(*board, edges, is_careful, rng)
    }

    /// Returns the solver as it labels with so many nodes.
    fn labeler(&mut self, nodes: u64) -> Labeler<'_> {
        Labeler { solver: &mut self.solver.inner, nodes, with_edges: self.session.orders.learns_edges }
    }

    /// Returns the exact margin of a state if it is within the solver's reach and budget.
    fn solve(&mut self, state: State) -> Option<i32> {
        let config = &self.session.orders.selfplay;
        let most = config.root_undrawn.unwrap_or_default();
        if config.root_nodes > 0 && state.undrawn().len() <= most {
            self.solver.inner.margin(state, config.root_nodes)
        } else {
            None
        }
    }

    /// Gives exact answers to the last samples of a game, from its end back to the first that the
    /// solver does not settle, and then asks who wins, back to the first answer that it does not find.
    ///
    /// Going backwards, the solver's table still holds the positions that follow each. Of a margin that the
    /// search has proved, it also gives the policy and the values of the edges.
    fn relabel(&mut self, pending: &mut [Pending]) {
        let Some(nodes) = self.session.orders.selfplay.relabel_nodes else { return };
        let mut unproved = pending.iter_mut().rev().peekable();
        while let Some(Pending { sample, .. }) = unproved.peek_mut() {
            let solution = self.solver.inner.solve(sample.state, nodes);
            let Some(margin) = solution.margin() else {
                if sample.margin.is_exact() {
                    unproved.next();
                    continue;
                }
                break;
            };
            if solution.best.is_empty() {
                sample.margin = sample.margin.proved(solution.bounds);
            } else {
                sample.margin = MarginTarget::Exact(margin as i8);
                sample.policy = Sample::uniform(solution.best);
                if self.session.orders.learns_edges {
                    sample.edge_margins =
                        edge_margins(&mut self.solver.inner, sample.state, &solution, nodes).unwrap_or_default();
                }
            }
            unproved.next();
        }
        for Pending { sample, lead, .. } in unproved.filter(|pending| !pending.sample.margin.is_exact()) {
            let Some(bounds) = self.winner(sample, *lead, nodes) else { return };
            sample.margin = sample.margin.proved(bounds);
        }
    }

    /// Returns what a proof of who wins says of the margin of a sample, if the solver finds it within so
    /// many nodes. The question is, where the game was lost, if the player to move can at least tie, and
    /// otherwise if it wins.
    fn winner(&mut self, sample: &Sample, lead: i32, nodes: u64) -> Option<Bounds> {
        let (played, _) = sample.margin.range();
        let target = if played as i32 + lead < 0 { -lead } else { 1 - lead };
        let is_reached = self.solver.inner.is_at_least(sample.state, target, nodes)?;
        let mut bounds = Bounds::of_state(sample.state);
        bounds.answer(target, is_reached);
        Some(bounds.intersect(Bounds::of_state(sample.state)))
    }
}

impl Part {
    /// Plays items of these orders on the calling thread.
    ///
    /// # Panics
    /// Panics if this processor lacks the orders' instruction set.
    pub fn play(orders: Orders, items: &[u32]) -> Part {
        let session = Arc::new(Session::new(orders));
        let mut player = ItemPlayer::new(session.clone());
        let items = items.iter().map(|&item| player.play(item)).collect();
        Part { orders: session.sealed.id, generation: session.orders.generation, items }
    }
}

/// Returns the samples of a game, each repeated or dropped by its surprise.
///
/// This share of the samples is distributed in proportion to surprise and the rest evenly. It is
/// policy surprise weighting of KataGo's training methods.
fn repeat(pending: Vec<Pending>, share: f64, rng: &mut ChaCha8Rng) -> Vec<Sample> {
    let mean = pending.iter().map(|pending| pending.surprise as f64).sum::<f64>() / pending.len().max(1) as f64;
    if share == 0.0 || mean == 0.0 {
        return pending.into_iter().map(|pending| pending.sample).collect();
    }
    let mut samples = Vec::new();
    for Pending { sample, surprise, .. } in pending {
        let expected = 1.0 - share + share * surprise as f64 / mean;
        samples.extend(std::iter::repeat_n(sample, (expected + rng.random::<f64>()) as usize));
    }
    samples
}

/// Draws standard Gumbel noise for each edge.
fn gumbel_noise(board: Board, rng: &mut ChaCha8Rng) -> [f32; MAX_EDGES] {
    // All boards of at most 64 edges take as many numbers, or the games of a seed would be others.
    let drawn = board.edges().max(64);
    std::array::from_fn(|edge| {
        if edge >= drawn {
            return 0.0;
        }
        let uniform: f64 = rng.random();
        -ln_f64(-ln_f64(uniform + f64::MIN_POSITIVE)) as f32
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::play::exact::tests::edge_margin;
    use crate::play::exchange::play_all;
    use crate::play::session::Session;
    use doublecross_core::board::{Board, Edge};
    use doublecross_core::net::Architecture;
    use doublecross_proof::Books;
    use doublecross_run::Config;
    use doublecross_run::initial_weights;

    /// The games of a 3x3 config with a fresh network.
    fn play(config: &Config, starts: &[State]) -> (Vec<Sample>, Costs) {
        let board = Board::new(3, 3).unwrap();
        let architecture = Architecture::new(16, 1, 8);
        let weights = initial_weights(board, architecture, 1);
        let orders = Orders::new(config, 1, weights, starts.into(), &Books::default());
        let (mut samples, mut costs) = (Vec::new(), Costs::default());
        for played in play_all(Session::new(orders)).items {
            samples.extend(played.samples);
            costs.add(&played.costs);
        }
        (samples, costs)
    }

    /// Proved margins are the solver's, played ones are possible, and policies put their weight on
    /// undrawn edges.
    #[test]
    fn samples_agree_with_the_solver() {
        let board = Board::new(3, 3).unwrap();
        let mut solver = Solver::new(board, 1 << 18);
        for (solver_undrawn, full_share, margin_weight) in
            [(None, 1.0, 0.5), (None, 1.0, 0.0), (Some(14), 1.0, 0.5), (Some(14), 0.25, 0.5)]
        {
            let mut config = Config { board: "3x3".parse().unwrap(), ..Config::default() };
            config.selfplay.margin_weight = margin_weight;
            config.selfplay.games = 30;
            config.selfplay.simulations = 32;
            config.selfplay.full_share = full_share;
            config.selfplay.opening_safe = 1.0 - full_share;
            let nodes = if solver_undrawn.is_some() { 50_000 } else { 0 };
            (config.selfplay.root_nodes, config.selfplay.leaf_nodes) = (nodes, nodes / 250);
            config.selfplay.root_undrawn = solver_undrawn;
            config.selfplay.leaf_undrawn = solver_undrawn;
            config.selfplay.band_undrawn = solver_undrawn.map(|undrawn| undrawn / 2);
            config.selfplay.relabel_nodes = solver_undrawn.map(|_| 1400);
            config.learn.edge_loss = full_share;
            let (samples, costs) = play(&config, &[]);
            assert!(samples.len() > (100.0 * full_share) as usize && costs.computed <= costs.evaluations);
            let (mut exact, mut edges) = (0, 0);
            for sample in &samples {
                assert!(sample.is_possible(), "{sample:?}");
                let weight: u32 = sample.policy.iter().map(|&(_, weight)| weight as u32).sum();
                assert!((65_000..=66_100).contains(&weight), "{weight}");
                let margin = solver.margin(sample.state, u64::MAX).unwrap();
                match sample.margin {
                    MarginTarget::Exact(found) => {
                        exact += 1;
                        assert_eq!(found as i32, margin);
                        let best = solver.solve(sample.state, u64::MAX).best;
                        assert!(sample.policy.iter().all(|&(edge, _)| best.contains(edge)), "{sample:?}");
                    }
                    MarginTarget::Within(lower, upper) => {
                        assert!((lower as i32..=upper as i32).contains(&margin), "{sample:?} {margin}");
                    }
                    MarginTarget::Played(_) => {}
                }
                edges += !sample.edge_margins.is_empty() as usize;
                for &(edge, margin) in &sample.edge_margins {
                    assert_eq!(margin as i32, edge_margin(&mut solver, sample.state, edge), "{sample:?}");
                }
            }
            // Playing for the result alone, a search seldom proves a margin.
            let least = if margin_weight > 0.0 { 20.0 * full_share } else { 5.0 };
            assert!(exact >= least as usize, "{exact}");
            assert_eq!(edges > exact / 2, solver_undrawn.is_some(), "{edges} of {exact}");
            assert_eq!(play(&config, &[]).0, samples);
        }
    }

    fn config(set: impl FnOnce(&mut SelfPlayConfig)) -> Config {
        let mut config = Config { board: "3x3".parse().unwrap(), ..Config::default() };
        let selfplay = &mut config.selfplay;
        (selfplay.games, selfplay.simulations, selfplay.opening_edges) = (30, 16, 4);
        (selfplay.root_undrawn, selfplay.root_nodes, selfplay.band_undrawn) = (Some(12), 50_000, Some(12));
        set(selfplay);
        config
    }

    fn samples(config: &Config, starts: &[State]) -> Vec<Sample> {
        play(config, starts).0
    }

    #[test]
    fn finished_games_are_relabeled_from_their_end() {
        let board = Board::new(3, 3).unwrap();
        let exact = |samples: &[Sample]| samples.iter().filter(|sample| sample.margin.is_exact()).count();
        let (plain, all) = (samples(&config(|_| {}), &[]), samples(&config(|s| s.relabel_nodes = Some(u64::MAX)), &[]));
        assert!(exact(&plain) < plain.len() && plain.len() == all.len());
        assert_eq!(exact(&all), all.len());
        let mut solver = Solver::new(board, 1 << 18);
        for sample in &all {
            let solution = solver.solve(sample.state, u64::MAX);
            assert_eq!(solution.margin(), sample.margin.exact().map(i32::from));
            assert!(sample.policy.iter().all(|&(edge, _)| solution.best.contains(edge)));
        }
        let few = samples(&config(|s| s.relabel_nodes = Some(300)), &[]);
        let some = exact(&few);
        // Where the margin is not settled, a proof of who wins corrects what the game's end says.
        let mut corrected = 0;
        for Sample { state, margin, .. } in &few {
            let value = solver.margin(*state, u64::MAX).unwrap();
            if let MarginTarget::Within(lower, upper) = *margin {
                corrected += 1;
                assert!((lower as i32..=upper as i32).contains(&value), "{state}: {margin:?}, {value}");
            }
        }
        assert!(corrected > 0);
        assert!(exact(&plain) < some && some < all.len(), "{some}");
    }

    #[test]
    fn surprising_samples_are_repeated() {
        let plain = samples(&config(|_| {}), &[]);
        let weighted = samples(&config(|s| s.surprise_share = 1.0), &[]);
        let times = |sample: &Sample| weighted.iter().filter(|other| *other == sample).count();
        assert!(weighted.iter().all(|sample| plain.contains(sample)));
        assert!(plain.iter().any(|sample| times(sample) == 0) && plain.iter().any(|sample| times(sample) > 1));
        assert!(weighted.len().abs_diff(plain.len()) < plain.len() / 3, "{} {}", weighted.len(), plain.len());
    }

    #[test]
    fn noise_ends_after_the_configured_number_of_moves() {
        // The number of distinct positions after so many moves of 30 games from the empty board.
        let positions = |noisy_moves: u64, moves: usize| {
            let samples = samples(&config(|s| (s.opening_edges, s.noisy_moves) = (0, noisy_moves)), &[]);
            let positions: HashSet<State> = samples.iter().map(|sample| sample.state).collect();
            positions.iter().filter(|state| state.drawn().len() == moves).count()
        };
        // The two edges of a corner are equivalent, so that the best move has two edges.
        assert!(positions(0, 1) <= 2 && positions(1, 1) > 4);
        assert!(positions(1, 2) < positions(64, 2));
    }

    #[test]
    fn games_may_begin_with_given_states() {
        let start = State::new(Board::new(3, 3).unwrap()).after(Edge::new(0)).after(Edge::new(5));
        let all = samples(&config(|s| s.start_share = 1.0), &[start]);
        assert_eq!(all.iter().filter(|sample| sample.state == start).count(), 30);
        let half = samples(&config(|s| s.start_share = 0.5), &[start]);
        assert!((5..25).contains(&half.iter().filter(|sample| sample.state == start).count()));
        // Without such states, games begin with their usual openings.
        assert!(samples(&config(|s| s.start_share = 1.0), &[]).len() > 60);
    }

    /// Games of a fresh network often end otherwise than the book has proved.
    #[test]
    fn positions_of_the_book_are_labeled_with_what_is_proved() {
        let board = Board::new(5, 5).unwrap();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/books/5x5.log");
        let log = std::fs::read_to_string(path).unwrap();
        let books = Books::new([doublecross_proof::parse_lemmas(board, "5x5.log", &log).unwrap()]);
        let book = books.of(board).unwrap();
        let mut config = Config { board: "5x5".parse().unwrap(), ..Config::default() };
        let selfplay = &mut config.selfplay;
        (selfplay.games, selfplay.simulations) = (24, 2);
        (selfplay.root_undrawn, selfplay.root_nodes) = (Some(24), 50_000);
        let samples = |config: &Config| {
            let architecture = Architecture::new(16, 0, 8);
            let orders = Orders::new(config, 1, initial_weights(board, architecture, 1), Vec::new(), &books);
            let played = play_all(Session::new(orders)).items;
            played.into_iter().flat_map(|played| played.samples).collect::<Vec<Sample>>()
        };
        let of_book = |samples: Vec<Sample>| -> Vec<Sample> {
            samples.into_iter().filter(|sample| book.contains(sample.state)).collect()
        };
        assert!(of_book(samples(&config)).is_empty());
        config.selfplay.book_share = 1.0;
        let all = of_book(samples(&config));
        assert!(all.len() >= 24, "{}", all.len());
        for Sample { state, margin, .. } in &all {
            let bounds = book.bounds(*state);
            assert_eq!(margin.proved(bounds), *margin);
            let (lower, upper) = margin.range();
            assert!(bounds.lower <= lower as i32 && upper as i32 <= bounds.upper, "{state} {margin:?}");
        }
        assert!(all.iter().any(|sample| matches!(sample.margin, MarginTarget::Within(..))));
    }
}
