//! Suites drawn at random: positions of several kinds, each with its exact answer.
//!
//! Weights that were chosen by their score on a suite look better on it than they are. A suite that
//! was drawn after the choice is unbiased.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::str::FromStr;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::SuitePosition;
use super::solved::TABLE;
use super::suite::position_lines;
use crate::random::{Purpose, random_edge, random_state, stream};
use crate::{Bot, BotFactory};
use doublecross_core::board::{Board, Position, State};
use doublecross_core::shell::shell_word;
use doublecross_core::solver::Solver;

/// The number of positions that are tried for each one that is wanted, at most.
const TRIES: u64 = 20;

/// The most random edges at the beginning of a bot's games.
const OPENING: usize = 8;

/// The number of the last edges of strong play that are mostly optimal.
const STRONG_EDGES: usize = 4;

/// The kind of a suite's positions: the play that leads to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PositionKind {
    /// Any edges.
    Random,
    /// Random play that takes every box on offer, and offers none while another edge is left.
    Careful,
    /// Careful play whose last four edges are optimal three times out of four.
    Strong,
    /// Games of a bot against itself, after up to eight random safe edges.
    Played,
}

impl PositionKind {
    /// All kinds.
    pub const ALL: [PositionKind; 4] =
        [PositionKind::Random, PositionKind::Careful, PositionKind::Strong, PositionKind::Played];
}

impl fmt::Display for PositionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PositionKind::Random => "random",
            PositionKind::Careful => "careful",
            PositionKind::Strong => "strong",
            PositionKind::Played => "played",
        })
    }
}

impl FromStr for PositionKind {
    type Err = String;

    fn from_str(text: &str) -> Result<PositionKind, String> {
        let kind = PositionKind::ALL.into_iter().find(|kind| kind.to_string() == text);
        kind.ok_or_else(|| {
            format!("{} is not a kind of position: kinds are random, careful, strong and played", shell_word(text))
        })
    }
}

/// Positions of a suite that are alike: their kind, and their number of undrawn edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SuiteBand {
    /// The kind.
    pub kind: PositionKind,
    /// The number of undrawn edges.
    pub undrawn: usize,
}

impl SuiteBand {
    /// Returns the bands of a suite, from its text, with their numbers of positions.
    ///
    /// # Errors
    /// Returns an error if a line has no kind that can be drawn, with its number.
    pub fn of_suite(text: &str) -> Result<BTreeMap<SuiteBand, usize>, String> {
        let mut bands = BTreeMap::new();
        for (number, line) in position_lines(text.as_bytes()) {
            let line = String::from_utf8_lossy(line);
            let bad = |reason: String| format!("line {number}: {reason}");
            let mut columns = line.split('\t').skip(1);
            let kind = columns.next().unwrap_or_default().parse().map_err(bad)?;
            let undrawn = columns.next().unwrap_or_default();
            let undrawn = undrawn
                .parse()
                .map_err(|_| bad(format!("{} is not a number of undrawn edges", shell_word(undrawn))))?;
            *bands.entry(SuiteBand { kind, undrawn }).or_default() += 1;
        }
        Ok(bands)
    }
}

/// A position that was drawn for a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnPosition {
    /// The kind.
    pub kind: PositionKind,
    /// The position with its answer.
    pub position: SuitePosition,
}

/// The settings of a suite that is drawn.
#[derive(Clone, Debug)]
pub struct SuiteSettings {
    /// The board.
    pub board: Board,
    /// The number of positions of each band.
    pub bands: BTreeMap<SuiteBand, usize>,
    /// The seed.
    pub seed: u64,
    /// The nodes that the solver may spend on a position. Those that it does not settle are left
    /// out, and others are drawn in their place.
    pub nodes: u64,
}

