//! Questions of a page that shows a game: what a bot plays, and what a position looks like. JSON in, JSON out.

use std::fmt::Write;

use super::SubmissionError;
use super::submission::knowledge;
use crate::analysis::{Analysis, Analyst, Shape};
use crate::board::{Board, Edge, Position, TextError};
use crate::bots::{Knowledge, RuleBot, SearchPlayer};
use crate::net::Isa;
use crate::protocol::Json;
use crate::search::{Budget, Evaluator, equivalent_moves};
use crate::solver::Bounds;

/// Answers questions about positions of any board, with a network for its own and rollouts for the others.
pub struct QueryApi {
    knowledge: Knowledge,
    player: SearchPlayer,
    analyst: Option<(Board, AnyAnalyst)>,
}

type AnyAnalyst = Analyst<Box<dyn Evaluator + Send>>;

/// Entries of each solver's table, 8 bytes each.
const TABLE: usize = 1 << 20;

/// The most simulations and nodes of one answer, or of one part of a longer one: about a minute, not hours.
const MOST_SIMULATIONS: u64 = 100_000;
const MOST_NODES: u64 = 100_000_000;

/// How much less than the best, in utility, an edge may be worth that is played for diversity.
const DIVERSITY: f32 = 0.01;

/// A question that can be answered.
struct Question<'a> {
    position: Position,
    simulations: usize,
    nodes: u64,
    nonce: u64,
    what: &'a str,
    bot: &'a str,
}

impl<'a> Question<'a> {
    fn new(value: &'a Json) -> Result<Question<'a>, String> {
        let game =
            value.get("game").as_text().ok_or("\"game\" is missing: a board and its moves, as in \"3x3 H0,0\"")?;
        let position: Position = game.parse().map_err(|error: TextError| error.to_string())?;
        let count = |name: &str, most: u64| value.get(name).as_u64().unwrap_or(0).min(most);
        Ok(Question {
            position,
            simulations: count("simulations", MOST_SIMULATIONS) as usize,
            nodes: count("nodes", MOST_NODES),
            nonce: count("nonce", u64::MAX),
            what: value.get("what").as_text().unwrap_or_default(),
            bot: value.get("bot").as_text().unwrap_or("net"),
        })
    }
}

impl QueryApi {
    /// A query API with the weights of a file, on an instruction set of this processor.
    ///
    /// # Errors
    /// Returns an error if the file is damaged, or the engine does not reproduce the canaries that it keeps.
    pub fn new(weights: &[u8], isa: Isa) -> Result<QueryApi, SubmissionError> {
        let knowledge = knowledge(weights, isa)?;
        // The solver is in play at any budget, since that changes from question to question.
        let budget = Budget { table: TABLE, ..Budget::new(0, 1) };
        Ok(QueryApi { player: SearchPlayer::new(knowledge.clone(), budget), knowledge, analyst: None })
    }

    /// The answer to a question, both as JSON; `{"error": "..."}` to what cannot be answered.
    ///
    /// * `{"what":"play","game":"5x5 H0,0","bot":"net","simulations":200,"nodes":50000,"nonce":7}`, the bot being
    ///   `random`, `greedy`, `chains` or `net`: `{"edge":"H2,3","settled":true}`.
    /// * `{"what":"analyse","game":"5x5 H0,0","simulations":200,"nodes":50000}`: an [`Analysis`]. (`look` is an older name of it.)
    pub fn ask(&mut self, question: &[u8]) -> String {
        self.answer(question).unwrap_or_else(|error| format!("{{\"error\":{}}}", quoted(&error)))
    }

    fn answer(&mut self, question: &[u8]) -> Result<String, String> {
        let value = Json::parse(question).map_err(|error| error.to_string())?;
        let question = Question::new(&value)?;
        match question.what {
            "play" if question.position.is_over() => Err("the game is over".into()),
            "play" => self.play(&question),
            "analyse" | "look" => Ok(self.analyse(&question)),
            other => Err(format!("there is no answer to \"{other}\"; expected \"play\" or \"analyse\"")),
        }
    }

    fn play(&mut self, question: &Question<'_>) -> Result<String, String> {
        let position = &question.position;
        let board = position.board();
        let (edge, settled) = match (question.bot, RuleBot::named(question.bot)) {
            (_, Some(rule)) => (rule.choose(position, question.nonce), false),
            ("net", None) => {
                let player = self.player.player(board).expect("rollouts know every board");
                player.set_simulations(question.simulations);
                player.set_nodes(question.nodes);
                let play = player.decide(position);
                let equivalent = equivalent_moves(position, &play, DIVERSITY);
                (position.pick(equivalent, question.nonce).unwrap_or(play.edge), play.proved.is_some())
            }
            (other, None) => {
                let rules = RuleBot::ALL.map(|(name, _)| name).join(", ");
                return Err(format!("there is no bot \"{other}\"; expected {rules} or net"));
            }
        };
        Ok(format!("{{\"edge\":\"{}\",\"settled\":{settled}}}", board.edge_name(edge)))
    }

