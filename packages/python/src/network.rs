//! Networks.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use doublecross::board::{Board, Offer, State};
use doublecross::bots::BoardNetworks;
use doublecross::built_in;
use doublecross::net::{self, Isa};
use doublecross::run::load_weights;
use doublecross::search::{Choice, Evaluation, Evaluator, NetworkEvaluator};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PySequence, PyString, PyTuple};

use crate::arrays::array;
use crate::errors::{checkpoint_error, invalid};
use crate::long_call::{long_call, short_call};
use crate::position::{Position, parse_board};

/// The positions of a call that is too short to be worth a thread of its own.
const SHORT: usize = 64;

/// A network: what it thinks of a position without any search.
///
/// `Network()` is the pretrained ones, which together play every board.
/// `Network("checkpoints/5x5")` reads a weights file (`.dxw`), a checkpoint's folder or a run's
/// folder, and plays the board that it was trained on, or every board if it was trained on several.
#[pyclass(module = "doublecross", frozen)]
pub struct Network {
    networks: Arc<BoardNetworks>,
    /// The only board, if there is one.
    board: Option<Board>,
    /// The evaluators that are not in use, which take time to make.
    evaluators: Mutex<Vec<(Board, NetworkEvaluator)>>,
}

/// Writes the probabilities of the undrawn edges.
fn write_policy(state: State, logits: &[f32], policy: &mut [f32]) {
    let undrawn = || state.undrawn().iter().map(|edge| edge.index());
    let largest = undrawn().map(|edge| logits[edge]).fold(f32::MIN, f32::max);
    let sum: f32 = undrawn().map(|edge| (logits[edge] - largest).exp()).sum();
    undrawn().for_each(|edge| policy[edge] = (logits[edge] - largest).exp() / sum);
}

/// Writes the better choice in a state with boxes on offer and its margins, by the evaluation of the
/// state when all of them are taken. Policy and margins are zeros before.
fn resolve(
    state: State,
    offer: &Offer,
    evaluator: &mut NetworkEvaluator,
    evaluation: &mut Evaluation,
    policy: &mut [f32],
    margins: &mut [f32],
) {
    let boxes = state.board().boxes() as i32;
    if offer.rest.is_over() {
        evaluation.reset();
        evaluation.margins[boxes as usize] = 1.0;
    } else {
        evaluator.evaluate(offer.rest, evaluation);
    }
    let kept = offer.price.filter(|_| offer.keeps_control(evaluation.expected_margin(boxes as usize)));
    let choice = if kept.is_some() { Choice::KeepControl } else { Choice::TakeAll };
    if let Some(edge) = choice.first_edge(state) {
        policy[edge.index()] = 1.0;
    }
    for (rest, &probability) in (-boxes..=boxes).zip(&evaluation.margins).filter(|(_, probability)| **probability > 0.0)
    {
        let margin = kept.map_or(offer.taken + rest, |price| offer.taken - price - rest);
        margins[(boxes + margin) as usize] = probability;
    }
}

/// Returns the positions of a list.
fn list<'py>(positions: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, Position>>> {
    if positions.is_instance_of::<PyString>() || positions.cast::<PySequence>().is_err() {
        let error = format!("evaluate takes a list of positions, not {} (pass [position])", positions.repr()?);
        return Err(PyTypeError::new_err(error));
    }
    positions.extract()
}

/// Returns the instruction set that the environment names, if it names one.
pub fn named_isa() -> PyResult<Option<Isa>> {
    let Ok(name) = std::env::var("DOUBLECROSS_ISA") else { return Ok(None) };
    let isa = Isa::named(&name, &Isa::available());
    isa.map(Some).map_err(|error| invalid(format!("DOUBLECROSS_ISA: {error}")))
}

/// Returns the instruction set that the environment names, or the fastest one.
pub fn chosen_isa() -> PyResult<Isa> {
    Ok(named_isa()?.unwrap_or_else(Isa::fastest))
}

impl Network {
    /// Returns an evaluator for a board.
    fn take_evaluator(&self, board: Board) -> PyResult<NetworkEvaluator> {
        let network = self.of(board)?;
        let mut free = self.evaluators.lock().unwrap_or_else(PoisonError::into_inner);
        let found = free.iter().position(|(of, _)| *of == board).map(|at| free.swap_remove(at).1);
        Ok(found.unwrap_or_else(|| NetworkEvaluator::new(network)))
    }

