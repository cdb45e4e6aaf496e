//! The samples of a run.

use std::path::PathBuf;

use doublecross::selfplay::Shard;
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
    let margins: Vec<i8> = shard.samples.iter().map(|sample| sample.margin).collect();
    let exact: Vec<bool> = shard.samples.iter().map(|sample| sample.is_exact).collect();
    let arrays = PyDict::new(py);
    arrays.set_item("board", shard.board.to_string())?;
    arrays.set_item("drawn", array(py, &drawn, &[count, edges])?)?;
    arrays.set_item("margin", array(py, &margins, &[count])?)?;
    arrays.set_item("is_exact", array(py, &exact, &[count])?)?;
    arrays.set_item("policy", array(py, &policy, &[count, edges])?)?;
    arrays.set_item("edge_margins", array(py, &edge_margins, &[count, edges])?)?;
    Ok(arrays)
}
