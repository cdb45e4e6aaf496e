//! Questions of a page that shows a game: what a bot plays, and what a position looks like. JSON in, JSON out.

use std::fmt::Write;
use std::sync::Arc;

use super::HandedInError;
use super::handed_in::{checked_network, fastest_path, kept};
use crate::analysis::{Analyst, Look, Shape};
use crate::board::{Board, Edge, Position, format_edge, parse_game};
use crate::net::{Network, Path};
use crate::search::{Budget, Cached, Evaluator, Player, as_good, evaluator_for};
use crate::simple::Simple;
use crate::wire::Json;

/// Answers questions about positions of any board, with a network for its own and rollouts for the others.
pub struct Asked {
    network: Arc<Network>,
    path: Path,
    player: Option<(Board, AnyPlayer)>,
    analyst: Option<(Board, AnyAnalyst)>,
}

type AnyPlayer = Player<Cached<Box<dyn Evaluator>>>;
type AnyAnalyst = Analyst<Box<dyn Evaluator>>;

/// Entries of each solver's table, 8 bytes each.
const TABLE: usize = 1 << 20;

/// The most simulations and nodes of one answer, or of one part of a longer one: about a minute, not hours.
const MOST_SIMULATIONS: u64 = 100_000;
const MOST_NODES: u64 = 100_000_000;

/// How much less than the best, in utility, an edge may be worth that is played for variety.
const VARIETY: f32 = 0.01;

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
        let game = value.get("game").as_text().ok_or("«game» is missing: a board and its moves, as in «3x3 H0,0»")?;
        let position = parse_game(game).map_err(|error| error.to_string())?;
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

impl Asked {
    /// One with the weights of a file.
    ///
    /// # Errors
    /// When the file is damaged, or the engine does not give the answers that it keeps.
    pub fn new(weights: &[u8]) -> Result<Asked, HandedInError> {
        let path = fastest_path();
        Ok(Asked { network: checked_network(weights, path)?, path, player: None, analyst: None })
    }

    /// The answer to a question, both as JSON; `{"error": "..."}` to what cannot be answered.
    ///
    /// * `{"what":"play","game":"5x5 H0,0","bot":"net","simulations":200,"nodes":50000,"nonce":7}`, the bot being
    ///   `random`, `greedy`, `chains` or `net`: `{"edge":"H2,3","settled":true}`.
    /// * `{"what":"look","game":"5x5 H0,0","simulations":200,"nodes":50000}`: a [`Look`].
    pub fn ask(&mut self, question: &[u8]) -> String {
        self.answer(question).unwrap_or_else(|error| format!("{{\"error\":{}}}", quoted(&error)))
    }

    fn answer(&mut self, question: &[u8]) -> Result<String, String> {
        let value = Json::parse(question).map_err(|error| error.to_string())?;
        let question = Question::new(&value)?;
        match question.what {
            "play" if question.position.is_over() => Err("the game is over".into()),
            "play" => self.play(&question),
            "look" => Ok(self.look(&question)),
            other => Err(format!("there is no answer to «{other}»; ask to play or to look")),
        }
    }

    fn play(&mut self, question: &Question<'_>) -> Result<String, String> {
        let position = &question.position;
        let board = position.board();
        let simple = match question.bot {
            "random" => Some(Simple::Random),
            "greedy" => Some(Simple::Greedy),
            "chains" => Some(Simple::Chains),
            "net" => None,
            other => return Err(format!("there is no bot «{other}»; there are random, greedy, chains and net")),
        };
        let (edge, settled) = match simple {
            Some(simple) => (simple.choose(position, question.nonce), false),
            None => {
                let (network, path) = (&self.network, self.path);
                let player = kept(&mut self.player, board, || {
                    let budget = Budget { table: TABLE, ..Budget::new(question.simulations, question.nodes.max(1)) };
                    budget.player(board, evaluator_for(board, network, path))
                });
                player.set_simulations(question.simulations);
                player.set_nodes(question.nodes);
                let play = player.decide(position);
                let good = as_good(position, &play, VARIETY);
                (position.pick(good, question.nonce).unwrap_or(play.edge), play.proved.is_some())
            }
        };
        Ok(format!("{{\"edge\":\"{}\",\"settled\":{settled}}}", format_edge(board, edge)))
    }

    fn look(&mut self, question: &Question<'_>) -> String {
        let board = question.position.board();
        let (network, path) = (&self.network, self.path);
        let analyst =
            kept(&mut self.analyst, board, || Analyst::new(board, evaluator_for(board, network, path), TABLE));
        let look = analyst.look(&question.position, question.simulations, question.nodes);
        look_json(&question.position, &look)
    }
}

