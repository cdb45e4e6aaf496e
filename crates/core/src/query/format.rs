//! The answers of the query API as JSON.

use crate::analysis::{Analysis, Shape};
use crate::board::{Edge, Position};
use crate::protocol::list;
use crate::solver::Bounds;

/// Formats the answer to a question for a move as an object.
pub(super) fn play_json(position: &Position, edge: Edge, settled: bool) -> String {
    format!("{{\"edge\":\"{}\",\"settled\":{settled}}}", position.board().edge_name(edge))
}

/// Formats an analysis as an object.
pub(super) fn analysis_json(position: &Position, analysis: &Analysis) -> String {
    let board = position.board();
    let edges = list(analysis.edges.iter().map(|edge| {
        let name = board.edge_name(edge.edge);
        let expected = edge.expected.map_or("null".into(), |expected| format!("{expected:.3}"));
        let (Bounds { lower, upper }, policy) = (edge.bounds, edge.policy);
        format!(
            "{{\"edge\":\"{name}\",\"policy\":{policy:.4},\"expected\":{expected},\"lower\":{lower},\"upper\":{upper}}}"
        )
    }));
    let finals = list(analysis.finals.iter().map(|(margin, share)| format!("[{margin},{share:.4}]")));
    let variation = list(analysis.variation.iter().map(|&edge: &Edge| format!("\"{}\"", board.edge_name(edge))));
    let shapes = |is_loop: bool| {
        list(analysis.shapes.iter().filter(|shape| shape.is_loop == is_loop).map(|Shape { boxes, .. }| {
            let numbers = list(boxes.iter().map(u8::to_string));
            format!("{{\"boxes\":{numbers},\"length\":{}}}", boxes.len())
        }))
    };
    let controls = analysis.controls.map_or("null".into(), |seat| seat.to_string());
    let [first, second] = position.scores();
    let (Bounds { lower, upper }, expected) = (analysis.bounds, analysis.expected);
    format!(
        "{{\"mover\":{},\"scores\":[{first},{second}],\"undrawn\":{},\"lower\":{lower},\"upper\":{upper},\
         \"expected\":{expected:.3},\"edges\":{edges},\"finals\":{finals},\"line\":{variation},\"chains\":{},\"loops\":{},\
         \"offered\":{},\"safe\":{},\"controls\":{controls}}}",
        position.mover(),
        position.undrawn().len(),
        shapes(false),
        shapes(true),
        analysis.offered,
        analysis.safe,
    )
}
