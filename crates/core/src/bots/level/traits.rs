//! The traits of a level.

/// The things that a player of some level sees, counts and knows.
///
/// Chances are percentages. They are drawn from the position and the nonce, so a player makes the
/// same mistakes when a game is repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// The chance to notice a box on offer, for each edge that takes one. Once nothing else is
    /// left to draw, every box on offer is noticed.
    pub sees_boxes: u8,
    /// The chance to notice that an edge is the third side of a box, for each such edge.
    pub sees_third_sides: u8,
    /// The largest number of boxes that is counted in an opened chain or loop. All larger ones look
    /// the same.
    pub counts_to: i32,
    /// The chance to keep control where that pays. Above 0, chains of two are opened by their
    /// middle edge too.
    pub keeps_control: u8,
    /// The largest number of safe edges with which the chains of the ending are counted.
    pub counts_from: usize,
    /// The endings that are imagined for each safe edge when chains are counted.
    pub endings: u32,
    /// The solver's budget for a move, in nodes.
    pub nodes: u64,
    /// The simulations of a search for a move. Above 0 the search decides, and the other traits but
    /// `nodes` have no influence.
    pub simulations: usize,
}

impl Traits {
    /// The traits of a player who sees every box and every third side, and counts nothing.
    pub const CAREFUL: Traits = Traits {
        sees_boxes: 100,
        sees_third_sides: 100,
        counts_to: 1,
        keeps_control: 0,
        counts_from: 0,
        endings: 0,
        nodes: 0,
        simulations: 0,
    };

    /// A limit that no count of boxes or edges exceeds.
    pub const ALL: i32 = 180;
}