/// Draws a suite on rayon's threads, band by band. All its positions differ by more than symmetry,
/// and from those of `known`. Calls `report` with the number of positions that are there, now and
/// then.
///
/// There are fewer positions than asked for where the board lacks them, or the solver does not
/// settle them. The same settings draw the same suite, with a player of played positions who draws the
/// same edges.
///
/// # Panics
/// Panics if a band has more undrawn edges than the board, or none, or if it is of played positions and
/// there is no player.
pub fn draw_suite(
    settings: &SuiteSettings,
    player: Option<&BotFactory>,
    known: impl IntoIterator<Item = State>,
    report: &(dyn Fn(usize) + Sync),
) -> Vec<DrawnPosition> {
    let SuiteSettings { board, ref bands, seed, nodes } = *settings;
    let mut seen: HashSet<State> = known.into_iter().map(|state| state.canonical().0).collect();
    let mut drawn = Vec::new();
    for (&band, &wanted) in bands {
        let first = drawn.len();
        let tries = TRIES * wanted as u64;
        let (mut tried, mut known_of_band) = (0, HashSet::new());
        while drawn.len() < first + wanted && tried < tries {
            // Some at a time, in a fixed number, so that the threads do not change the choice.
            let numbers = tried..(tried + wanted.clamp(16, 256) as u64).min(tries);
            tried = numbers.end;
            let tools = || (Solver::new(board, TABLE), player.map(BotFactory::make));
            let states: Vec<Option<State>> = numbers
                .into_par_iter()
                .map_init(tools, |(solver, player), number| {
                    let purpose = (band.undrawn as u64) << 8 | band.kind as u64;
                    let rng = &mut stream(seed, purpose, number, Purpose::DrawnSuite);
                    draw(solver, player.as_deref_mut(), board, band, nodes, rng)
                })
                .collect();
            // What was tried before is not solved again.
            let mut is_new = |state: &State| {
                let canonical = state.canonical().0;
                !seen.contains(&canonical) && known_of_band.insert(canonical)
            };
            let states: Vec<State> = states.into_iter().flatten().filter(&mut is_new).collect();
            let solver = || Solver::new(board, TABLE);
            let found = states.into_par_iter().map_init(solver, |solver, state| {
                solver.clear();
                SuitePosition::solve(solver, state, nodes)
            });
            let found: Vec<Option<SuitePosition>> = found.collect();
            let left = first + wanted - drawn.len();
            for position in found.into_iter().flatten().take(left) {
                seen.insert(position.state.canonical().0);
                drawn.push(DrawnPosition { kind: band.kind, position });
            }
            report(drawn.len());
        }
    }
    drawn
}

/// Returns a position of a game that a bot plays against itself.
fn played(player: &mut dyn Bot, board: Board, undrawn: usize, rng: &mut ChaCha8Rng) -> Option<State> {
    let opening = rng.random_range(0..=OPENING.min(board.edges() - undrawn));
    let mut position = Position::from_state(random_state(board, opening, true, rng));
    let nonce = rng.random();
    player.start_game();
    while position.undrawn().len() > undrawn {
        let edge = player.choose(&position, nonce);
        position.play(edge).ok()?;
    }
    Some(position.state())
}

