//! `doublecross suite`: suites of positions with exact answers, drawn at random.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use clap::builder::RangedU64ValueParser;

use crate::cli::terminal::count::counted;
use crate::cli::terminal::progress::Progress;
use crate::cli::terminal::stderr::{print_line, print_notice};
use crate::cli::terminal::text_output::{TextOutput, TextOutputOptions};
use crate::cli::terminal::threads::{on_threads, threads};
use crate::cli::{EndOnInterrupt, Failure, check_board, load_bot};
use doublecross_arena::suite::{PositionKind, Suite, SuiteBand, SuiteSettings, draw_suite};
use doublecross_arena::{BotFactory, BotSpec};
use doublecross_core::board::{Board, State};
use doublecross_core::shell::shell_word;

/// Draw a suite for `eval`: positions with exact answers.
///
/// The first line of the suite says how it was drawn. A suite by which weights were chosen flatters
/// them. Draw a fresh one after the choice, of the same kinds with another seed, and name the seed
/// beside the figure.
///
/// Kinds of positions are `random` (any edges), `careful` (random play that takes boxes and offers
/// none while it can), `strong` (careful play whose last four edges are mostly optimal) and `played`
/// (games of the bot of --by against itself, after up to eight random safe edges). All positions differ
/// by more than symmetry. The same options draw the same suite, whatever the number of threads is.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross suite --like tests/data/suites/4x4.tsv --seed 7 --out 4x4.tsv
  doublecross suite --board 5x5 --kind careful --undrawn 28,30 --out 5x5.tsv
  doublecross suite --board 5x5 --kind played --by net:checkpoints/5x5,nodes=0 \
    --undrawn 39,40 --out 5x5.tsv
  doublecross eval checkpoints/5x5 --suite 5x5.tsv --no-solver")]
pub(crate) struct SuiteCommand {
    /// Draw as many positions of each kind and number of undrawn edges as this suite has, and none that it has.
    #[arg(long, value_name = "SUITE", conflicts_with_all = ["board", "kind", "undrawn", "positions"])]
    like: Option<PathBuf>,
    /// Rows and columns of boxes.
    #[arg(long, value_name = "RxC", default_value = "5x5", value_parser = |text: &str| text.parse::<Board>())]
    board: Board,
    /// The kind of the positions; may be given more than once.
    #[arg(long, default_values = ["careful"], value_parser = |text: &str| text.parse::<PositionKind>())]
    kind: Vec<PositionKind>,
    /// The bot that plays the positions of the kind `played`, named as in `match`.
    #[arg(long, value_name = "BOT", value_parser = |text: &str| text.parse::<BotSpec>())]
    by: Option<BotSpec>,
    /// Numbers of undrawn edges, as in 28,30 [default: half of the board's edges].
    #[arg(long, value_name = "N", value_delimiter = ',')]
    undrawn: Vec<usize>,
    /// Positions of each kind with each number of undrawn edges.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    positions: usize,
    /// Leave out the positions of this suite as well; may be given more than once.
    #[arg(long, value_name = "SUITE")]
    without: Vec<PathBuf>,
    /// The seed.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Nodes that the solver may spend on a position. Others are drawn in place of those that it does not settle, which
    /// makes a suite easier.
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    nodes: u64,
    /// Threads that solve side by side [default: one for each core].
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<u16>,
    #[command(flatten)]
    output: TextOutputOptions,
}

impl SuiteCommand {
    pub fn run(self) -> Result<(), Failure> {
        // Nothing is written before the end, so that the work may be cut off anywhere.
        let _end_on_interrupt = EndOnInterrupt::new(|| "doublecross: interrupted".into())?;
        let output = self.output.open()?;
        let like = self.like.as_deref().map(Model::read).transpose()?;
        let (board, bands) = match &like {
            Some(model) => (model.suite.board, model.bands.clone()),
            None => (self.board, self.bands()?),
        };
        let mut known: Vec<Suite> = like.into_iter().map(|model| model.suite).collect();
        for path in &self.without {
            let suite = Suite::read(path).map_err(Failure::input)?;
            if suite.board != board {
                let (path, found) = (shell_word(path), suite.board);
                return Err(Failure::input(anyhow!(
                    "--without {path}: it is a suite of {found}, and the new one is of {board}"
                )));
            }
            known.push(suite);
        }
        let known = known.iter().flat_map(|suite| &suite.positions).map(|position| position.state).collect();
        let player = self.player(board, &bands)?;
        let settings = SuiteSettings { board, bands, seed: self.seed, nodes: self.nodes };
        on_threads(self.threads, || self.draw(&settings, player.as_ref(), known, output))
    }

