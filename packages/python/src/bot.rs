//! Bots by their names, and matches between them.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use doublecross::arena::{self, BotFactory, BotSpec, Game, LoggedGame, MatchSettings, Observer, play_pairs};
use doublecross::board::Board;
use doublecross::built_in;
use doublecross::run::load_weights;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::count::{count, optional_count};
use crate::errors::{checkpoint_kind, file_error, invalid};
use crate::game::json;
use crate::long_call::long_call;
use crate::network::chosen_isa;
use crate::position::{Position, parse_board};

/// A bot by its name, as the program's documents list them: `"greedy"`, `"chains"`, `"level:5"`,
/// `"solver:20000"`, `"net,sims=200,nodes=20000"`, `"net:runs/5x5,sims=100"`. Programs as bots
/// (`exec:`) are for the command line.
#[pyclass(module = "doublecross", frozen)]
pub struct Bot {
    name: String,
    factory: Arc<BotFactory>,
    bot: Mutex<Box<dyn arena::Bot>>,
}

/// Makes the factory of a bot.
fn factory(name: &str) -> PyResult<BotFactory> {
    let spec: BotSpec = name.parse().map_err(invalid)?;
    if name.starts_with("exec:") {
        return Err(PyValueError::new_err(format!(
            "{name}: programs as bots are for the command line; ask them yourself"
        )));
    }
    let kind = Cell::new(None);
    let load = |path: &Path| {
        load_weights(path).map_err(|error| {
            kind.set(checkpoint_kind(&error));
            error.to_string()
        })
    };
    spec.factory_with(chosen_isa()?, built_in(), load).map_err(|error| file_error(error, kind.get()))
}

/// Checks that a bot plays a board in the way that its name says.
fn check_board(name: &str, factory: &BotFactory, board: Board) -> PyResult<()> {
    match factory.board().filter(|_| !factory.knows(board)) {
        Some(own) => Err(PyValueError::new_err(format!("{name} plays {own}; the games are on {board}"))),
        None => Ok(()),
    }
}

#[pymethods]
impl Bot {
    #[new]
    fn new(name: &str) -> PyResult<Bot> {
        let factory = Arc::new(factory(name)?);
        Ok(Bot { name: name.into(), bot: Mutex::new(factory.make()), factory })
    }

    /// The edge that the bot draws. Bots that vary their play do so by the nonce.
    ///
    /// Raises `ValueError` if the game is over or is on a board that the bot does not play.
    #[pyo3(signature = (position, nonce = 0))]
    fn choose(&self, py: Python<'_>, position: &Position, #[pyo3(from_py_with = count)] nonce: u64) -> PyResult<usize> {
        if position.0.is_over() {
            return Err(PyValueError::new_err("a game that is over has no edge to draw"));
        }
        let board = position.0.board();
        check_board(&self.name, &self.factory, board)?;
        let choose = || self.bot.lock().unwrap_or_else(PoisonError::into_inner).choose(&position.0, nonce);
        Ok(long_call(py, &Arc::<AtomicBool>::default(), choose)?.index())
    }

    fn __repr__(&self) -> String {
        format!("<Bot {}>", self.name)
    }
}

/// Plays games of two bots in pairs that begin with the same random edges, with the seats swapped,
/// on all cores. Returns the result and the lines of a log of the games, as JSON.
#[pyfunction]
#[pyo3(signature = (first, second, *, board, games, opening, seed))]
pub fn play_match(
    py: Python<'_>,
    first: &str,
    second: &str,
    board: &str,
    #[pyo3(from_py_with = count)] games: usize,
    #[pyo3(from_py_with = optional_count)] opening: Option<usize>,
    #[pyo3(from_py_with = count)] seed: u64,
) -> PyResult<(String, Vec<String>)> {
    let board = parse_board(board)?;
    if !(1..=1_000_000).contains(&games) {
        return Err(PyValueError::new_err(format!("games = {games} is out of range; expected 1 to 1000000")));
    }
    let stop = Arc::<AtomicBool>::default();
    let factories = [factory(first)?.with_stop(stop.clone()), factory(second)?.with_stop(stop.clone())];
    for (name, factory) in [first, second].iter().zip(&factories) {
        check_board(name, factory, board)?;
    }
    let settings =
        MatchSettings::new(board, games, seed, opening).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let isa = chosen_isa()?;
    let (outcome, played) = long_call(py, &stop, || {
        let mut played = Vec::with_capacity(games);
        let mut keep = |pair: &[Game]| {
            played.extend(pair.iter().map(|game| LoggedGame::new(board, [first, second], isa, game)));
            true
        };
        let observer = Observer { progress: &mut |_| (), pair: &mut keep };
        let outcome = play_pairs(&settings, (first, &factories[0]), (second, &factories[1]), observer, &stop);
        (outcome, played)
    })?;
    if let Some(error) = outcome.error {
        return Err(PyRuntimeError::new_err(error.to_string()));
    }
    let lines = played.iter().map(json).collect::<PyResult<_>>()?;
    Ok((json(&outcome.result)?, lines))
}
