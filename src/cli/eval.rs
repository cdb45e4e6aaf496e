//! `doublecross eval`: the strength of a checkpoint.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::json;

use crate::cli::r#match::{match_settings, play_match};
use crate::cli::terminal::external::{ExternalOptions, check_faults};
use crate::cli::terminal::progress::Progress;
use crate::cli::terminal::stderr::{print_line, print_notice};
use crate::cli::terminal::threads::threads;
use crate::cli::{
    EndOnInterrupt, Failure, check_board, check_plays, interrupts, load_bot, named_isa, not_interrupted, print,
    print_json,
};
use doublecross::built_in::{built_in, default_suite};
use doublecross_arena::suite::{Band, Interval, SolvedSuite, SolvedSuiteSettings, Suite, evaluate_suite, suite_budget};
use doublecross_arena::{BotFactory, BotSpec, MatchOutcome, MatchSettings, bot_help};
use doublecross_core::board::Board;
use doublecross_core::bots::BoardNetworks;
use doublecross_core::net::{Isa, Network, Weights};
use doublecross_core::search::{Budget, MOST_SIMULATIONS};
use doublecross_core::shell::shell_word;
use doublecross_run::config::Config;
use doublecross_run::{RunSuites, load_weights, run_suites};

/// Measure the strength of a checkpoint, on positions with exact answers, against a bot, or both.
///
/// A suite is a file of such positions; `doublecross suite` draws one. For each number of undrawn
/// edges, eval prints how often the network's first choice and the searched move are best moves, the
/// mean error of the network's expected margin in boxes, and how often it expects the right winner,
/// ties left out, with 95 % intervals. These searches maximize the margin alone.
///
/// Without --suite and --against, the suite is the run's own, or else the default one of the board,
/// and searches have no solver: for the folder of a run, the figures are those that training prints.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  doublecross eval runs/3x3                               as training scores it
  doublecross eval runs/3x3 --against chains --games 200  games
  doublecross eval runs/3x3 --suite mine.tsv --no-solver  your own positions

{}", bot_help()))]
pub(crate) struct Eval {
    /// A weights file (.dxw or .safetensors), a checkpoint's folder or a run's folder.
    checkpoint: PathBuf,
    /// A file of positions with exact answers; may be given more than once.
    #[arg(long, value_name = "FILE")]
    suite: Vec<PathBuf>,
    /// Leave out positions of the suites with fewer undrawn edges.
    #[arg(long, value_name = "N", default_value_t = 0)]
    from_undrawn: usize,
    /// A bot to play against, as listed below.
    #[arg(long, value_name = "BOT")]
    against: Option<BotSpec>,
    /// Rows and columns of boxes of the games [default: the checkpoint's board, the largest of several].
    #[arg(long, value_name = "RxC", value_parser = |text: &str| text.parse::<Board>())]
    board: Option<Board>,
    /// Games against the bot, in pairs with seats swapped.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = crate::cli::r#match::games())]
    games: usize,
    /// Random edges at the beginning of each pair of games, fewer where every further one would offer
    /// a box [default: 6].
    #[arg(long, value_name = "N", requires = "against")]
    opening: Option<usize>,
    /// The seed of the openings.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Simulations of each search [default: those by which a run is scored on its suite, or 100].
    #[arg(long, value_name = "N", value_parser = simulations())]
    sims: Option<usize>,
    /// The exact solver's budget for a position, in nodes; for each visit of a position in the
    /// search tree it is a hundredth of that, at most 256 [default: 200000, or 0 without --suite and
    /// --against].
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Search without the exact solver.
    #[arg(long, conflicts_with = "nodes")]
    no_solver: bool,
    /// Positions and games at once [default: one for each core].
    #[arg(long, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<u16>,
    /// Exit with status 0 even if the bot never made a move of its own.
    #[arg(long)]
    allow_faults: bool,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    external: ExternalOptions,
}

