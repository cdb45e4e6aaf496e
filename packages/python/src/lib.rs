//! The native part of the Python package: rules, solver, networks, search, bots, matches and training.
//!
//! Each file is one class or one kind of call. What a caller gives is checked before the library
//! sees it, so that mistakes are exceptions of Python.

mod arrays;
mod bot;
mod count;
mod errors;
mod game;
mod long_call;
mod network;
mod planes;
mod position;
mod searching;
mod shard;
mod solver;
mod suite;
mod training;

use pyo3::prelude::*;

/// The native part of the package `doublecross`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<position::Position>()?;
    module.add_class::<solver::Solver>()?;
    module.add_class::<solver::Solution>()?;
    module.add_class::<network::Network>()?;
    module.add_class::<searching::SearchResult>()?;
    module.add_class::<bot::Bot>()?;
    module.add_class::<suite::Suite>()?;
    module.add_function(wrap_pyfunction!(searching::search, module)?)?;
    module.add_function(wrap_pyfunction!(bot::play_match, module)?)?;
    module.add_function(wrap_pyfunction!(game::parse_game, module)?)?;
    module.add_function(wrap_pyfunction!(game::write_game, module)?)?;
    module.add_function(wrap_pyfunction!(game::parse_log, module)?)?;
    module.add_function(wrap_pyfunction!(planes::input_planes, module)?)?;
    module.add_function(wrap_pyfunction!(shard::read_shard, module)?)?;
    module.add_function(wrap_pyfunction!(shard::open_data_set, module)?)?;
    module.add_function(wrap_pyfunction!(shard::add_shard, module)?)?;
    module.add_function(wrap_pyfunction!(training::train, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
