//! Themes of puzzles.

use std::fmt;

use serde::{Deserialize, Serialize};

use doublecross_core::board::{Edges, State};

/// The kind of a puzzle, by exact facts of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Boxes are on offer, and the winning move takes one.
    Take,
    /// Boxes are on offer, and the winning move leaves them: a double-dealing move, which declines the
    /// last boxes of a chain or loop, or a refused capture.
    Control,
    /// No box is on offer, and the winning move is a safe edge.
    Safe,
    /// No box is on offer, and the winning move gives boxes away although a safe edge is left.
    Sacrifice,
    /// No box is on offer and no safe edge is left: the question is which chain to open, or by which
    /// edge.
    Open,
}

impl Theme {
    /// All themes.
    pub const ALL: [Theme; 5] = [Theme::Take, Theme::Control, Theme::Safe, Theme::Sacrifice, Theme::Open];

    /// Returns the theme of a position whose winning move is any of these edges.
    pub fn of(state: State, edges: Edges) -> Theme {
        let captures = edges.iter().any(|edge| state.captures(edge) > 0);
        match (state.is_capture_free(), state.safe_edges()) {
            (false, _) if captures => Theme::Take,
            (false, _) => Theme::Control,
            (true, safe) if !safe.intersection(edges).is_empty() => Theme::Safe,
            (true, safe) if !safe.is_empty() => Theme::Sacrifice,
            (true, _) => Theme::Open,
        }
    }

    /// Returns the name, as it stands in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Theme::Take => "take",
            Theme::Control => "control",
            Theme::Safe => "safe",
            Theme::Sacrifice => "sacrifice",
            Theme::Open => "open",
        }
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::board::Position;

    #[test]
    fn themes_follow_from_the_position_and_the_edge() {
        // A box on offer; then two chains of three, opened and closed; then a board with safe edges.
        let offered = "2x3 H0,0 H1,0 V0,0";
        let opened = "2x3 H0,0 H0,1 H0,2 H1,0 H1,1 H1,2 H2,0 H2,1 H2,2 V0,0 V0,1";
        let closed = "2x3 H0,0 H0,1 H0,2 H1,0 H1,1 H1,2 H2,0 H2,1 H2,2";
        let early = "2x3 H0,0 H1,0";
        for (text, edge, theme) in [
            (offered, "V0,1", Theme::Take),
            (offered, "V1,3", Theme::Control),
            (opened, "V0,2", Theme::Take),
            (opened, "V0,3", Theme::Control),
            (closed, "V0,0", Theme::Open),
            (early, "V1,3", Theme::Safe),
            (early, "V0,0", Theme::Sacrifice),
        ] {
            let position: Position = text.parse().unwrap();
            let edge = position.board().parse_edge(edge).unwrap();
            assert_eq!(Theme::of(position.state(), Edges::EMPTY.with(edge)), theme, "{text}");
        }
    }

    #[test]
    fn names_are_those_of_the_file() {
        for theme in Theme::ALL {
            assert_eq!(serde_json::to_string(&theme).unwrap(), format!("\"{theme}\""));
        }
    }
}