impl Eval {
    pub fn run(self) -> Result<(), Failure> {
        if let Some(board) = self.board.filter(|_| self.against.is_none()) {
            return Err(Failure::input(anyhow::anyhow!(
                "--board {board} is the board of games (name a bot to play with --against, or positions with --suite)"
            )));
        }
        // Nothing is found out until the suites are there.
        let loading = EndOnInterrupt::new(|| "doublecross: interrupted".into())?;
        let weights = load_weights(&self.checkpoint).map_err(Failure::input)?;
        let networks = BoardNetworks::checked(weights.clone(), self.isa()?).map_err(Failure::input)?;
        let against = self.against.as_ref().map(|bot| load_bot(bot).map(|factory| (bot, factory))).transpose()?;
        let board = self.board.unwrap_or(weights.board);
        check_plays(&weights, board)?;
        if let Some((bot, factory)) = &against {
            check_board(factory, bot, board)?;
        }
        let settings = match_settings(board, self.games, self.seed, self.opening)?;
        let Suites { suites, simulations } = self.suites(&weights)?;
        let budget = self.budget(simulations);
        drop(loading);
        let stop = interrupts()?;
        let scored = suites.iter().map_while(|suite| {
            if !weights.is_trained_on(suite.board) {
                print_line(format_args!(
                    "the network was not trained on {}: its figures there may be low",
                    suite.board
                ));
            }
            score(&networks.network(suite.board), suite, &budget, &stop)
        });
        let bands: Vec<Band> = scored.flatten().collect();
        let play = |(bot, factory)| self.play(&weights, &settings, &budget, bot, factory, &stop);
        let played = against.filter(|_| !stop.load(Relaxed)).map(play).transpose()?;
        if self.json {
            let mut object = json!({
                "checkpoint": self.checkpoint.display().to_string(), "simulations": simulations, "solver": budget.root_nodes > 0, "bands": bands,
            });
            if let Some(outcome) = &played {
                object["match"] = json!(outcome.result);
                object["match"]["board"] = json!(board.to_string());
            }
            print_json(&object);
        } else {
            if !bands.is_empty() {
                let solver = match budget.root_nodes {
                    0 => "without the solver".into(),
                    nodes => format!("with the solver ({nodes} nodes)"),
                };
                print(format_args!("searches of {simulations} simulations {solver}\n"));
                print_bands(&bands);
            }
            played.iter().for_each(|outcome| crate::cli::r#match::print_result(&outcome.result));
        }
        // The results are printed before a failure.
        not_interrupted(&stop)?;
        let Some(MatchOutcome { result, error }) = played else { return Ok(()) };
        error.map_or(Ok(()), |error| Err(Failure::running(error)))?;
        if self.allow_faults { Ok(()) } else { check_faults([&result]) }
    }

    /// The suites to score on, and the simulations of each search.
    fn suites(&self, weights: &Weights) -> Result<Suites, Failure> {
        let board = weights.board;
        let mut suites = Vec::new();
        for path in &self.suite {
            suites.push(Suite::read(path).map_err(Failure::input)?);
        }
        let mut simulations = None;
        if self.is_plain() {
            (suites, simulations) = self.own_suites(weights)?;
        }
        for suite in &mut suites {
            let (found, least) = (suite.board, self.from_undrawn);
            // A network of several boards plays any.
            if found != board && weights.other_boards.is_empty() {
                let error = anyhow::anyhow!(
                    "suite {} has positions of {found}: the checkpoint plays {board} alone",
                    shell_word(&suite.name)
                );
                return Err(Failure::input(error));
            }
            suite.positions.retain(|position| position.state.undrawn().len() >= least);
            if suite.positions.is_empty() {
                let error = anyhow::anyhow!(
                    "suite {} has no position of {least} undrawn edges or more (lower --from-undrawn)",
                    shell_word(&suite.name)
                );
                return Err(Failure::input(error));
            }
        }
        Ok(Suites { suites, simulations: self.sims.or(simulations).unwrap_or(100) })
    }

    /// Returns `true` if neither a suite nor an opponent was given.
    fn is_plain(&self) -> bool {
        self.suite.is_empty() && self.against.is_none()
    }

    /// The folder of the checkpoint's run, if it is in one.
    fn run_folder(&self) -> Option<PathBuf> {
        // A checkpoint is in the folder checkpoints/gen-NNNNNN of its run, and its weights within.
        let path = std::path::absolute(&self.checkpoint).ok()?;
        let mut folders = path.ancestors().take(4);
        folders.find(|folder| folder.join("version.txt").is_file()).map(Path::to_path_buf)
    }

    /// The instruction set of the network: the one that the environment names, or that of the run where its scores
    /// are to be those of training, or the fastest.
    fn isa(&self) -> Result<Isa, Failure> {
        let of_run = || {
            let config = Config::load(&self.run_folder()?.join("config.toml"), &[]).ok()?;
            config.isa.named().filter(|isa| self.is_plain() && Isa::available().contains(isa))
        };
        Ok(named_isa()?.or_else(of_run).unwrap_or_else(Isa::fastest))
    }

    /// The suites of the checkpoint's run with the simulations of its searches, or else the default
    /// suites of the boards that it was trained on.
    fn own_suites(&self, weights: &Weights) -> Result<(Vec<Suite>, Option<usize>), Failure> {
        if let Some(folder) = self.run_folder()
            && let Some(RunSuites { suites, simulations }) = run_suites(&folder).map_err(Failure::input)?
            && suites.iter().any(|suite| suite.board == weights.board)
        {
            return Ok((suites, Some(simulations)));
        }
        let mut suites = Vec::new();
        for &board in [&weights.board].into_iter().chain(&weights.other_boards) {
            let suite = default_suite(board).unwrap_or_else(|| solved_suite(board));
            if suite.positions.is_empty() {
                return Err(Failure::running(anyhow::anyhow!(
                    "the solver settles no position for a suite of {board} (give one with --suite)"
                )));
            }
            suites.push(suite);
        }
        Ok((suites, None))
    }

    /// The budget of a search.
    fn budget(&self, simulations: usize) -> Budget {
        let nodes = self.nodes.unwrap_or(if self.is_plain() { 0 } else { 200_000 });
        Budget::new(simulations, if self.no_solver { 0 } else { nodes })
    }

    /// Plays the weights that were scored on the suites, even if the run has changed its folder since.
    fn play(
        &self,
        weights: &Weights,
        settings: &MatchSettings,
        budget: &Budget,
        bot: &BotSpec,
        against: BotFactory,
        stop: &Arc<AtomicBool>,
    ) -> Result<MatchOutcome, Failure> {
        let options = format!("sims={},nodes={}", budget.settings.simulations, budget.root_nodes);
        let own = BotSpec::network(&self.checkpoint, &options).map_err(Failure::input)?;
        let own_factory = own.factory_with(self.isa()?, built_in(), |_| Ok(weights.clone())).map_err(Failure::input)?;
        let own_factory = own_factory.with_stop(stop.clone());
        check_board(&own_factory, &own, settings.board)?;
        let launch = self.external.launch([bot].into_iter(), None)?;
        let against = against.with_limits(self.external.limits()).with_launch(launch).with_stop(stop.clone());
        let bots = [(own.name(), &own_factory), (bot.name(), &against)];
        let label = format!("against {}", bot.name());
        Ok(play_match(label, settings, bots, &mut |_| true, stop))
    }
}

/// The suites to score on.
struct Suites {
    suites: Vec<Suite>,
    /// The simulations of each search.
    simulations: usize,
}

/// Scores the network on a suite. Returns `None` if that is interrupted.
fn score(network: &Arc<Network>, suite: &Suite, budget: &Budget, stop: &Arc<AtomicBool>) -> Option<Vec<Band>> {
    let budget = suite_budget(budget.settings.simulations, budget.root_nodes);
    let progress = Progress::new(&suite.name, suite.positions.len());
    let bands = evaluate_suite(network, suite, &budget, &|done| progress.at(done), stop);
    progress.finish();
    bands
}

/// A parser of the number of simulations.
fn simulations() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(..=MOST_SIMULATIONS as u64)
}

