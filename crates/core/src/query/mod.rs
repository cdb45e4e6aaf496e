//! The query API: answers to a web page's questions about positions, JSON in and JSON out
//! (docs/export.md).

mod format;
mod question;

use format::{analysis_json, play_json};
use question::Question;

use std::sync::Arc;

use crate::analysis::Analyst;
use crate::bots::{EvaluatorSource, LEVELS, Level, LevelBot, OfBoard, RuleBot, SearchPlayer};
use crate::net::Isa;
use crate::protocol::{Json, quoted};
use crate::search::{Budget, Evaluator, equivalent_moves};
use crate::solver::Book;
use crate::submission::{SubmissionError, evaluators};

/// Answers to questions about positions of any board, by a network for its own board and by
/// rollouts for the others.
pub struct QueryApi {
    evaluators: EvaluatorSource,
    player: SearchPlayer,
    /// The book of one board, if there is one.
    book: Option<Arc<Book>>,
    /// The bot of the level that was asked last.
    level: Option<(&'static Level, LevelBot)>,
    analyst: OfBoard<Analyst<Box<dyn Evaluator + Send>>>,
}

/// The number of entries of each solver's table, 11 bytes each.
const TABLE_ENTRIES: usize = 1 << 20;

/// The largest difference in utility from the best edge of an edge that may be played for
/// diversity.
const DIVERSITY: f32 = 0.01;

impl QueryApi {
    /// Returns a query API with the weights of a weights file, on an instruction set of this
    /// processor.
    ///
    /// # Errors
    /// Returns an error if the file is damaged, or the engine does not reproduce its canaries.
    pub fn new(weights: &[u8], isa: Isa) -> Result<QueryApi, SubmissionError> {
        let evaluators = evaluators(weights, isa)?;
        // With one node the solver takes part. Each question sets its own budget.
        let budget = Budget { table: TABLE_ENTRIES, ..Budget::new(0, 1) };
        let player = SearchPlayer::new(evaluators.clone(), budget);
        Ok(QueryApi { player, book: None, evaluators, level: None, analyst: OfBoard::default() })
    }

    /// Returns the query API with a book, on which the solvers of `net` and of analyses rely.
    #[must_use]
    pub fn with_book(self, book: Arc<Book>) -> QueryApi {
        QueryApi { player: self.player.with_book(book.clone()), book: Some(book), ..self }
    }

    /// Returns the answer to a question, both as JSON.
    ///
    /// | question | answer |
    /// |---|---|
    /// | `{"what":"play","game":"5x5 H0,0","bot":"net"}` | `{"edge":"H2,3","settled":true}` |
    /// | `{"what":"analyze","game":"5x5 H0,0"}` | an [`Analysis`](crate::analysis::Analysis) |
    /// | anything else | `{"error":"..."}` |
    ///
    /// `bot` is `random`, `first`, `greedy`, `chains`, a level from `level:1` to `level:10`, or
    /// `net`. The levels 9 and 10 need a network for the board. `simulations` and `nodes` set the
    /// budget of `net` and of analyses, which is 0 by default; what is no whole number within their
    /// limits is an error. `nonce` chooses among moves that are about as good, and the mistakes of a
    /// level.
    pub fn ask(&mut self, question: &[u8]) -> String {
        self.answer(question).unwrap_or_else(|error| format!("{{\"error\":{}}}", quoted(&error)))
    }

    fn answer(&mut self, question: &[u8]) -> Result<String, String> {
        let value = Json::parse(question).map_err(|error| error.to_string())?;
        let question = Question::new(&value)?;
        match question.what {
            "play" if question.position.is_over() => Err("the game is over".into()),
            "play" => self.play(&question),
            "analyze" => Ok(self.analyze(&question)),
            other => Err(format!("unknown question \"{other}\": questions are \"play\" and \"analyze\"")),
        }
    }

    fn play(&mut self, question: &Question<'_>) -> Result<String, String> {
        let position = &question.position;
        let board = position.board();
        if let Some(level) = Level::named(question.bot) {
            if level.traits.simulations > 0 && !self.evaluators.has_network(board) {
                return Err(format!("{} plays with a network, and this bot has none for {board}", level.bot));
            }
            let edge = self.level_bot(level).choose(position, question.nonce);
            return Ok(play_json(position, edge, false));
        }
        let (edge, settled) = match (question.bot, RuleBot::named(question.bot)) {
            (_, Some(rule)) => (rule.choose(position, question.nonce), false),
            ("net", None) => {
                let player = self.player.player(board).expect("rollouts play every board");
                player.set_simulations(question.simulations);
                player.set_nodes(question.nodes);
                let play = player.decide(position);
                let equivalent = equivalent_moves(position, &play, DIVERSITY);
                let is_settled = play.proved.is_some_and(|proved| proved.is_final);
                (position.pick(equivalent, question.nonce).unwrap_or(play.edge), is_settled)
            }
            (other, None) => {
                let rules = RuleBot::ALL.map(|(name, _)| name).join(", ");
                let levels = LEVELS.each_ref().map(|level| level.bot).join(", ");
                return Err(format!("there is no bot \"{other}\": bots are {rules}, {levels} and net"));
            }
        };
        Ok(play_json(position, edge, settled))
    }

