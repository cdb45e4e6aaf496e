//! Golden trees: visits and values of whole searches, computed by an independent program (bare rules, double
//! precision, recursion over explicit lists) from the published formulas and the rules of `tree.rs`. The program for
//! PUCT's reproduced Gumbel search's, which an earlier one had computed.

use super::*;
use crate::board::{Board, Edges, MAX_EDGES};

/// A number in 0..1 from a number: the evaluator's and the noise's only source, simple enough to write down twice.
fn mixed(x: u32) -> f64 {
    let mut x = x.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    x ^= x >> 15;
    x = x.wrapping_mul(2_246_822_519);
    x ^= x >> 13;
    x as f64 / 4_294_967_296.0
}

struct Mixed(Board);

impl Evaluator for Mixed {
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation) {
        *evaluation = Evaluation::BLANK;
        let mask = u64::from_le_bytes(drawn.to_bytes()) as u32;
        for edge in self.0.all() {
            evaluation.logits[edge.index()] = (2.0 * mixed(mask * 31 + edge.index() as u32 + 1) - 1.0) as f32;
        }
        let (boxes, open) = (self.0.boxes(), self.0.open_boxes(drawn));
        let weights: Vec<f64> = (0..=open as u32).map(|i| mixed(mask * 17 + 777 + i)).collect();
        let sum: f64 = weights.iter().sum();
        for (index, weight) in weights.iter().enumerate() {
            evaluation.margins[boxes - open + 2 * index] = (weight / sum) as f32;
        }
    }
}

/// Lowest edge of the action, visits, and its value where it was visited.
type Row = (usize, u32, Option<f32>);

struct Golden {
    mask: u64,
    lead: i32,
    simulations: usize,
    considered: usize,
    selection: Selection,
    rows: &'static [Row],
    /// The lowest edge of the action that is played, where the reference says.
    chosen: Option<usize>,
}

const PUCT: Selection = Selection::Puct { exploration: 0.45 };

#[test]
fn searches_of_2x3_go_as_the_reference_says() {
    let board = Board::new(2, 3).unwrap();
    let gumbel: [f32; MAX_EDGES] = std::array::from_fn(|e| -(-(mixed(e as u32 + 99) * 0.98 + 0.01).ln()).ln() as f32);
    for golden in GOLDEN {
        let Golden { simulations, considered, selection, .. } = *golden;
        let scale = Scale { c_visit: 50.0, c_scale: 1.0 };
        let settings = Settings { simulations, considered, selection, scale, ..Settings::default() };
        let mut search = Search::new(board, settings);
        let drawn = Edges::from_bytes(golden.mask.to_le_bytes());
        let noise = if selection == PUCT { [0.0; MAX_EDGES] } else { gumbel };
        let outcome = search.run(drawn, golden.lead, &noise, &mut Mixed(board), None);
        assert_eq!(outcome.simulations, simulations);
        let edge = |action: &RootAction| match action.choice {
            Choice::Draw(edges) => edges.lowest().unwrap().index(),
            _ => unreachable!("a capture-free root"),
        };
        assert!(
            golden.chosen.is_none_or(|chosen| chosen == edge(&outcome.actions[outcome.chosen])),
            "{:#x}",
            golden.mask
        );
        let mut rows: Vec<Row> = outcome.actions.iter().map(|a| (edge(a), a.visits, a.q)).collect();
        rows.sort_by_key(|row| row.0);
        assert_eq!(rows.len(), golden.rows.len());
        for (found, expected) in rows.iter().zip(golden.rows) {
            assert_eq!((found.0, found.1), (expected.0, expected.1), "{:#x}: {rows:?}", golden.mask);
            let close = match (found.2, expected.2) {
                (Some(a), Some(b)) => (a - b).abs() < 2e-4,
                (a, b) => a.is_none() && b.is_none(),
            };
            assert!(close, "{:#x}: {found:?}, expected {expected:?}", golden.mask);
        }
    }
}

