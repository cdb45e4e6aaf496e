//! What follows from the board: how far the solver reaches, and with it the keys that count undrawn edges.

use doublecross_core::board::Board;
use toml::{Table, Value};

use super::generation::GenerationConfig;
use super::key::{Key, split};
use super::phases::remove_keys;
use super::tables::{Config, SuiteConfig};

/// The key of the solver's reach.
const REACH: &str = "reach";

/// The key whose value is in proportion to the board's edges.
const OPENING_EDGES: &str = "selfplay.opening_edges";

/// The keys that count undrawn edges, with how far below the reach they lie where they are absent.
const BELOW_REACH: [(&str, usize); 8] = [
    ("selfplay.root_undrawn", 0),
    ("selfplay.band_undrawn", 22),
    ("selfplay.leaf_undrawn", 12),
    ("labeled.least_undrawn", 10),
    ("labeled.most_undrawn", 1),
    ("labeled.band_undrawn", 22),
    ("suite.least_undrawn", 10),
    ("suite.most_undrawn", 2),
];

/// Returns the number of undrawn edges with which a solver of some 300,000 nodes settles nearly all
/// positions of a board: about one more for each box more.
pub fn reach_of(board: Board) -> usize {
    (3 * board.edges() / 4).min(board.boxes() + 13)
}

/// Returns the value of one of these keys where it is absent.
///
/// The distances are those of 5x5. Near the end of the game they shrink with the reach, since a small
/// board has no more edges.
fn below_reach(path: &str, reach: usize) -> usize {
    let of_5x5 = Config::default().reach;
    let distance = BELOW_REACH.iter().find(|(key, _)| *key == path).map_or(0, |&(_, distance)| distance);
    reach - distance.min(distance * reach / of_5x5)
}

impl GenerationConfig {
    /// Gives the keys that count undrawn edges the values that follow from the solver's reach, where they
    /// are absent.
    pub(super) fn fill_limits(&mut self, reach: usize) {
        let GenerationConfig { selfplay, labeled, .. } = self;
        for (limit, path) in [
            (&mut selfplay.root_undrawn, "selfplay.root_undrawn"),
            (&mut selfplay.band_undrawn, "selfplay.band_undrawn"),
            (&mut selfplay.leaf_undrawn, "selfplay.leaf_undrawn"),
            (&mut labeled.least_undrawn, "labeled.least_undrawn"),
            (&mut labeled.most_undrawn, "labeled.most_undrawn"),
            (&mut labeled.band_undrawn, "labeled.band_undrawn"),
        ] {
            limit.get_or_insert(below_reach(path, reach));
        }
    }
}

impl SuiteConfig {
    /// Returns the fewest and the most undrawn edges of a position, for a solver with this reach.
    pub(super) fn span(&self, reach: usize) -> (usize, usize) {
        let of = |limit: Option<usize>, path| limit.unwrap_or_else(|| below_reach(path, reach));
        (of(self.least_undrawn, "suite.least_undrawn"), of(self.most_undrawn, "suite.most_undrawn"))
    }
}

/// Returns the meaning of a key, with the value for this reach where the value follows from it.
pub(super) fn meaning(reach: usize, key: &Key) -> String {
    let Some((path, distance)) = BELOW_REACH.iter().find(|(path, _)| *path == key.path) else { return key.doc.into() };
    let found = match reach - below_reach(path, reach) {
        0 => REACH.to_string(),
        distance => format!("{REACH} - {distance}"),
    };
    key.doc.replace(&format!("{REACH} - {distance}"), &found)
}

/// Returns a value that a key may have which is absent in a config for this board and reach, in TOML.
pub(super) fn example(board: Board, reach: usize, key: &Key) -> String {
    if BELOW_REACH.iter().any(|(path, _)| *path == key.path) {
        return below_reach(key.path, reach).to_string();
    }
    if key.path == "mixture" && board.boxes() > 4 {
        return format!("\"2x2:1 {board}:2\"");
    }
    key.example.unwrap_or_default().into()
}

/// Gives a config the reach of its board where it is missing.
pub(super) fn fill(config: &mut Table, board: Board) {
    config.entry(REACH).or_insert(Value::Integer(reach_of(board) as i64));
}

/// Turns a config for one board into one for another: the keys that count undrawn edges go, so that they follow from
/// the reach on that board, and the random edges of openings are in proportion to the edges. Phases keep no such key.
pub(super) fn adapt(config: &mut Table, from: Board, to: Board) {
    config.remove(REACH);
    for (path, _) in BELOW_REACH {
        let (section, name) = split(path);
        config.get_mut(section).and_then(Value::as_table_mut).and_then(|inner| inner.remove(name));
    }
    let (section, name) = split(OPENING_EDGES);
    let inner = config.get_mut(section).and_then(Value::as_table_mut);
    if let Some(opening) = inner.and_then(|inner| inner.get_mut(name))
        && let Some(edges) = opening.as_integer()
    {
        *opening = Value::Integer(edges.clamp(0, from.edges() as i64) * to.edges() as i64 / from.edges() as i64);
    }
    let paths = BELOW_REACH.map(|(path, _)| path).into_iter().chain([OPENING_EDGES]);
    remove_keys(config, &paths.collect::<Vec<_>>());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_come_near_the_presets() {
        for (name, apart) in [("3x3", 5), ("4x4", 2), ("5x5", 0), ("any", 0)] {
            let path = format!("{}/../../configs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            let config = Config::load(path.as_ref(), &[]).unwrap();
            assert!(reach_of(config.board).abs_diff(config.reach) <= 1, "{name}");
            let values = config.values();
            for (path, _) in BELOW_REACH {
                let Some(of_preset) = &values.iter().find(|(key, _)| key.path == path).unwrap().1 else { continue };
                let (value, of_preset) = (below_reach(path, config.reach), of_preset.as_integer().unwrap() as usize);
                assert!(value.abs_diff(of_preset) <= apart, "{name}: {path} = {value} is {of_preset} there");
            }
        }
    }

    #[test]
    fn every_board_has_limits_within_its_edges() {
        for (rows, cols) in (1..=9).flat_map(|rows| (1..=9).map(move |cols| (rows, cols))) {
            let board = Board::new(rows, cols).unwrap();
            let reach = reach_of(board);
            let of = |path| below_reach(path, reach);
            assert!((1..board.edges()).contains(&reach) && of("selfplay.root_undrawn") == reach, "{board}");
            for order in [
                ["labeled.band_undrawn", "labeled.least_undrawn", "labeled.most_undrawn"],
                ["selfplay.band_undrawn", "suite.least_undrawn", "suite.most_undrawn"],
                ["selfplay.band_undrawn", "selfplay.leaf_undrawn", "selfplay.root_undrawn"],
            ] {
                assert!(order.map(of).is_sorted() && of(order[2]) <= reach, "{board}: {order:?}");
            }
        }
    }
}
