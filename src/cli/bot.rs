//! `doublecross bot`: a bot that speaks the arena's protocol on stdin and stdout.

use std::collections::BTreeSet;
use std::io::{self, Write, stdin, stdout};

use clap::Args;

use crate::cli::terminal::external::{ExternalOptions, trouble_text};
use crate::cli::terminal::stderr::print_line;
use crate::cli::terminal::stdin::StdinLines;
use crate::cli::{Failure, chosen_isa, interrupts, load_bot, not_interrupted};
use crate::export::BundledBot;
use doublecross::built_in::built_in;
use doublecross_arena::{BotSpec, bot_help};
use doublecross_core::net::Weights;
use doublecross_core::protocol::{LastTurn, Line, Lines, MAX_LINE, Response, response, trim_line};
use doublecross_core::search::{Budget, MOST_SIMULATIONS};
use doublecross_core::submission::Submission;

/// Run a bot as a program for an arena: observations on stdin, actions on stdout.
///
/// Reads one observation as JSON on each line of stdin and answers each with one action as JSON on
/// a line of stdout. Any line at all gets an action, and a legal one if its edges can be read.
/// Faults of the lines are reported once on stderr. The protocol is described in docs/protocol.md.
#[derive(Debug, Args)]
#[command(after_help = bot_help())]
pub(crate) struct Bot {
    /// The bot, as listed below.
    bot: BotSpec,
    #[command(flatten)]
    external: ExternalOptions,
}

impl Bot {
    pub fn run(self) -> Result<(), Failure> {
        let factory = load_bot(&self.bot)?;
        let mut last = LastTurn::default();
        if !self.bot.is_external() {
            let mut bot = factory.make();
            return answer_lines(Lines(stdin().lock()), |line| answer(&mut *bot, &mut last, line));
        }
        // After a signal, the processes of the bot are ended before this one ends.
        let stop = interrupts()?;
        let launch = self.external.launch([&self.bot].into_iter(), None)?;
        let factory = factory.with_limits(self.external.limits());
        let mut bot = factory.with_launch(launch).with_stop(stop.clone()).make();
        let mut is_reported = false;
        let lines = StdinLines::new(stop.clone())?;
        answer_lines(lines, |line| {
            let action = answer(&mut *bot, &mut last, line);
            if let (false, Some(trouble)) = (is_reported, bot.trouble()) {
                print_line(format_args!("{}", trouble_text(self.bot.name(), &trouble)));
                is_reported = true;
            }
            action
        })?;
        not_interrupted(&stop)
    }
}

/// Returns the response to a line.
fn answer(bot: &mut dyn doublecross_arena::Bot, last: &mut LastTurn, line: &[u8]) -> Response {
    response(line, |position, nonce| {
        if last.begins_game(position.state(), nonce) {
            bot.start_game();
        }
        bot.choose(position, nonce)
    })
}

/// Plays the bot that is appended to this program.
pub(crate) fn play_bundled(bot: &BundledBot) -> Result<(), Failure> {
    let budget = Budget::new((bot.simulations as usize).min(MOST_SIMULATIONS), bot.nodes as u64);
    let board = Weights::from_bytes(&bot.weights).map_err(Failure::input)?.board;
    let bot = Submission::new(&bot.weights, budget, chosen_isa()?).map_err(Failure::input)?;
    let mut bot = built_in().books.of(board).into_iter().fold(bot, |bot, book| bot.with_book(book.clone()));
    answer_lines(Lines(stdin().lock()), |line| bot.respond(line))
}

/// Prints the action for each line that holds something, until the lines end or stdout is closed.
/// Troubles with the lines are reported on stderr, once for each field.
fn answer_lines(
    lines: impl Iterator<Item = io::Result<Line>>,
    mut respond: impl FnMut(&[u8]) -> Response,
) -> Result<(), Failure> {
    let mut output = stdout().lock();
    let mut reported = BTreeSet::new();
    for (index, line) in lines.enumerate() {
        let Line { bytes, is_cut } = line.map_err(Failure::running)?;
        let bytes = trim_line(&bytes);
        if bytes.is_empty() {
            continue;
        }
        let Response { action, trouble } = respond(bytes);
        match writeln!(output, "{action}").and_then(|()| output.flush()) {
            // The arena has closed the pipe.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            result => result.map_err(Failure::running)?,
        }
        if is_cut && reported.insert("length") {
            print_line(format_args!("stdin, line {}: only its first {MAX_LINE} bytes are read", index + 1));
        }
        if let Some(trouble) = trouble.filter(|trouble| reported.insert(trouble.field())) {
            print_line(format_args!("stdin, line {}: {trouble} (the bot plays by what can be read)", index + 1));
        }
    }
    Ok(())
}