/// Prints the figures of suites as a table.
fn print_bands(bands: &[Band]) {
    print(format_args!(
        "{:<16} {:>12} {:>9}  {:^20}  {:^20} {:>8}  {:^20}\n",
        "suite", "undrawn", "positions", "policy optimal", "search optimal", "error", "sign"
    ));
    for band in bands {
        let undrawn = match (band.undrawn, band.is_capture_free) {
            (0, true) => "capture-free".into(),
            (0, false) => "all".into(),
            (undrawn, _) => undrawn.to_string(),
        };
        // The interval of no positions is from 0 to 1.
        let share = |i: Interval| match (i.low, i.high) {
            (0.0, 1.0) => "    -".into(),
            _ => format!("{:5.1} % ({:.1}-{:.1})", 100.0 * i.share, 100.0 * i.low, 100.0 * i.high),
        };
        print(format_args!(
            "{:<16} {undrawn:>12} {:>9}  {:<20}  {:<20} {:>8.2}  {:<20}\n",
            band.suite,
            band.positions,
            share(band.policy_optimal),
            share(band.search_optimal),
            band.margin_error,
            share(band.sign_agreement)
        ));
    }
}

/// Solves the default suite of a board that has none built in.
fn solved_suite(board: Board) -> Suite {
    let settings = SolvedSuiteSettings::default_of(board);
    let asked = settings.positions;
    let (progress, solved) = (Progress::new("positions of the suite solved", asked), AtomicUsize::new(0));
    let SolvedSuite { suite, .. } = settings.make(&|| progress.at(1 + solved.fetch_add(1, Relaxed)));
    progress.finish();
    if suite.positions.len() < asked {
        print_notice(format_args!(
            "the suite of {board} has {} of {asked} positions: the solver settles no more",
            suite.positions.len()
        ));
    }
    suite
}
