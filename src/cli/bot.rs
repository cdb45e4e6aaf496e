//! `doublecross bot`

use std::io::{BufRead, Write};

use clap::Args;

use super::{Failure, chosen_path, load_bot};
use crate::arena::BotSpec;
use crate::export::{Bundled, HandedIn};
use crate::search::{Budget, MOST_SIMULATIONS};
use crate::wire::respond;

/// Play the arena's JSON: one observation a line on stdin, one action a line on stdout.
#[derive(Debug, Args)]
#[command(after_help = "Any line gets an action: a legal one wherever the edges can be read.")]
pub(super) struct Bot {
    /// As in `doublecross match`.
    bot: BotSpec,
}

impl Bot {
    pub fn run(self) -> Result<(), Failure> {
        let mut bot = load_bot(&self.bot)?.make();
        answer_lines(|line| {
            respond(line, |position, nonce| {
                if position.drawn().is_empty() {
                    bot.start_game();
                }
                bot.choose(position, nonce)
            })
        })
    }
}

/// Plays the bot that stands behind this program.
pub(super) fn play_bundled(bot: &Bundled) -> Result<(), Failure> {
    let budget = Budget::new((bot.simulations as usize).min(MOST_SIMULATIONS), bot.nodes as u64);
    let mut bot = HandedIn::with_path(&bot.weights, budget, chosen_path()?).map_err(Failure::input)?;
    answer_lines(|line| bot.act(line))
}

/// Answers each line of stdin on stdout, until there are no more or nobody reads.
fn answer_lines(mut act: impl FnMut(&[u8]) -> String) -> Result<(), Failure> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(Failure::running)? == 0 {
            return Ok(());
        }
        let action = act(line.trim_ascii());
        match writeln!(output, "{action}").and_then(|()| output.flush()) {
            // Nobody reads the answers any more.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            result => result.map_err(Failure::running)?,
        }
    }
}