    /// Returns the network for a board.
    pub fn of(&self, board: Board) -> PyResult<Arc<net::Network>> {
        match self.board {
            Some(own) if own != board => {
                Err(PyValueError::new_err(format!("the network plays {own}; the position is of {board}")))
            }
            _ => Ok(self.networks.network(board)),
        }
    }
}

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (checkpoint = None))]
    fn new(checkpoint: Option<PathBuf>) -> PyResult<Network> {
        let isa = chosen_isa()?;
        let (networks, board) = match checkpoint {
            None => (built_in().pretrained_networks(isa).map_err(invalid)?, None),
            Some(path) => {
                let weights = load_weights(&path).map_err(checkpoint_error)?;
                let board = weights.other_boards.is_empty().then_some(weights.board);
                (BoardNetworks::checked(weights, isa).map_err(invalid)?, board)
            }
        };
        Ok(Network { networks: Arc::new(networks), board, evaluators: Mutex::default() })
    }

    /// The board that the network plays, as in `"5x5"`, or `None` if it plays every board.
    #[getter]
    fn board(&self) -> Option<String> {
        self.board.map(|board| board.to_string())
    }

    /// `True` if the network was trained on this board.
    fn is_trained_on(&self, board: &str) -> PyResult<bool> {
        Ok(self.networks.weights().is_trained_on(parse_board(board)?))
    }

    /// The network's evaluations of positions of one board.
    ///
    /// Returns two arrays of float32: the policy, `[positions, edges]`, the probability that each
    /// edge is the best, and the margins, `[positions, 2 * boxes + 1]`, the probability of each
    /// number of boxes, from `-boxes` to `boxes`, that the player to move gets from here on less those
    /// of the opponent.
    ///
    /// The network itself judges positions in which no box can be taken at once. Others are resolved
    /// as in a search: what follows when all boxes are taken is judged, and the better of taking all
    /// and of keeping control counts. The policy is 1 for the edge that begins it. With
    /// `offers="nan"`, their rows are nan.
    #[pyo3(signature = (positions, *, offers = "resolve"))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = list)] positions: Vec<Bound<'py, Position>>,
        offers: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        if !["resolve", "nan"].contains(&offers) {
            return Err(PyValueError::new_err(format!("offers = {offers:?}: expected \"resolve\" or \"nan\"")));
        }
        let has_nan = offers == "nan";
        let Some(first) = positions.first() else {
            return Err(PyValueError::new_err("there are no positions to evaluate"));
        };
        let board = first.get().0.board();
        let mut states = Vec::with_capacity(positions.len());
        for position in positions.iter().map(Bound::get) {
            if position.0.board() != board {
                let other = position.0.board();
                return Err(PyValueError::new_err(format!("positions of {board} and of {other}; expected one board")));
            }
            if position.0.is_over() {
                return Err(PyValueError::new_err("a game that is over has nothing to evaluate"));
            }
            states.push(position.0.state());
        }
        let mut evaluator = self.take_evaluator(board)?;
        let (edges, outputs) = (board.edges(), 2 * board.boxes() + 1);
        let stop = Arc::<AtomicBool>::default();
        let work = || {
            let mut evaluation = Evaluation::new(board);
            let mut policy = vec![0.0f32; states.len() * edges];
            let mut margins = vec![0.0f32; states.len() * outputs];
            let rows = policy.chunks_exact_mut(edges).zip(margins.chunks_exact_mut(outputs));
            for (&state, (policy, margins)) in states.iter().zip(rows) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let offer = state.offer();
                if offer.taken > 0 && has_nan {
                    policy.fill(f32::NAN);
                    margins.fill(f32::NAN);
                } else if offer.taken > 0 {
                    resolve(state, &offer, &mut evaluator, &mut evaluation, policy, margins);
                } else {
                    evaluator.evaluate(state, &mut evaluation);
                    write_policy(state, &evaluation.logits, policy);
                    margins.copy_from_slice(&evaluation.margins[..outputs]);
                }
            }
            (policy, margins, evaluator)
        };
        let is_short = states.len() <= SHORT;
        let (policy, margins, evaluator) = if is_short { short_call(py, work) } else { long_call(py, &stop, work) }?;
        self.evaluators.lock().unwrap_or_else(PoisonError::into_inner).push((board, evaluator));
        let policy = array(py, &policy, &[states.len(), edges])?;
        PyTuple::new(py, [policy, array(py, &margins, &[states.len(), outputs])?])
    }

    fn __repr__(&self) -> String {
        format!("<Network of {}>", self.board().unwrap_or_else(|| "every board".into()))
    }
}