const GOLDEN: &[Golden] = &[
    Golden {
        mask: 0x0,
        lead: 0,
        simulations: 40,
        considered: 16,
        selection: Selection::Gumbel,
        rows: &[
            (0, 2, Some(0.0134)),
            (1, 1, Some(-0.1574)),
            (2, 11, Some(0.0319)),
            (3, 1, Some(0.0298)),
            (4, 2, Some(0.0925)),
            (5, 1, Some(-0.0505)),
            (6, 1, Some(-0.0032)),
            (7, 5, Some(0.0654)),
            (8, 2, Some(-0.1079)),
            (10, 11, Some(0.074)),
            (11, 1, Some(-0.0002)),
            (14, 1, Some(-0.1174)),
            (15, 1, Some(-0.0808)),
        ],
        chosen: None,
    },
    Golden {
        mask: 0x10001,
        lead: 1,
        simulations: 60,
        considered: 8,
        selection: Selection::Gumbel,
        rows: &[
            (1, 0, None),
            (2, 2, Some(0.2398)),
            (3, 7, Some(0.08)),
            (4, 7, Some(0.1471)),
            (5, 0, None),
            (6, 2, Some(0.0596)),
            (7, 0, None),
            (8, 0, None),
            (9, 19, Some(0.2031)),
            (10, 0, None),
            (11, 2, Some(0.2042)),
            (14, 2, Some(0.2767)),
            (15, 19, Some(0.1754)),
        ],
        chosen: None,
    },
    Golden {
        mask: 0x1a5,
        lead: -2,
        simulations: 50,
        considered: 16,
        selection: Selection::Gumbel,
        rows: &[
            (1, 4, Some(-0.3137)),
            (3, 1, Some(-0.3619)),
            (4, 18, Some(-0.2042)),
            (6, 1, Some(-0.366)),
            (9, 1, Some(-0.3845)),
            (10, 1, Some(-0.3649)),
            (11, 4, Some(-0.4982)),
            (14, 19, Some(-0.1697)),
            (15, 1, Some(-0.6014)),
        ],
        chosen: None,
    },
    Golden {
        mask: 0x8c3,
        lead: 0,
        simulations: 64,
        considered: 4,
        selection: Selection::Gumbel,
        rows: &[
            (2, 8, Some(-0.048)),
            (3, 24, Some(0.0053)),
            (4, 0, None),
            (5, 0, None),
            (8, 0, None),
            (9, 24, Some(0.0398)),
            (13, 0, None),
            (14, 8, Some(-0.0431)),
            (15, 0, None),
        ],
        chosen: None,
    },
    Golden {
        mask: 0x0,
        lead: 0,
        simulations: 60,
        considered: 0,
        selection: PUCT,
        rows: &[
            (0, 5, Some(-0.0952)),
            (1, 1, Some(-0.1574)),
            (2, 6, Some(-0.0061)),
            (3, 0, None),
            (4, 6, Some(0.0083)),
            (5, 1, Some(-0.0505)),
            (6, 2, Some(-0.0536)),
            (7, 19, Some(0.0435)),
            (8, 2, Some(-0.1079)),
            (10, 4, Some(0.232)),
            (11, 12, Some(0.0432)),
            (14, 1, Some(-0.1174)),
            (15, 1, Some(-0.0808)),
        ],
        chosen: Some(7),
    },
    Golden {
        mask: 0x10001,
        lead: 1,
        simulations: 80,
        considered: 0,
        selection: PUCT,
        rows: &[
            (1, 1, Some(0.0507)),
            (2, 10, Some(0.1149)),
            (3, 6, Some(0.1084)),
            (4, 9, Some(0.1392)),
            (5, 1, Some(0.0743)),
            (6, 9, Some(0.1442)),
            (7, 7, Some(0.1628)),
            (8, 3, Some(0.1549)),
            (9, 1, Some(-0.0614)),
            (10, 12, Some(0.142)),
            (11, 4, Some(0.0813)),
            (14, 5, Some(0.3015)),
            (15, 12, Some(0.1695)),
        ],
        chosen: Some(14),
    },
    Golden {
        mask: 0x1a5,
        lead: -2,
        simulations: 50,
        considered: 0,
        selection: PUCT,
        rows: &[
            (1, 0, None),
            (3, 6, Some(-0.2905)),
            (4, 14, Some(-0.2623)),
            (6, 6, Some(-0.3)),
            (9, 12, Some(-0.238)),
            (10, 3, Some(-0.2287)),
            (11, 2, Some(-0.3465)),
            (14, 6, Some(-0.3233)),
            (15, 1, Some(-0.6014)),
        ],
        chosen: Some(9),
    },
    Golden {
        mask: 0x8c3,
        lead: 0,
        simulations: 64,
        considered: 0,
        selection: PUCT,
        rows: &[
            (2, 3, Some(-0.2261)),
            (3, 1, Some(-0.3634)),
            (4, 2, Some(-0.2716)),
            (5, 1, Some(-0.1132)),
            (8, 38, Some(-0.017)),
            (9, 0, None),
            (13, 13, Some(0.0006)),
            (14, 5, Some(-0.1299)),
            (15, 1, Some(-0.2082)),
        ],
        chosen: Some(13),
    },
    Golden {
        mask: 0x1b6,
        lead: 2,
        simulations: 72,
        considered: 0,
        selection: PUCT,
        rows: &[
            (0, 21, Some(-0.8333)),
            (3, 0, None),
            (6, 33, Some(-0.8333)),
            (11, 4, Some(0.2265)),
            (15, 14, Some(-0.1412)),
        ],
        chosen: Some(15),
    },
    Golden {
        mask: 0x1203d,
        lead: -1,
        simulations: 64,
        considered: 0,
        selection: PUCT,
        rows: &[
            (1, 16, Some(-0.5833)),
            (6, 7, Some(-0.5833)),
            (7, 18, Some(-0.5833)),
            (8, 8, Some(-0.5833)),
            (9, 6, Some(-0.5833)),
            (11, 9, Some(-0.615)),
        ],
        chosen: Some(8),
    },
    Golden {
        mask: 0x118e7,
        lead: 1,
        simulations: 33,
        considered: 0,
        selection: PUCT,
        rows: &[
            (3, 2, Some(0.3881)),
            (4, 3, Some(-0.6667)),
            (8, 8, Some(-0.8333)),
            (9, 13, Some(-0.8333)),
            (13, 7, Some(-0.6667)),
            (14, 0, None),
        ],
        chosen: Some(4),
    },
    Golden {
        mask: 0x0,
        lead: 0,
        simulations: 60,
        considered: 8,
        selection: PUCT,
        rows: &[
            (0, 5, Some(-0.0952)),
            (1, 1, Some(-0.1574)),
            (2, 6, Some(-0.0061)),
            (3, 0, None),
            (4, 10, Some(-0.0632)),
            (5, 1, Some(-0.0505)),
            (6, 2, Some(-0.0536)),
            (7, 18, Some(0.0642)),
            (8, 3, Some(-0.0891)),
            (10, 0, None),
            (11, 12, Some(0.0432)),
            (14, 1, Some(-0.1174)),
            (15, 1, Some(-0.0808)),
        ],
        chosen: Some(7),
    },
    Golden {
        mask: 0x10001,
        lead: 1,
        simulations: 80,
        considered: 16,
        selection: PUCT,
        rows: &[
            (1, 1, Some(0.0507)),
            (2, 9, Some(0.1634)),
            (3, 6, Some(0.1084)),
            (4, 9, Some(0.1392)),
            (5, 1, Some(0.0743)),
            (6, 7, Some(0.1528)),
            (7, 4, Some(0.1679)),
            (8, 3, Some(0.1549)),
            (9, 1, Some(-0.0614)),
            (10, 12, Some(0.142)),
            (11, 4, Some(0.0813)),
            (14, 12, Some(0.1745)),
            (15, 11, Some(0.1795)),
        ],
        chosen: Some(15),
    },
    Golden {
        mask: 0x8c3,
        lead: 0,
        simulations: 64,
        considered: 16,
        selection: PUCT,
        rows: &[
            (2, 3, Some(-0.2261)),
            (3, 1, Some(-0.3634)),
            (4, 2, Some(-0.2716)),
            (5, 1, Some(-0.1132)),
            (8, 25, Some(-0.0021)),
            (9, 3, Some(-0.1553)),
            (13, 23, Some(0.0109)),
            (14, 5, Some(-0.1299)),
            (15, 1, Some(-0.2082)),
        ],
        chosen: Some(13),
    },
    Golden {
        mask: 0x1203d,
        lead: -1,
        simulations: 64,
        considered: 4,
        selection: PUCT,
        rows: &[
            (1, 16, Some(-0.5833)),
            (6, 6, Some(-0.5833)),
            (7, 18, Some(-0.5833)),
            (8, 7, Some(-0.5833)),
            (9, 5, Some(-0.5833)),
            (11, 12, Some(-0.632)),
        ],
        chosen: Some(8),
    },
];
