//! The samples of a run, and data sets of samples.

use std::path::PathBuf;

use doublecross::board::{Board, Edge, Edges, State};
use doublecross::selfplay::{DataSet, MarginTarget, PlayedItem, Sample, Shard};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::array;
use crate::position::invalid;

/// Reads the samples of a generation as arrays, by their names.
#[pyfunction]
pub fn read_shard<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyDict>> {
    let shard = Shard::read(&path).map_err(invalid)?;
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
    let data_set = match board {
        Some(board) => DataSet::open_or_begin(&folder, board.parse().map_err(invalid)?),
        None => DataSet::open(&folder),
    };
    let data_set = data_set.map_err(invalid)?;
    Ok((data_set.board().into(), data_set.shards(), data_set.samples()))
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
    let board: Board = board.parse().map_err(invalid)?;
    let (edges, count) = (board.edges(), is_exact.len());
    let sizes = [(drawn.len(), edges), (margin.len(), 2), (policy.len(), 4 * edges), (edge_margins.len(), 4 * edges)];
    if sizes.iter().any(|&(found, each)| found != each * count) {
        return Err(invalid("the arrays differ in their numbers of samples"));
    }
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect()
    };
    let (policy, edge_margins) = (floats(policy), floats(edge_margins));
    let sample = |index: usize| -> Option<Sample> {
        let of_edges = index * edges..(index + 1) * edges;
        let edge = |(edge, &value): (usize, &f32)| (Edge::new(edge), value);
        let is_drawn = |&edge: &usize| drawn[index * edges + edge] != 0;
        let state = State::checked(board, (0..edges).filter(is_drawn).map(Edge::new).collect::<Edges>())?;
        let policy: Vec<(Edge, f32)> = policy[of_edges.clone()].iter().enumerate().map(edge).collect();
        let sum: f32 = policy.iter().map(|&(_, share)| share).sum();
        let shares = policy.into_iter().map(|(edge, share)| (edge, share / sum));
        let valued = edge_margins[of_edges].iter().enumerate().map(edge).filter(|(_, value)| value.is_finite());
        let (lowest, highest) = (margin[2 * index] as i8, margin[2 * index + 1] as i8);
        let margin = match is_exact[index] != 0 {
            _ if lowest < highest => MarginTarget::Within(lowest, highest),
            true => MarginTarget::Exact(lowest),
            false => MarginTarget::Played(lowest),
        };
        let edge_margins = valued.map(|(edge, value)| (edge, value as i8)).collect();
        let sample = Sample { state, margin, policy: Sample::quantize(shares), edge_margins };
        (sum.is_finite() && lowest <= highest && sample.is_possible()).then_some(sample)
    };
    let impossible = |index| invalid(format!("sample {index} is impossible on {board}"));
    let samples = (0..count).map(|index| sample(index).ok_or_else(|| impossible(index)));
    let samples = samples.collect::<PyResult<Vec<Sample>>>()?;
    let mut data_set = DataSet::open_or_begin(&folder, board).map_err(invalid)?;
    let generation = data_set.shards() as u64 + 1;
    let item = PlayedItem { samples, ..PlayedItem::default() };
    data_set.push(&Shard::new(board, generation, 0, vec![item])).map_err(invalid)
}
