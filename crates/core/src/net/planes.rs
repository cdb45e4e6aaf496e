//! The input planes of a capture-free position.

use crate::board::{Chain, State};

use super::PolicyCell;

/// Planes of each cell.
///
/// New planes are appended: a network that was trained with fewer sees the first ones. A plane that
/// changes its meaning takes a new version of the weights file.
pub const PLANES: usize = 20;

/// Indices of the planes. A cell's own edges and box are those that [`PolicyCell`] describes.
mod plane {
    pub const UNDRAWN: [usize; 2] = [0, 1];
    pub const DRAWN: [usize; 2] = [2, 3];
    pub const SAFE: [usize; 2] = [4, 5];
    pub const BOX: usize = 6;
    /// The plane of each number of undrawn sides. One undrawn side does not occur in capture-free
    /// positions.
    pub const SIDES: [usize; 5] = [7, 7, 8, 9, 10];
    pub const LONG_CHAIN: usize = 11;
    pub const LOOP: usize = 12;
    pub const CHAIN_LENGTH: usize = 13;
    pub const ODD_OPEN: usize = 14;
    pub const UNDRAWN_SHARE: usize = 15;
    pub const SAFE_SHARE: usize = 16;
    // Which player has to open the first long chain depends on parities, which convolutions count
    // badly.
    pub const ODD_UNDRAWN: usize = 17;
    pub const ODD_SAFE: usize = 18;
    pub const ODD_LONG: usize = 19;
}

/// Writes the planes of a capture-free state, `[cell][PLANES]` with `(rows + 1) * (cols + 1)`
/// cells.
///
/// # Panics
/// Panics if `planes` has another length.
pub fn write_planes(state: State, planes: &mut [f32]) {
    let board = state.board();
    let width = board.cols() + 1;
    assert_eq!(planes.len(), PolicyCell::count(board) * PLANES);
    planes.fill(0.0);
    let safe = state.safe_edges();
    for edge in board.all() {
        let PolicyCell { cell, channel, .. } = PolicyCell::of(board, edge);
        let cell = &mut planes[cell * PLANES..][..PLANES];
        let is_drawn = if state.drawn().contains(edge) { plane::DRAWN } else { plane::UNDRAWN };
        cell[is_drawn[channel]] = 1.0;
        cell[plane::SAFE[channel]] = safe.contains(edge) as u8 as f32;
    }
    let cell_of = |b: usize| (b / board.cols() * width + b % board.cols()) * PLANES;
    for b in 0..board.boxes() {
        let cell = &mut planes[cell_of(b)..][..PLANES];
        cell[plane::BOX] = 1.0;
        cell[plane::SIDES[state.undrawn_sides(b).len()]] = 1.0;
    }
    let mut long = 0;
    state.for_each_chain(|Chain { edges, length, is_loop }| {
        long += (length >= 3) as usize;
        // The boxes of a chain or loop are those with two undrawn sides beside its edges.
        let beside = edges.iter().flat_map(|edge| board.boxes_of(edge)).map(|&b| b as usize);
        for b in beside.filter(|&b| state.undrawn_sides(b).len() == 2) {
            let cell = &mut planes[cell_of(b)..][..PLANES];
            cell[plane::LONG_CHAIN] = (length >= 3 && !is_loop) as u8 as f32;
            cell[plane::LOOP] = is_loop as u8 as f32;
            cell[plane::CHAIN_LENGTH] = length as f32 / 8.0;
        }
    });
    let (undrawn, open) = (state.undrawn().len(), state.open_boxes());
    let share = |count: usize| count as f32 / board.edges() as f32;
    let odd = |count: usize| (count % 2) as f32;
    for cell in planes.chunks_exact_mut(PLANES) {
        cell[plane::UNDRAWN_SHARE] = share(undrawn);
        cell[plane::SAFE_SHARE] = share(safe.len());
        cell[plane::ODD_OPEN] = odd(open);
        cell[plane::ODD_UNDRAWN] = odd(undrawn);
        cell[plane::ODD_SAFE] = odd(safe.len());
        cell[plane::ODD_LONG] = odd(long);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges};

    #[test]
    fn planes_of_a_small_position() {
        // 2x2 with the outer border drawn: a loop of four boxes around the middle dot.
        let board = Board::new(2, 2).unwrap();
        let inner: Edges = [(0, 1, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1)]
            .into_iter()
            .map(|(v, r, c)| if v == 1 { board.vertical(r, c) } else { board.horizontal(r, c) }.unwrap())
            .collect();
        let mut planes = vec![9.0; 9 * PLANES];
        write_planes(State::from_undrawn(board, inner), &mut planes);
        let cell = |r: usize, c: usize| &planes[(r * 3 + c) * PLANES..][..PLANES];
        // The top left box: both of its edges drawn, none safe, in a loop of four boxes.
        let share = 4.0 / 12.0;
        assert_eq!(cell(0, 0), [0., 0., 1., 1., 0., 0., 1., 0., 1., 0., 0., 0., 1., 0.5, 0., share, 0., 0., 0., 1.]);
        assert_eq!(cell(0, 1)[..2], [0.0, 1.0]);
        // The bottom right cell has neither edges nor a box.
        assert!(cell(2, 2)[..14].iter().all(|&x| x == 0.0));
        write_planes(State::new(board), &mut planes);
        let safe: f32 = planes.chunks(PLANES).map(|cell| cell[4] + cell[5]).sum();
        assert_eq!(safe, 12.0);
    }

    #[test]
    fn documents_list_every_plane() {
        let text = include_str!("../../../../docs/formats.md");
        let (_, section) = text.split_once("\n### Input planes\n").unwrap();
        let (section, _) = section.split_once("\n### ").unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |")).skip(1);
        let planes: Vec<usize> = rows.flat_map(|(planes, _)| planes.split(", ").map(|n| n.parse().unwrap())).collect();
        assert!(planes.into_iter().eq(0..PLANES), "the table of planes in docs/formats.md");
    }
}
