//! Golden trees: visits, values and policies of whole searches, computed by the reference program
//! in `tests/reference`, which shares no code with this crate.

use crate::board::{Board, Edges, MAX_EDGES, State};

use super::*;

/// The output of `tests/reference/search.py`.
const GOLDEN: &str = include_str!("../../tests/reference/golden.tsv");

const COLUMNS: &str = "drawn\tlead\tsimulations\tmax_considered\tselection\tchosen\tactions";

const SEARCHES: usize = 19;

/// Returns a number in 0..1 for a number. The evaluator and the noise are made of these alone.
fn mixed(x: u32) -> f64 {
    let mut x = x.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    x ^= x >> 15;
    x = x.wrapping_mul(2_246_822_519);
    x ^= x >> 13;
    x as f64 / 4_294_967_296.0
}

struct Mixed;

impl Evaluator for Mixed {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        evaluation.reset();
        let mask = u32::from_le_bytes(*state.drawn().to_bytes().first_chunk().unwrap());
        for edge in state.board().all() {
            evaluation.logits[edge.index()] = (2.0 * mixed(mask * 31 + edge.index() as u32 + 1) - 1.0) as f32;
        }
        let (boxes, open) = (state.board().boxes(), state.open_boxes());
        let weights: Vec<f64> = (0..=open as u32).map(|i| mixed(mask * 17 + 777 + i)).collect();
        let sum: f64 = weights.iter().sum();
        for (index, weight) in weights.iter().enumerate() {
            evaluation.margins[boxes - open + 2 * index] = (weight / sum) as f32;
        }
    }
}

/// An action at the root.
#[derive(Debug)]
struct GoldenAction {
    /// The lowest edge of the action.
    edge: usize,
    visits: u32,
    /// The value of the action, if it was tried.
    value: Option<f32>,
    policy: f32,
}

/// A search: one line of the file.
struct Golden {
    drawn: Edges,
    lead: i32,
    simulations: usize,
    max_considered: usize,
    selection: Selection,
    /// The lowest edge of the chosen action.
    chosen: usize,
    /// The actions, in ascending order of their edges.
    actions: Vec<GoldenAction>,
}

impl Golden {
    fn parse(line: &str) -> Golden {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[drawn, lead, simulations, max_considered, selection, chosen, actions] = &fields[..] else {
            panic!("not seven fields: {line}")
        };
        let mask = u64::from_str_radix(drawn.strip_prefix("0x").unwrap(), 16).unwrap();
        Golden {
            drawn: Edges::from_bytes(&mask.to_le_bytes()),
            lead: lead.parse().unwrap(),
            simulations: simulations.parse().unwrap(),
            max_considered: max_considered.parse().unwrap(),
            selection: match selection.split_once(':') {
                Some(("puct", exploration)) => Selection::Puct { exploration: exploration.parse().unwrap() },
                _ => {
                    assert_eq!(selection, "gumbel");
                    Selection::Gumbel
                }
            },
            chosen: chosen.parse().unwrap(),
            actions: actions.split(' ').map(GoldenAction::parse).collect(),
        }
    }
}

impl GoldenAction {
    fn parse(text: &str) -> GoldenAction {
        let fields: Vec<&str> = text.split(':').collect();
        let &[edge, visits, value, policy] = &fields[..] else { panic!("not four fields: {text}") };
        GoldenAction {
            edge: edge.parse().unwrap(),
            visits: visits.parse().unwrap(),
            value: (value != "-").then(|| value.parse().unwrap()),
            policy: policy.parse().unwrap(),
        }
    }

    fn of(action: &RootAction) -> GoldenAction {
        let edge = match action.choice {
            Choice::Draw(edges) => edges.lowest().unwrap().index(),
            _ => unreachable!("the root is capture-free"),
        };
        GoldenAction { edge, visits: action.visits, value: action.q, policy: action.policy }
    }

    fn is_close(&self, other: &GoldenAction) -> bool {
        let are_close = |a: f32, b: f32| (a - b).abs() < 2e-4;
        let has_close_value = match (self.value, other.value) {
            (Some(a), Some(b)) => are_close(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        (self.edge, self.visits) == (other.edge, other.visits)
            && has_close_value
            && are_close(self.policy, other.policy)
    }
}

#[test]
fn searches_of_2x3_agree_with_the_reference() {
    let board = Board::new(2, 3).unwrap();
    let gumbel: [f32; MAX_EDGES] = std::array::from_fn(|e| -(-(mixed(e as u32 + 99) * 0.98 + 0.01).ln()).ln() as f32);
    let mut lines = GOLDEN.lines();
    assert_eq!(lines.next(), Some(COLUMNS));
    assert_eq!(lines.clone().count(), SEARCHES);
    for line in lines {
        let Golden { drawn, lead, simulations, max_considered, selection, chosen, actions } = Golden::parse(line);
        let scale = Scale { c_visit: 50.0, c_scale: 1.0 };
        let settings = Settings { simulations, max_considered, selection, scale, ..Settings::default() };
        let mut search = Search::new(board, settings);
        let noise = if selection == Selection::Gumbel { gumbel } else { [0.0; MAX_EDGES] };
        let outcome = search.run(State::from_drawn(board, drawn), lead, &noise, &mut Mixed, None);
        assert_eq!(outcome.simulations, simulations, "{line}");
        assert_eq!(GoldenAction::of(&outcome.actions[outcome.chosen]).edge, chosen, "{line}");
        let mut found: Vec<GoldenAction> = outcome.actions.iter().map(GoldenAction::of).collect();
        found.sort_by_key(|action| action.edge);
        assert_eq!(found.len(), actions.len(), "{line}");
        for (found, expected) in found.iter().zip(&actions) {
            assert!(found.is_close(expected), "{line}: {found:?}, expected {expected:?}");
        }
    }
}