    /// Draws the suite and writes it.
    fn draw(
        &self,
        settings: &SuiteSettings,
        player: Option<&BotFactory>,
        known: Vec<State>,
        output: TextOutput,
    ) -> Result<(), Failure> {
        let wanted: usize = settings.bands.values().sum();
        let progress = Progress::new("positions", wanted);
        let drawn = draw_suite(settings, player, known, &|count| progress.at(count));
        progress.finish();
        if drawn.is_empty() {
            return Err(Failure::input(anyhow!(
                "no position was found: the board has none of these kinds, or the solver needs more nodes (raise --nodes)"
            )));
        }
        let lines = drawn.iter().map(|drawn| drawn.position.line(&drawn.kind.to_string()) + "\n");
        let text: String = [self.origin(settings)].into_iter().chain(lines).collect();
        let path = output.path().map(shell_word);
        output.write(&text)?;
        if let Some(path) = path {
            print_notice(format_args!("{path}: {}, seed {}", counted(drawn.len(), "position"), settings.seed));
        }
        if drawn.len() < wanted {
            let found = drawn.len();
            print_line(format_args!(
                "only {found} of {wanted} positions were found: the board has no more of these kinds, or the solver needs \
                 more nodes (raise --nodes)"
            ));
        }
        Ok(())
    }

    /// A line that says how the suite was drawn.
    fn origin(&self, settings: &SuiteSettings) -> String {
        let words = match &self.like {
            Some(like) => format!("--like {}", shell_word(like)),
            None => {
                let undrawn: BTreeSet<usize> = settings.bands.keys().map(|band| band.undrawn).collect();
                let undrawn = undrawn.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
                let kinds: String = self.kind.iter().map(|kind| format!(" --kind {kind}")).collect();
                format!("--board {}{kinds} --undrawn {undrawn} --positions {}", self.board, self.positions)
            }
        };
        let by = self.by.as_ref().map_or(String::new(), |by| format!(" --by {}", shell_word(by.name())));
        let without: String = self.without.iter().map(|path| format!(" --without {}", shell_word(path))).collect();
        let version = env!("CARGO_PKG_VERSION");
        format!("# doublecross {version}: suite {words}{by}{without} --seed {} --nodes {}\n", self.seed, self.nodes)
    }

    /// The player of played positions, if there are any.
    fn player(&self, board: Board, bands: &BTreeMap<SuiteBand, usize>) -> Result<Option<BotFactory>, Failure> {
        let is_played = bands.keys().any(|band| band.kind == PositionKind::Played);
        match &self.by {
            Some(by) if is_played && !by.is_repeatable() => Err(Failure::input(anyhow!(
                "--by {}: it may draw other edges another time (name a bot without a clock or a process of its own)",
                shell_word(by.name())
            ))),
            Some(by) if is_played => {
                let player = load_bot(by)?;
                check_board(&player, by, board)?;
                Ok(Some(player))
            }
            None if !is_played => Ok(None),
            Some(_) => Err(Failure::input(anyhow!(
                "--by is for positions of the kind played, and there are none (leave it out)"
            ))),
            None => Err(Failure::input(anyhow!("positions of the kind played need a bot (--by BOT)"))),
        }
    }

    /// The number of positions of each band.
    fn bands(&self) -> Result<BTreeMap<SuiteBand, usize>, Failure> {
        let board = self.board;
        let undrawn = if self.undrawn.is_empty() { &[board.edges().div_ceil(2)] } else { &self.undrawn[..] };
        if let Some(wrong) = undrawn.iter().find(|undrawn| !(1..=board.edges()).contains(*undrawn)) {
            let edges = board.edges();
            return Err(Failure::input(anyhow!("--undrawn {wrong}: it must be 1 to {edges}, the edges of {board}")));
        }
        let bands = self.kind.iter().flat_map(|&kind| undrawn.iter().map(move |&undrawn| SuiteBand { kind, undrawn }));
        Ok(bands.map(|band| (band, self.positions)).collect())
    }
}

/// A suite like which another one is drawn.
struct Model {
    suite: Suite,
    bands: BTreeMap<SuiteBand, usize>,
}

impl Model {
    fn read(path: &Path) -> Result<Model, Failure> {
        let name = path.display().to_string();
        // Read once, since it may be a pipe.
        let text = fs::read(path)
            .map_err(|error| Failure::input(anyhow!("cannot read suite {}: {error}", shell_word(path))))?;
        let suite = Suite::parse(&text, &name).map_err(Failure::input)?;
        let bands = SuiteBand::of_suite(&String::from_utf8_lossy(&text));
        Ok(Model { suite, bands: bands.map_err(|error| Failure::input(anyhow!("{}, {error}", shell_word(path))))? })
    }
}
