//! The suite of a folder.

use std::collections::BTreeMap;
use std::path::Path;

use super::TuneError;
use super::error::file_error;
use doublecross_arena::suite::{PositionKind, SolvedSuiteSettings, Suite, SuiteBand, SuiteSettings, draw_suite};
use doublecross_core::shell::shell_word;
use doublecross_files::write_whole;

/// The seed of the suite.
const SUITE_SEED: u64 = 1;

/// Reads the suite in a file, or draws it: positions of careful play, evenly over the range of a
/// config's `[suite]`. Drawing it calls `report` with the number of positions that are there.
///
/// # Errors
/// Returns an error if the file cannot be read or written, or no position is found.
pub(super) fn kept_suite(
    path: &Path,
    config: &SolvedSuiteSettings,
    positions: usize,
    report: &(dyn Fn(usize) + Sync),
) -> Result<Suite, TuneError> {
    if !path.exists() {
        let board = config.board;
        let most = config.most_undrawn.clamp(1, board.edges());
        let least = config.least_undrawn.clamp(1, most);
        let count = most - least + 1;
        let share = |number: usize| positions / count + (number < positions % count) as usize;
        let band = |(number, undrawn)| (SuiteBand { kind: PositionKind::Careful, undrawn }, share(number));
        let bands: BTreeMap<SuiteBand, usize> = (least..=most).rev().enumerate().map(band).collect();
        let settings = SuiteSettings { board, bands, seed: SUITE_SEED, nodes: config.nodes };
        let drawn = draw_suite(&settings, None, [], report);
        if drawn.is_empty() {
            return Err(TuneError::NoSuite { undrawn: format!("{least} to {most}"), nodes: config.nodes });
        }
        let lines = drawn.iter().map(|drawn| drawn.position.line(&drawn.kind.to_string()) + "\n");
        write_whole(path, lines.collect::<String>().as_bytes()).map_err(file_error(path))?;
    }
    let suite = Suite::read(path)?;
    if suite.board != config.board {
        let reason = format!("its positions are on {}, and the config is for {}", suite.board, config.board);
        return Err(TuneError::Damaged { path: shell_word(path), reason });
    }
    Ok(suite)
}