    /// Returns the bot of a level. The last one is kept, with its tables.
    fn level_bot(&mut self, level: &'static Level) -> &mut LevelBot {
        if self.level.as_ref().is_none_or(|(kept, _)| *kept != level) {
            self.level = None;
        }
        let new = || (level, LevelBot::new(level, self.evaluators.clone()));
        &mut self.level.get_or_insert_with(new).1
    }

    fn analyze(&mut self, question: &Question<'_>) -> String {
        let Question { position, simulations, nodes, .. } = question;
        let board = position.board();
        let new = || {
            let analyst = Analyst::new(board, self.evaluators.evaluator(board)?, TABLE_ENTRIES);
            Some(match self.book.as_ref().filter(|book| book.board() == board) {
                Some(book) => analyst.with_book(book),
                None => analyst,
            })
        };
        let analyst = self.analyst.get_or_build(board, new).expect("rollouts play every board");
        analysis_json(position, &analyst.analyze(position, *simulations, *nodes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Position};
    use crate::net::{Architecture, Weights};
    use proptest::prelude::*;
    use serde_json::Value;

    fn query_api() -> QueryApi {
        let architecture = Architecture::new(16, 0, 4);
        let weights = Weights::sample(Board::new(3, 3).unwrap(), architecture);
        QueryApi::new(&weights.to_bytes(), Isa::fastest()).unwrap()
    }

    fn answer(api: &mut QueryApi, question: &str) -> Value {
        serde_json::from_str(&api.ask(question.as_bytes())).unwrap()
    }

    #[test]
    fn every_bot_plays_on_any_board_to_the_end() {
        let mut api = query_api();
        for board in ["3x3", "2x4"] {
            for bot in ["random", "greedy", "chains", "level:1", "level:8", "level:9", "level:10", "net"] {
                if board == "2x4" && ["level:9", "level:10"].contains(&bot) {
                    let question = format!(r#"{{"what":"play","game":"2x4","bot":"{bot}"}}"#);
                    let error = format!("{bot} plays with a network, and this bot has none for 2x4");
                    assert_eq!(answer(&mut api, &question)["error"], error);
                    continue;
                }
                let mut game = board.to_string();
                while !game.parse::<Position>().unwrap().is_over() {
                    let question =
                        format!(r#"{{"what":"play","game":"{game}","bot":"{bot}","simulations":4,"nodes":100}}"#);
                    game += " ";
                    game += answer(&mut api, &question)["edge"].as_str().unwrap();
                }
                let ask = |what| format!(r#"{{"what":"{what}","game":"{game}"}}"#);
                let analysis = answer(&mut api, &ask("analyze"));
                assert_eq!((&analysis["undrawn"], &analysis["edges"]), (&Value::from(0), &Value::Array(vec![])));
            }
        }
    }

    #[test]
    fn unanswerable_questions_get_an_error() {
        let mut api = query_api();
        for (question, part) in [
            ("", "expected a value"),
            ("{}", "\"game\" is missing"),
            (r#"{"game":"3x3 H9,9","what":"analyze"}"#, "H9,9"),
            (r#"{"game":"3x3","what":"sing"}"#, "\"sing\""),
            (r#"{"game":"3x3","what":"play","bot":"\"\u0007"}"#, "no bot"),
            (r#"{"game":"1x1 H0,0 H1,0 V0,0 V0,1","what":"play"}"#, "over"),
            (
                r#"{"game":"3x3","what":"analyze","nodes":1e12}"#,
                "\"nodes\" should be a whole number from 0 to 100000000",
            ),
            (r#"{"game":"3x3","what":"play","simulations":-1}"#, "\"simulations\" should be"),
            (r#"{"game":"3x3","what":"play","nonce":"7"}"#, "\"nonce\" should be"),
        ] {
            let error = answer(&mut api, question);
            assert!(error["error"].as_str().is_some_and(|error| error.contains(part)), "{question}: {error}");
        }
    }

    #[test]
    fn an_analysis_has_the_bounds_of_the_solver() {
        let mut api = query_api();
        // A loop of four boxes and nothing else: the player to move opens it and loses all four.
        let analysis = answer(
            &mut api,
            r#"{"what":"analyze","game":"2x2 H0,0 H0,1 H2,0 H2,1 V0,0 V1,0 V0,2 V1,2","nodes":1000,"simulations":10}"#,
        );
        assert_eq!((analysis["lower"].as_i64(), analysis["upper"].as_i64()), (Some(-4), Some(-4)));
        assert_eq!(analysis["loops"][0]["boxes"], serde_json::json!([0, 1, 2, 3]));
        assert_eq!(analysis["finals"], serde_json::json!([[-4, 1.0]]));
        assert_eq!(analysis["controls"].as_i64(), Some(1));
        assert_eq!(analysis["line"].as_array().map(Vec::len), Some(4));
        assert!(analysis["edges"].as_array().unwrap().iter().all(|edge| edge["lower"] == edge["upper"]));
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