/// Draws one position of a band, unless the solver does not settle what it needs for that.
fn draw(
    solver: &mut Solver,
    player: Option<&mut (dyn Bot + 'static)>,
    board: Board,
    band: SuiteBand,
    nodes: u64,
    rng: &mut ChaCha8Rng,
) -> Option<State> {
    let SuiteBand { kind, undrawn } = band;
    assert!((1..=board.edges()).contains(&undrawn), "{undrawn} undrawn edges on {board}");
    Some(match kind {
        PositionKind::Played => return played(player.expect("a player of played positions"), board, undrawn, rng),
        PositionKind::Random => random_state(board, board.edges() - undrawn, false, rng),
        PositionKind::Careful => careful_play(State::new(board), undrawn, rng),
        PositionKind::Strong => {
            // What is settled must not depend on what this thread solved before.
            solver.clear();
            let mut state = careful_play(State::new(board), (undrawn + STRONG_EDGES).min(board.edges()), rng);
            while state.undrawn().len() > undrawn {
                let is_optimal = rng.random_range(0..4) > 0;
                let best = if is_optimal { solver.solve(state, nodes).best } else { state.undrawn() };
                state = match best.is_empty() {
                    true => return None,
                    false if is_optimal => state.after(random_edge(best, rng)),
                    false => careful_play(state, state.undrawn().len() - 1, rng),
                };
            }
            state
        }
    })
}

/// Plays carefully until so many edges are undrawn: a box on offer is taken, and none is offered
/// while another edge is left.
fn careful_play(mut state: State, undrawn: usize, rng: &mut ChaCha8Rng) -> State {
    while state.undrawn().len() > undrawn {
        let captures = state.undrawn().iter().filter(|&edge| state.captures(edge) > 0).collect();
        let choices = [captures, state.safe_edges(), state.undrawn()];
        let choices = choices.into_iter().find(|edges| !edges.is_empty()).expect("edges are undrawn");
        state = state.after(random_edge(choices, rng));
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Suite;

    fn settings(bands: &[(PositionKind, usize, usize)]) -> SuiteSettings {
        let bands = bands.iter().map(|&(kind, undrawn, count)| (SuiteBand { kind, undrawn }, count)).collect();
        SuiteSettings { board: Board::new(3, 3).unwrap(), bands, seed: 5, nodes: u64::MAX }
    }

    fn lines(drawn: &[DrawnPosition]) -> String {
        drawn.iter().map(|drawn| drawn.position.line(&drawn.kind.to_string()) + "\n").collect()
    }

    #[test]
    fn a_suite_has_the_bands_that_were_asked_for_and_exact_answers() {
        use PositionKind::{Careful, Random, Strong};
        let settings = settings(&[(Random, 6, 20), (Careful, 10, 30), (Careful, 18, 40), (Strong, 12, 25)]);
        let drawn = draw_suite(&settings, None, [], &|_| ());
        assert_eq!(drawn.len(), 115);
        let text = lines(&drawn);
        assert_eq!(SuiteBand::of_suite(&text), Ok(settings.bands.clone()));
        let mut solver = Solver::new(settings.board, 1 << 16);
        for SuitePosition { state, margin, best } in Suite::parse(text.as_bytes(), "suite").unwrap().positions {
            let solution = solver.solve(state, u64::MAX);
            assert_eq!((solution.margin(), solution.best), (Some(margin), best), "{state}");
        }
        // The same settings draw the same, and others draw others.
        assert_eq!(lines(&draw_suite(&settings, None, [], &|_| ())), text);
        let other = draw_suite(&SuiteSettings { seed: 6, ..settings.clone() }, None, [], &|_| ());
        assert_ne!(lines(&other), text);
        // Without what is known already.
        let states = || drawn.iter().map(|drawn| drawn.position.state);
        let canonical = |state: State| state.canonical().0;
        let fresh = draw_suite(&settings, None, states(), &|_| ());
        let known: HashSet<State> = states().map(canonical).collect();
        assert_eq!(known.len(), 115);
        assert!(fresh.len() > 100 && fresh.iter().all(|drawn| !known.contains(&canonical(drawn.position.state))));
    }

    #[test]
    fn a_bot_plays_its_positions() {
        let spec: crate::BotSpec = "greedy".parse().unwrap();
        let factory = spec.factory(&crate::BuiltIn::default()).unwrap();
        let settings = settings(&[(PositionKind::Played, 12, 20), (PositionKind::Played, 9, 5)]);
        let draw = || draw_suite(&settings, Some(&factory), [], &|_| ());
        let drawn = draw();
        assert_eq!((drawn.len(), lines(&drawn)), (25, lines(&draw())));
        let text = lines(&drawn);
        assert_eq!(SuiteBand::of_suite(&text), Ok(settings.bands.clone()));
        let mut solver = Solver::new(settings.board, 1 << 16);
        for DrawnPosition { position, .. } in &drawn {
            assert_eq!(solver.margin(position.state, u64::MAX), Some(position.margin));
        }
    }

    #[test]
    fn kinds_are_what_they_are_called() {
        let board = Board::new(4, 4).unwrap();
        for number in 0..40 {
            let mut rng = stream(1, 0, number, Purpose::DrawnSuite);
            // While there are many safe edges, careful play offers nothing.
            assert!(careful_play(State::new(board), 30, &mut rng).is_capture_free());
            let state = careful_play(State::new(board), 6, &mut rng);
            assert_eq!(state.undrawn().len(), 6);
        }
        assert_eq!("strong".parse(), Ok(PositionKind::Strong));
        assert!("net".parse::<PositionKind>().is_err());
        let error = SuiteBand::of_suite("4x4\tcareful\t3\n4x4\tbots\t24\t").unwrap_err();
        assert!(error.starts_with("line 2: bots"), "{error}");
        assert!(SuiteBand::of_suite("4x4\tcareful\tx").unwrap_err().contains("not a number"));
    }

    #[test]
    fn what_the_board_lacks_or_the_solver_does_not_settle_is_missing() {
        use PositionKind::Careful;
        // The empty board alone has all edges undrawn.
        assert_eq!(draw_suite(&settings(&[(Careful, 24, 9)]), None, [], &|_| ()).len(), 1);
        let poor = SuiteSettings { nodes: 3, ..settings(&[(Careful, 20, 9)]) };
        assert!(draw_suite(&poor, None, [], &|_| ()).is_empty());
    }
}
