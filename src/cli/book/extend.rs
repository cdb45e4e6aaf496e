//! `doublecross book extend`: proofs of positions that bots meet.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use crate::cli::prove::logs::{log_failure, new_solver, open_log};
use crate::cli::terminal::count::counted;
use crate::cli::terminal::monitor::Monitor;
use crate::cli::terminal::stderr::print_notice;
use crate::cli::terminal::threads::threads;
use crate::cli::terminal::values::{parse_seconds, parse_size};
use crate::cli::{Failure, check_board, interrupts, load_bot, not_interrupted, print, print_json};
use doublecross_arena::{BotSpec, match_nonce};
use doublecross_core::board::{Board, Position, State};
use doublecross_core::shell::shell_word;
use doublecross_core::solver::{Bounds, Lemma};
use doublecross_proof::ProofLog;
use doublecross_proof::parallel::{Limits, ParallelSolver};

/// Prove positions of games that bots play against themselves, and append the proofs to a log.
///
/// Each bot plays both sides from the empty board. Of each game the positions with the given
/// numbers of undrawn edges are proved: who wins, or the whole margin with --exact. What a position
/// needs is appended as soon as it is proved, so the command may be ended at any time, and goes on
/// when it is run again. The log has the format of the book; `prove merge data/books/5x5.log LOG` adds
/// it to the book of the next build.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross book extend --log more.log chains --undrawn 44,42 --seconds 60
  doublecross book extend --log more.log net:checkpoints/5x5,diversity=1")]
pub(crate) struct Extend {
    /// The bots. Without `diversity` a bot plays one game, whatever --games says.
    #[arg(required = true, value_name = "BOT")]
    bots: Vec<BotSpec>,
    /// The log. It is created if it does not exist.
    #[arg(long, value_name = "FILE")]
    log: PathBuf,
    /// Numbers of undrawn edges of the positions that are proved.
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "42")]
    undrawn: Vec<usize>,
    /// Games of each bot.
    #[arg(long, value_name = "N", default_value_t = 1)]
    games: u64,
    /// The seed of the first game; each further one has the next.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Rows and columns of boxes [default: those of the first bot's network, or 5x5].
    #[arg(long, value_name = "RxC", value_parser = |text: &str| text.parse::<Board>())]
    board: Option<Board>,
    /// Prove the margin, not only who wins.
    #[arg(long)]
    exact: bool,
    /// The budget of each position, in nodes of the search [default: no limit].
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    nodes: u64,
    /// The budget of each position, in seconds [default: no limit].
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    seconds: Option<Duration>,
    /// The number of nodes from which a result is logged. Those of the games' positions are in any case.
    #[arg(long, value_name = "N", default_value = "65536", value_parser = clap::value_parser!(u64).range(1..))]
    log_from: u64,
    /// Threads that prove together [default: one for each core].
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<u16>,
    /// The most memory for the table, in bytes, as in 512M or 16G.
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = parse_size)]
    table: usize,
    /// Print one JSON object for each position: `position`, `lead`, `settled`, `lower`, `upper`,
    /// `nodes`, `seconds`.
    #[arg(long)]
    json: bool,
}

/// A capture-free position of a game.
#[derive(Clone, Copy)]
struct Met {
    state: State,
    /// The lead of the player to move when all boxes on offer are taken.
    lead: i32,
}

impl Extend {
    pub fn run(self) -> Result<(), Failure> {
        let interrupted = interrupts()?;
        let board = self.board()?;
        let met = self.met(board, &interrupted)?;
        not_interrupted(&interrupted)?;
        if met.is_empty() {
            let edges = board.edges();
            print_notice(format_args!(
                "no game has a position with as many undrawn edges (lower --undrawn: {board} has {edges} edges)"
            ));
            return Ok(());
        }
        print_notice(format_args!("{} to prove", counted(met.len(), "position")));
        let mut log = open_log(&self.log, board)?;
        let mut solver = new_solver(board, self.table, self.threads)?;
        solver.keep_lemmas(self.log_from);
        for met in met {
            if interrupted.load(Relaxed) {
                break;
            }
            self.prove(met, &mut solver, &mut log, &interrupted)?;
        }
        not_interrupted(&interrupted)
    }