    fn analyse(&mut self, question: &Question<'_>) -> String {
        let Question { position, simulations, nodes, .. } = question;
        let board = position.board();
        if self.analyst.as_ref().is_none_or(|(kept, _)| *kept != board) {
            let evaluator = self.knowledge.evaluator(board).expect("rollouts know every board");
            self.analyst = Some((board, Analyst::new(board, evaluator, TABLE)));
        }
        let Some((_, analyst)) = &mut self.analyst else { unreachable!("it was just made") };
        analysis_json(position, &analyst.analyse(position, *simulations, *nodes))
    }
}

fn analysis_json(position: &Position, analysis: &Analysis) -> String {
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

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        let _ = match character {
            '"' | '\\' => write!(quoted, "\\{character}"),
            control if control < ' ' => write!(quoted, "\\u{:04x}", control as u32),
            other => write!(quoted, "{other}"),
        };
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Architecture;
    use crate::train::{initial_weights, with_canaries};
    use proptest::prelude::*;
    use serde_json::Value;

    fn query_api() -> QueryApi {
        let architecture = Architecture { channels: 16, blocks: 0, value_hidden: 4 };
        let weights = initial_weights(Board::new(3, 3).unwrap(), architecture, 1);
        QueryApi::new(&with_canaries(weights).to_bytes(), Isa::fastest()).unwrap()
    }

    fn answer(api: &mut QueryApi, question: &str) -> Value {
        serde_json::from_str(&api.ask(question.as_bytes())).unwrap()
    }

    #[test]
    fn every_bot_plays_on_any_board_to_the_end() {
        let mut api = query_api();
        for board in ["3x3", "2x4"] {
            for bot in ["random", "greedy", "chains", "net"] {
                let mut game = board.to_string();
                while !game.parse::<Position>().unwrap().is_over() {
                    let question =
                        format!(r#"{{"what":"play","game":"{game}","bot":"{bot}","simulations":4,"nodes":100}}"#);
                    game += " ";
                    game += answer(&mut api, &question)["edge"].as_str().unwrap();
                }
                let question = format!(r#"{{"what":"look","game":"{game}"}}"#);
                let look = answer(&mut api, &question);
                assert_eq!((&look["undrawn"], &look["edges"]), (&Value::from(0), &Value::Array(vec![])));
            }
        }
    }

    #[test]
    fn what_cannot_be_answered_is_said() {
        let mut api = query_api();
        for (question, part) in [
            ("", "expected a value"),
            ("{}", "\"game\" is missing"),
            (r#"{"game":"3x3 H9,9","what":"look"}"#, "H9,9"),
            (r#"{"game":"3x3","what":"sing"}"#, "\"sing\""),
            (r#"{"game":"3x3","what":"play","bot":"\"\u0007"}"#, "no bot"),
            (r#"{"game":"1x1 H0,0 H1,0 V0,0 V0,1","what":"play"}"#, "over"),
        ] {
            let error = answer(&mut api, question);
            assert!(error["error"].as_str().is_some_and(|error| error.contains(part)), "{question}: {error}");
        }
    }

    #[test]
    fn a_look_tells_what_the_solver_knows() {
        let mut api = query_api();
        // A 4-loop in the middle of the right side and nothing else to fight for: whoever opens it loses all.
        let look = answer(
            &mut api,
            r#"{"what":"look","game":"2x2 H0,0 H0,1 H2,0 H2,1 V0,0 V1,0 V0,2 V1,2","nodes":1000,"simulations":10}"#,
        );
        assert_eq!((look["lower"].as_i64(), look["upper"].as_i64()), (Some(-4), Some(-4)));
        assert_eq!(look["loops"][0]["boxes"], serde_json::json!([0, 1, 2, 3]));
        assert_eq!(look["finals"], serde_json::json!([[-4, 1.0]]));
        assert_eq!(look["controls"].as_i64(), Some(1));
        assert_eq!(look["line"].as_array().map(Vec::len), Some(4));
        assert!(look["edges"].as_array().unwrap().iter().all(|edge| edge["lower"] == edge["upper"]));
    }

    proptest! {
        #[test]
        fn any_bytes_get_an_object(question in prop::collection::vec(any::<u8>(), 0..100)) {
            thread_local!(static API: std::cell::RefCell<QueryApi> = std::cell::RefCell::new(query_api()));
            let answer = API.with(|api| api.borrow_mut().ask(&question));
            prop_assert!(serde_json::from_str::<Value>(&answer).unwrap().is_object());
        }
    }
}
