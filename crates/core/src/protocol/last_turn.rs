//! Beginnings of games, which observations do not mark.

use crate::board::State;

/// The last turn that a bot was asked about.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastTurn(Option<(State, u64)>);

impl LastTurn {
    /// Keeps a turn with its nonce, and returns `true` if it begins a game: no edge is drawn, the board is
    /// another one than in the last turn, an edge of the last turn is gone, or the edges are the same with
    /// another nonce.
    pub fn begins_game(&mut self, state: State, nonce: u64) -> bool {
        let is_same = |(last, last_nonce): (State, u64)| {
            let goes_on = last.board() == state.board() && last.drawn().difference(state.drawn()).is_empty();
            goes_on && (last.drawn() != state.drawn() || last_nonce == nonce)
        };
        let goes_on = self.0.replace((state, nonce)).is_some_and(is_same);
        state.drawn().is_empty() || !goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_begins_where_an_edge_is_gone_or_the_nonce_is_another() {
        let mut last = LastTurn::default();
        for (state, nonce, begins) in [
            ("2x2:0x0", 1, true),
            ("2x2:0x0", 1, true),
            ("2x2:0x9", 1, false),
            ("2x2:0x9", 2, true),
            // Some arenas give each turn a nonce of its own.
            ("2x2:0xb", 3, false),
            ("2x2:0x3", 3, true),
            ("2x3:0x3", 3, true),
            ("2x3:0x0", 3, true),
        ] {
            assert_eq!(last.begins_game(state.parse().unwrap(), nonce), begins, "{state} {nonce}");
        }
    }
}