fn look_json(position: &Position, look: &Look) -> String {
    let board = position.board();
    let edges = list(look.edges.iter().map(|edge| {
        let name = format_edge(board, edge.edge);
        let expected = edge.expected.map_or("null".into(), |expected| format!("{expected:.3}"));
        let ((lower, upper), policy) = (edge.bounds, edge.policy);
        format!(
            "{{\"edge\":\"{name}\",\"policy\":{policy:.4},\"expected\":{expected},\"lower\":{lower},\"upper\":{upper}}}"
        )
    }));
    let finals = list(look.finals.iter().map(|(margin, share)| format!("[{margin},{share:.4}]")));
    let line = list(look.line.iter().map(|&edge: &Edge| format!("\"{}\"", format_edge(board, edge))));
    let shapes = |is_loop: bool| {
        list(look.shapes.iter().filter(|shape| shape.is_loop == is_loop).map(|Shape { boxes, .. }| {
            let numbers = list(boxes.iter().map(u8::to_string));
            format!("{{\"boxes\":{numbers},\"length\":{}}}", boxes.len())
        }))
    };
    let controls = look.controls.map_or("null".into(), |seat| seat.to_string());
    let [first, second] = position.scores();
    let ((lower, upper), expected) = (look.bounds, look.expected);
    format!(
        "{{\"mover\":{},\"scores\":[{first},{second}],\"undrawn\":{},\"lower\":{lower},\"upper\":{upper},\
         \"expected\":{expected:.3},\"edges\":{edges},\"finals\":{finals},\"line\":{line},\"chains\":{},\"loops\":{},\
         \"offered\":{},\"safe\":{},\"controls\":{controls}}}",
        position.mover(),
        position.undrawn().len(),
        shapes(false),
        shapes(true),
        look.offered,
        look.safe,
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

    fn asked() -> Asked {
        let architecture = Architecture { channels: 16, blocks: 0, value_hidden: 4 };
        let weights = initial_weights(Board::new(3, 3).unwrap(), architecture, 1);
        Asked::new(&with_canaries(weights).to_bytes()).unwrap()
    }

    fn answer(asked: &mut Asked, question: &str) -> Value {
        serde_json::from_str(&asked.ask(question.as_bytes())).unwrap()
    }

    #[test]
    fn every_bot_plays_on_any_board_to_the_end() {
        let mut asked = asked();
        for board in ["3x3", "2x4"] {
            for bot in ["random", "greedy", "chains", "net"] {
                let mut game = board.to_string();
                while !parse_game(&game).unwrap().is_over() {
                    let question =
                        format!(r#"{{"what":"play","game":"{game}","bot":"{bot}","simulations":4,"nodes":100}}"#);
                    game += " ";
                    game += answer(&mut asked, &question)["edge"].as_str().unwrap();
                }
                let question = format!(r#"{{"what":"look","game":"{game}"}}"#);
                let look = answer(&mut asked, &question);
                assert_eq!((&look["undrawn"], &look["edges"]), (&Value::from(0), &Value::Array(vec![])));
            }
        }
    }

    #[test]
    fn what_cannot_be_answered_is_said() {
        let mut asked = asked();
        for (question, part) in [
            ("", "expected a value"),
            ("{}", "«game» is missing"),
            (r#"{"game":"3x3 H9,9","what":"look"}"#, "H9,9"),
            (r#"{"game":"3x3","what":"sing"}"#, "«sing»"),
            (r#"{"game":"3x3","what":"play","bot":"\"\u0007"}"#, "no bot"),
            (r#"{"game":"1x1 H0,0 H1,0 V0,0 V0,1","what":"play"}"#, "over"),
        ] {
            let error = answer(&mut asked, question);
            assert!(error["error"].as_str().is_some_and(|error| error.contains(part)), "{question}: {error}");
        }
    }

    #[test]
    fn a_look_tells_what_the_solver_knows() {
        let mut asked = asked();
        // A 4-loop in the middle of the right side and nothing else to fight for: whoever opens it loses all.
        let look = answer(
            &mut asked,
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
            thread_local!(static ASKED: std::cell::RefCell<Asked> = std::cell::RefCell::new(asked()));
            let answer = ASKED.with(|asked| asked.borrow_mut().ask(&question));
            prop_assert!(serde_json::from_str::<Value>(&answer).unwrap().is_object());
        }
    }
}
