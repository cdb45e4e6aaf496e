//! The samples of a run, and data sets of samples.

use std::fs::{File, create_dir_all};
use std::path::{Path, PathBuf};

use doublecross::board::{Board, Edge, State};
use doublecross::selfplay::{DataSet, MarginTarget, PlayedItem, Sample, Shard};
use doublecross::shell::shell_word;
use doublecross::train::lock;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::array;
use crate::errors::{CONTENTS, data_set_error, file_error, invalid, shard_error};
use crate::position::{marked_edges, parse_board};
use crate::training::run_error;

/// Reads the samples of a generation as arrays, by their names.
#[pyfunction]
pub fn read_shard<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyDict>> {
    let shard = Shard::read(&path).map_err(shard_error)?;
    let (edges, count) = (shard.board.edges(), shard.samples.len());
    let mut drawn = vec![false; count * edges];
    let mut policy = vec![0.0f32; count * edges];
    let mut edge_margins = vec![f32::NAN; count * edges];
    for (index, sample) in shard.samples.iter().enumerate() {
        let at = index * edges;
        sample.state.drawn().iter().for_each(|edge| drawn[at + edge.index()] = true);
        let sum: f32 = sample.policy.iter().map(|&(_, share)| f32::from(share)).sum();
        for &(edge, share) in &sample.policy {
            policy[at + edge.index()] = f32::from(share) / sum.max(1.0);
        }
        for &(edge, margin) in &sample.edge_margins {
            edge_margins[at + edge.index()] = f32::from(margin);
        }
    }
    let ranges = shard.samples.iter().map(|sample| sample.margin.range());
    let margins: Vec<i8> = ranges.flat_map(|(lowest, highest)| [lowest, highest]).collect();
    let exact: Vec<bool> = shard.samples.iter().map(|sample| sample.margin.is_exact()).collect();
    let arrays = PyDict::new(py);
    arrays.set_item("board", shard.board.to_string())?;
    arrays.set_item("drawn", array(py, &drawn, &[count, edges])?)?;
    arrays.set_item("margin", array(py, &margins, &[count, 2])?)?;
    arrays.set_item("is_exact", array(py, &exact, &[count])?)?;
    arrays.set_item("policy", array(py, &policy, &[count, edges])?)?;
    arrays.set_item("edge_margins", array(py, &edge_margins, &[count, edges])?)?;
    Ok(arrays)
}

/// Opens the data set in a folder, or begins one where a board is given. Returns its board and its numbers of
/// shards and of samples.
#[pyfunction]
pub fn open_data_set(folder: PathBuf, board: Option<&str>) -> PyResult<(String, usize, usize)> {
    let refused = |error| data_set_error(&folder, error);
    let data_set = match board {
        Some(board) if !folder.join(CONTENTS).exists() => {
            let board = parse_board(board)?;
            DataSet::check_empty(&folder).map_err(refused)?;
            create_dir_all(&folder)
                .map_err(|error| file_error(format!("{}: {error}", shell_word(&folder)), Some(error.kind())))?;
            let _lock = locked(&folder)?;
            DataSet::open_or_begin(&folder, board)
        }
        Some(board) => DataSet::open_or_begin(&folder, parse_board(board)?),
        None => DataSet::open(&folder),
    };
    let data_set = data_set.map_err(refused)?;
    Ok((data_set.board().into(), data_set.shards(), data_set.samples()))
}

/// Locks the folder of a data set until the file is closed.
fn locked(folder: &Path) -> PyResult<File> {
    lock(folder).map_err(|error| run_error(error, None, None))
}

/// Adds a shard of samples to the data set in a folder, from the bytes of arrays in the form that
/// [`read_shard`] gives.
#[pyfunction]
pub fn add_shard(
    folder: PathBuf,
    board: &str,
    drawn: &[u8],
    margin: &[u8],
    is_exact: &[u8],
    policy: &[u8],
    edge_margins: &[u8],
) -> PyResult<()> {
    let board = parse_board(board)?;
    let (edges, count) = (board.edges(), is_exact.len());
    let sizes = [(drawn.len(), edges), (margin.len(), 2), (policy.len(), 4 * edges), (edge_margins.len(), 4 * edges)];
    if sizes.iter().any(|&(found, each)| found != each * count) {
        return Err(invalid("the arrays differ in their numbers of samples"));
    }
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect()
    };
    let (policy, edge_margins) = (floats(policy), floats(edge_margins));
    let samples = (0..count).map(|index| {
        let of_edges = index * edges..(index + 1) * edges;
        let given = GivenSample {
            drawn: &drawn[of_edges.clone()],
            margin: (margin[2 * index] as i8, margin[2 * index + 1] as i8),
            is_exact: is_exact[index] != 0,
            policy: &policy[of_edges.clone()],
            edge_margins: &edge_margins[of_edges],
        };
        given.sample(board).map_err(|fault| invalid(format!("sample {index}: {fault}")))
    });
    let samples = samples.collect::<PyResult<Vec<Sample>>>()?;
    let refused = |error| data_set_error(&folder, error);
    // What another process adds is read first.
    let _lock = locked(&folder)?;
    let mut data_set = DataSet::open_or_begin(&folder, board).map_err(refused)?;
    data_set.check_made_elsewhere().map_err(refused)?;
    let generation = data_set.shards() as u64 + 1;
    let item = PlayedItem { samples, ..PlayedItem::default() };
    let shard = Shard::new(board, generation, 0, vec![item]);
    data_set.push(&shard).map_err(refused)
}