    /// The board of the games.
    fn board(&self) -> Result<Board, Failure> {
        let factory = self.bots.first().map(load_bot).transpose()?;
        let of_bot = || factory.and_then(|factory| factory.board()).map_or_else(|| Board::new(5, 5), Ok);
        self.board.map_or_else(of_bot, Ok).map_err(Failure::running)
    }

    /// Plays the games and returns their positions with the numbers of undrawn edges, each once.
    fn met(&self, board: Board, interrupted: &Arc<AtomicBool>) -> Result<Vec<Met>, Failure> {
        let least = self.undrawn.iter().copied().min().unwrap_or(0);
        let (mut met, mut seen) = (Vec::new(), HashSet::new());
        for spec in &self.bots {
            let factory = load_bot(spec)?;
            check_board(&factory, spec, board)?;
            let mut bot = factory.with_stop(interrupted.clone()).make();
            for game in 0..self.games {
                let (nonce, mut position) = (match_nonce(self.seed, game), Position::new(board));
                bot.start_game();
                while position.undrawn().len() >= least && !position.is_over() && !interrupted.load(Relaxed) {
                    if self.undrawn.contains(&position.undrawn().len()) {
                        let offer = position.state().offer();
                        let lead = position.lead() + offer.taken;
                        if seen.insert((offer.rest.canonical().0, lead)) {
                            met.push(Met { state: offer.rest, lead });
                        }
                    }
                    let edge = bot.choose(&position, nonce);
                    if position.play(edge).is_err() {
                        let error = anyhow::anyhow!(
                            "bot {} chose edge {}, which is drawn already",
                            shell_word(spec.name()),
                            board.edge_name(edge)
                        );
                        return Err(Failure::running(error));
                    }
                }
                bot.end_game();
            }
        }
        Ok(met)
    }

    /// Proves a position as far as the budget goes, and logs it.
    fn prove(
        &self,
        Met { state, lead }: Met,
        solver: &mut ParallelSolver,
        log: &mut ProofLog,
        interrupted: &AtomicBool,
    ) -> Result<(), Failure> {
        let board = state.board();
        let book = log.lemmas().to_book().map_err(Failure::damaged)?;
        solver.handle().add_book(&book);
        let start = Instant::now();
        let deadline = self.seconds.and_then(|seconds| start.checked_add(seconds));
        let mut bounds = book.bounds(state);
        let label = state.to_string();
        let mut monitor = Monitor::new(&label, solver.handle(), board, Some(&mut *log));
        let mut observer = |progress| monitor.show(progress) && !interrupted.load(Relaxed);
        let mut nodes = 0;
        while let Some(target) = self.open_target(bounds, lead) {
            let limits = Limits { nodes: self.nodes.saturating_sub(nodes), deadline };
            let reached = solver.is_at_least(state, target, limits, &mut observer);
            nodes += solver.nodes();
            let Some(reached) = reached else { break };
            bounds.answer(target, reached);
        }
        monitor.end()?;
        if bounds != Bounds::of_state(state) {
            log.append(&[Lemma { state, bounds, nodes }]).map_err(log_failure)?;
            log.sync().map_err(Failure::running)?;
        }
        let (seconds, Bounds { lower, upper }) = (start.elapsed().as_secs_f64(), bounds);
        let is_settled = self.open_target(bounds, lead).is_none();
        if self.json {
            print_json(&json!({
                "position": label, "lead": lead, "settled": is_settled, "lower": lower, "upper": upper, "nodes": nodes,
                "seconds": seconds,
            }));
        } else {
            let settled = if is_settled { "" } else { ", not settled" };
            print(format_args!(
                "{label}: margin {lower:+} to {upper:+}{settled} ({nodes} nodes, {seconds:.1} s, {} lemmas)\n",
                log.lemmas().len()
            ));
        }
        Ok(())
    }

    /// The next question whether the margin is at least this, or `None` if nothing is left to ask.
    fn open_target(&self, bounds: Bounds, lead: i32) -> Option<i32> {
        let is_open = |target: &i32| bounds.lower < *target && *target <= bounds.upper;
        match self.exact {
            true => (!bounds.is_exact()).then(|| bounds.next_target(-lead)),
            // Is it a win, and if not, is it a tie?
            false => [1 - lead, -lead].into_iter().find(is_open),
        }
    }
}
