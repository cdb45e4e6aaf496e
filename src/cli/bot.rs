//! `doublecross bot`

use std::io::{self, BufRead, Write, stdin, stdout};

use clap::Args;

use super::stdin::Lines;
use super::{Failure, chosen_isa, interrupts, load_bot, not_interrupted};
use crate::arena::{self, BotSpec};
use crate::export::{BundledBot, Submission};
use crate::protocol::respond;
use crate::search::{Budget, MOST_SIMULATIONS};
use crate::stderr::print_line;

/// Play the arena's JSON: one observation a line on stdin, one action a line on stdout.
#[derive(Debug, Args)]
#[command(after_help = "Any line gets an action: a legal one wherever the edges can be read.")]
pub(super) struct Bot {
    /// As in `doublecross match`.
    bot: BotSpec,
}

impl Bot {
    pub fn run(self) -> Result<(), Failure> {
        let factory = load_bot(&self.bot)?;
        if !self.bot.is_external() {
            let mut bot = factory.make();
            return answer_lines(stdin().lock().split(b'\n'), |line| answer(&mut *bot, line));
        }
        // A bot in a process of its own does not outlive this one.
        let stop = interrupts()?;
        let mut bot = factory.with_stop(stop.clone()).make();
        let mut is_told = false;
        let lines = Lines::new(stop.clone());
        answer_lines(lines, |line| {
            let action = answer(&mut *bot, line);
            if let (false, Some(trouble)) = (is_told, bot.trouble()) {
                print_line(format_args!("{}: {trouble}", self.bot.name()));
                is_told = true;
            }
            action
        })?;
        not_interrupted(&stop)
    }
}

fn answer(bot: &mut dyn arena::Bot, line: &[u8]) -> String {
    respond(line, |position, nonce| {
        if position.drawn().is_empty() {
            bot.start_game();
        }
        bot.choose(position, nonce)
    })
}

/// Plays the bot that stands behind this program.
pub(super) fn play_bundled(bot: &BundledBot) -> Result<(), Failure> {
    let budget = Budget::new((bot.simulations as usize).min(MOST_SIMULATIONS), bot.nodes as u64);
    let mut bot = Submission::new(&bot.weights, budget, chosen_isa()?).map_err(Failure::input)?;
    answer_lines(stdin().lock().split(b'\n'), |line| bot.act(line))
}

/// Answers each line on stdout, until there are no more or nobody reads.
fn answer_lines(
    lines: impl Iterator<Item = io::Result<Vec<u8>>>,
    mut act: impl FnMut(&[u8]) -> String,
) -> Result<(), Failure> {
    let mut output = stdout().lock();
    for line in lines {
        let action = act(line.map_err(Failure::running)?.trim_ascii());
        match writeln!(output, "{action}").and_then(|()| output.flush()) {
            // Nobody reads the answers any more.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            result => result.map_err(Failure::running)?,
        }
    }
    Ok(())
}