/// A sample as callers give it, with one number for each edge.
struct GivenSample<'a> {
    drawn: &'a [u8],
    /// The lowest and the highest.
    margin: (i8, i8),
    is_exact: bool,
    policy: &'a [f32],
    /// Not a number where it is not known.
    edge_margins: &'a [f32],
}

impl GivenSample<'_> {
    /// Returns the sample.
    ///
    /// # Errors
    /// Returns the rule that it breaks.
    fn sample(&self, board: Board) -> Result<Sample, String> {
        let state =
            State::checked(board, marked_edges(board, self.drawn)).ok_or("it has an edge that the board lacks")?;
        if state.is_over() {
            return Err("the game is over, so that it has nothing to learn from".into());
        }
        if let Some(edge) = state.capturing_edge() {
            return Err(format!("{} takes a box; samples have no box on offer", named(board, edge)));
        }
        let sample = Sample {
            state,
            margin: self.margin(state)?,
            policy: self.policy(state)?,
            edge_margins: self.edge_margins(state)?,
        };
        sample.is_possible().then_some(sample).ok_or_else(|| format!("it is impossible on {board}"))
    }

    fn margin(&self, state: State) -> Result<MarginTarget, String> {
        let (lowest, highest) = self.margin;
        if lowest > highest {
            return Err(format!("its lowest margin {lowest} is above its highest {highest}"));
        }
        if self.is_exact && lowest < highest {
            return Err(format!("is_exact is True, and its margins {lowest} and {highest} differ"));
        }
        for margin in [lowest, highest] {
            check_margin(state, margin.into()).map_err(|fault| format!("margin {fault}"))?;
        }
        Ok(match self.is_exact {
            true => MarginTarget::Exact(lowest),
            false if lowest < highest => MarginTarget::Within(lowest, highest),
            false => MarginTarget::Played(lowest),
        })
    }

    fn policy(&self, state: State) -> Result<Vec<(Edge, u16)>, String> {
        for (edge, &share) in (0..).map(Edge::new).zip(self.policy) {
            let name = || named(state.board(), edge);
            if !share.is_finite() || share < 0.0 {
                return Err(format!("the policy of {} is {share}; expected a share from 0 on", name()));
            }
            if share > 0.0 && state.drawn().contains(edge) {
                return Err(format!("the policy of {} is {share}, and the edge is drawn", name()));
            }
        }
        let sum: f64 = self.policy.iter().copied().map(f64::from).sum();
        if sum == 0.0 {
            return Err("its policy is 0 for every edge".into());
        }
        let shares = (0..).map(Edge::new).zip(self.policy);
        Ok(Sample::quantize(shares.map(|(edge, &share)| (edge, (f64::from(share) / sum) as f32))))
    }

    fn edge_margins(&self, state: State) -> Result<Vec<(Edge, i8)>, String> {
        let known = (0..).map(Edge::new).zip(self.edge_margins).filter(|(_, margin)| !margin.is_nan());
        let checked = known.map(|(edge, &margin)| {
            let fault = |fault| format!("edge_margins of {}: {fault}", named(state.board(), edge));
            if state.drawn().contains(edge) {
                return Err(fault(format!("{margin}, and the edge is drawn (leave it nan)")));
            }
            check_margin(state, margin).map_err(fault)?;
            Ok((edge, margin as i8))
        });
        checked.collect()
    }
}

/// Checks a margin still to come.
///
/// # Errors
/// Returns the rule that it breaks, which begins with the margin.
fn check_margin(state: State, margin: f32) -> Result<(), String> {
    let open = state.open_boxes();
    if margin.fract() != 0.0 && margin.is_finite() {
        return Err(format!("{margin} is not of whole boxes"));
    }
    if margin.abs() > open as f32 {
        return Err(format!("{margin} is more than the {open} open boxes"));
    }
    if margin as i32 & 1 != open as i32 & 1 {
        let (parity, kind) = if open.is_multiple_of(2) { ("even", "odd") } else { ("odd", "even") };
        return Err(format!("{margin} is {kind}; with {open} open boxes a margin is {parity}"));
    }
    Ok(())
}

/// Returns the number and the name of an edge.
fn named(board: Board, edge: Edge) -> String {
    format!("edge {} ({})", edge.index(), board.edge_name(edge))
}
