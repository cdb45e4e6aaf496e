//! The keys that count edges, whose values follow from the board.
//!
//! The rules come near the values of the presets, which were measured, and are no more than a start on other boards: a
//! solver with the same nodes reaches about one edge farther for each box more.

use doublecross_arena::suite::SolvedSuiteSettings;
use doublecross_core::board::Board;
use toml::{Table, Value};

use super::key::{Key, split};
use super::phases::remove_keys;
use super::tables::Config;

/// The fewest boxes of a board with the solver at leaves. On fewer, searches are shallow without it.
const LEAST_BOXES_WITH_LEAVES: usize = 10;

/// The key of the solver at leaves.
const LEAF_UNDRAWN: &str = "selfplay.leaf_undrawn";

/// The key whose value is in proportion to the board's edges.
const OPENING_EDGES: &str = "selfplay.opening_edges";

/// A key that counts undrawn edges, with its value on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueOnBoard {
    /// The key's path.
    pub path: &'static str,
    /// The value.
    pub value: usize,
    /// `true` if the key is better absent on the board.
    pub is_left_out: bool,
}

/// Returns the keys that count undrawn edges with their values on a board.
pub fn values_on(board: Board) -> [ValueOnBoard; 8] {
    let (boxes, edges) = (board.boxes(), board.edges());
    let reach = (3 * edges / 4).min(boxes + 13);
    let band = 2 * boxes / 3;
    let suite = SolvedSuiteSettings::default_of(board);
    [
        ("selfplay.root_undrawn", reach),
        ("selfplay.band_undrawn", band),
        (LEAF_UNDRAWN, boxes + 1),
        ("labeled.least_undrawn", suite.least_undrawn.min(reach)),
        ("labeled.most_undrawn", reach),
        ("labeled.band_undrawn", band),
        ("suite.least_undrawn", suite.least_undrawn),
        ("suite.most_undrawn", suite.most_undrawn),
    ]
    .map(|(path, value)| {
        let is_left_out = path == LEAF_UNDRAWN && boxes < LEAST_BOXES_WITH_LEAVES;
        ValueOnBoard { path, value, is_left_out }
    })
}

/// Returns a value that a key may have which is absent in a config for this board, in TOML.
pub(super) fn example(board: Board, key: &Key) -> String {
    if let Some(found) = values_on(board).iter().find(|found| found.path == key.path) {
        return found.value.to_string();
    }
    if key.path == "mixture" && board.boxes() > 4 {
        return format!("\"2x2:1 {board}:2\"");
    }
    key.example.unwrap_or_default().into()
}

/// Gives a config the values of its board where keys are missing that may not be absent.
pub(super) fn fill(config: &mut Table, board: Board) {
    for ValueOnBoard { path, value, .. } in values_on(board) {
        if Config::keys().any(|key| key.path == path && key.is_optional()) {
            continue;
        }
        let (section, name) = split(path);
        let inner = config.entry(section).or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(inner) = inner {
            inner.entry(name).or_insert(integer(value));
        }
    }
}

/// Turns a config for one board into one for another: the keys that count undrawn edges get the values of that board
/// or go, but stay absent where they are, and the random edges of openings are in proportion to the edges. Phases keep
/// no such key.
pub(super) fn adapt(config: &mut Table, from: Board, to: Board) {
    for ValueOnBoard { path, value, is_left_out } in values_on(to) {
        let (section, name) = split(path);
        let Some(inner) = config.get_mut(section).and_then(Value::as_table_mut) else { continue };
        if inner.remove(name).is_some() && !is_left_out {
            inner.insert(name.into(), integer(value));
        }
    }
    let (section, name) = split(OPENING_EDGES);
    let inner = config.get_mut(section).and_then(Value::as_table_mut);
    if let Some(opening) = inner.and_then(|inner| inner.get_mut(name))
        && let Some(edges) = opening.as_integer()
    {
        *opening = Value::Integer(edges.clamp(0, from.edges() as i64) * to.edges() as i64 / from.edges() as i64);
    }
    let paths = values_on(to).map(|value| value.path).into_iter().chain([OPENING_EDGES]);
    remove_keys(config, &paths.collect::<Vec<_>>());
}

fn integer(value: usize) -> Value {
    Value::Integer(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The presets of single boards with the solver in play.
    const PRESETS: [&str; 3] = ["3x3", "4x4", "5x5"];

    #[test]
    fn rules_come_near_the_presets() {
        for name in PRESETS {
            let path = format!("{}/../../configs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            let config = Config::load(path.as_ref(), &[]).unwrap();
            let values = config.values();
            for ValueOnBoard { path, value, is_left_out } in values_on(config.board) {
                let of_preset = values.iter().find(|(key, _)| key.path == path).unwrap().1.clone();
                assert_eq!(is_left_out, of_preset.is_none(), "{name}: {path}");
                let Some(of_preset) = of_preset else { continue };
                let of_preset = of_preset.as_integer().unwrap() as usize;
                assert!(value.abs_diff(of_preset) <= 3, "{name}: {path} = {value} is {of_preset} there");
            }
        }
    }

    #[test]
    fn every_board_has_values_within_its_edges() {
        for (rows, cols) in (1..=9).flat_map(|rows| (1..=9).map(move |cols| (rows, cols))) {
            let board = Board::new(rows, cols).unwrap();
            let of = |path| values_on(board).iter().find(|found| found.path == path).unwrap().value;
            for [least, most] in [
                ["labeled.band_undrawn", "labeled.least_undrawn"],
                ["labeled.least_undrawn", "labeled.most_undrawn"],
                ["suite.least_undrawn", "suite.most_undrawn"],
                ["selfplay.band_undrawn", "selfplay.root_undrawn"],
            ] {
                assert!(of(least) <= of(most) && (1..board.edges()).contains(&of(most)), "{board}: {least}, {most}");
            }
            assert!(of(LEAF_UNDRAWN) <= of("selfplay.root_undrawn"), "{board}");
        }
    }
}
