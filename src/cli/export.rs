//! `doublecross export`: bots that play without this program.

use std::fs;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, ValueEnum, value_parser};

use crate::cli::terminal::force::Force;
use crate::cli::terminal::stderr::print_line;
use crate::cli::{Failure, cannot_write, check_plays, print};
use crate::export::{BundledBot, bundle, onnx, safetensors, source_file, wasm_module};
use doublecross::built_in::built_in;
use doublecross_core::board::Board;
use doublecross_core::net::Weights;
use doublecross_core::search::MOST_SIMULATIONS;
use doublecross_core::shell::shell_word;
use doublecross_files::OutputFolder;
use doublecross_run::load_weights;

/// The most bytes of a module that every arena is likely to accept.
const LARGE_MODULE: usize = 2 << 20;

/// Write a checkpoint as a bot that plays without this program.
///
/// Takes seconds and needs no compiler. The bot's budget for a move is counted in simulations and
/// solver nodes, not in time, so that it needs no clock. The module plays the same on every machine,
/// the source and the bundle on machines with the same instruction set. The forms are described in
/// docs/export.md.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross export checkpoints/5x5 --to bots/5x5
  doublecross export checkpoints/3x3 --to bots/3x3 --form wasm --sims 400")]
pub(crate) struct Export {
    /// A weights file (.dxw or .safetensors), a checkpoint's folder or a run's folder.
    checkpoint: PathBuf,
    /// The folder to write to.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The board of the bot's network, for a checkpoint that was trained on several. Without it the
    /// bot plays every board with the network.
    #[arg(long, value_name = "RxC")]
    board: Option<Board>,
    /// A form to write; may be given more than once [default: all].
    #[arg(long, value_name = "FORM")]
    form: Vec<Form>,
    /// Simulations of the search for each move.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = value_parser!(u32).range(..=MOST_SIMULATIONS as i64))]
    sims: u32,
    /// The exact solver's budget for the position on the board, in nodes; for each visit of a
    /// position in the search tree it is a hundredth of that, at most 256.
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    solver_nodes: u32,
    #[command(flatten)]
    force: Force,
}

/// A form in which a bot is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A WebAssembly module, bot.wasm, and a description of its functions, ABI.md.
    Wasm,
    /// One Rust file, bot.rs, which needs the standard library alone.
    Source,
    /// A copy of this program that is the bot, named bot: observations on stdin, actions on stdout.
    Bundle,
    /// The network for ONNX runtimes, network.onnx.
    Onnx,
    /// The network's tensors for other tools, weights.safetensors.
    Safetensors,
}

impl Form {
    /// The names of the files that the form writes.
    fn files(self) -> Vec<String> {
        match self {
            Form::Wasm => vec!["bot.wasm".into(), "ABI.md".into()],
            Form::Source => vec!["bot.rs".into()],
            Form::Bundle => vec![format!("bot{}", std::env::consts::EXE_SUFFIX)],
            Form::Onnx => vec!["network.onnx".into()],
            Form::Safetensors => vec!["weights.safetensors".into()],
        }
    }
}

impl Export {
    pub fn run(self) -> Result<(), Failure> {
        let mut network = load_weights(&self.checkpoint).map_err(Failure::input)?;
        if let Some(board) = self.board {
            check_plays(&network, board)?;
            if !network.is_trained_on(board) {
                print_line(format_args!("the network was not trained on {board}: it may play badly there"));
            }
            if !network.other_boards.is_empty() {
                network = on_board(&network, board);
            }
        }
        let weights = network.to_bytes();
        let book = built_in().books.of(network.board).map(AsRef::as_ref);
        let forms = if self.form.is_empty() { Form::value_variants() } else { &self.form };
        self.force.check(forms.iter().flat_map(|form| form.files()).map(|name| self.to.join(name)))?;
        let folder = OutputFolder::create(&self.to).map_err(cannot_write(&self.to))?;
        for form in forms {
            match form {
                Form::Wasm => {
                    let module = wasm_module(&weights, book, self.sims, self.solver_nodes).map_err(Failure::running)?;
                    self.write(&folder, "bot.wasm", &module)?;
                    if module.len() > LARGE_MODULE {
                        print_line(format_args!(
                            "bot.wasm has more than {} MiB: an arena may not accept it",
                            LARGE_MODULE >> 20
                        ));
                    }
                    self.write(&folder, "ABI.md", include_bytes!("../export/template/ABI.md"))?;
                }
                Form::Source => {
                    let source = source_file(&weights, book, self.sims, self.solver_nodes);
                    self.write(&folder, "bot.rs", source.as_bytes())?;
                }
                Form::Bundle => self.bundle(&folder, &weights)?,
                Form::Onnx => self.write(&folder, "network.onnx", &onnx(&network))?,
                Form::Safetensors => self.write(&folder, "weights.safetensors", &safetensors(&network))?,
            }
        }
        Ok(())
    }

    /// Writes a copy of the running program that starts as the bot.
    fn bundle(&self, folder: &OutputFolder, weights: &[u8]) -> Result<(), Failure> {
        let own = std::env::current_exe().and_then(|path| Ok((fs::read(&path)?, fs::metadata(&path)?.permissions())));
        let (program, permissions) =
            own.map_err(|error| Failure::running(anyhow!("cannot read this program: {error}")))?;
        let bot = BundledBot { weights: weights.to_vec(), simulations: self.sims, nodes: self.solver_nodes };
        let name = format!("bot{}", std::env::consts::EXE_SUFFIX);
        self.write(folder, &name, &bundle(&program, &bot))?;
        fs::set_permissions(self.to.join(&name), permissions).map_err(Failure::running)
    }

    /// Writes a file to the folder, and prints its path and size.
    fn write(&self, folder: &OutputFolder, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = folder.write(name, bytes).map_err(cannot_write(&self.to.join(name)))?;
        print(format_args!("{} ({} bytes)\n", shell_word(&path), bytes.len()));
        Ok(())
    }
}

/// Returns a network of several boards on one of them, with canaries where training is built in.
fn on_board(network: &Weights, board: Board) -> Weights {
    let network = network.on(board);
    #[cfg(feature = "train")]
    let network = doublecross_train::with_canaries(network);
    if network.canaries.is_empty() {
        print_line(format_args!(
            "the exported network has no self-test: this program was built without training (build it with --features train)"
        ));
    }
    network
}
