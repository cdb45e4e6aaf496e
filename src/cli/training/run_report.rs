//! The report of a training run or a measurement on stderr: progress, and lines about what has
//! happened.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use clap::builder::styling::Style;

use crate::cli::terminal::count::counted;
use crate::cli::terminal::progress::{Progress, time_left};
use crate::cli::terminal::stderr::{Verbosity, is_at_least, print_after, print_detail, print_line, print_notice};
use crate::cli::training::train::plan::describe_phase;
use doublecross_core::shell::shell_word;
use doublecross_run::{Config, Event, Observer, Record, Task};

/// The number of generations whose mean time gives the time left.
const RECENT: usize = 10;

/// Shows a run's reports on stderr.
#[derive(Default)]
pub(crate) struct RunReport {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The task that is being worked on.
    current: Option<(Task, Progress)>,
    run: Option<RunState>,
}

/// The progress of a run as a whole.
struct RunState {
    generations: u64,
    /// The seconds after which the run ends, if the config has a limit.
    limit: Option<f64>,
    /// The newest generations and the run's seconds at their ends.
    ends: VecDeque<(u64, f64)>,
    /// The name of the suite that the run is scored on.
    suite: String,
    /// The best share of optimal searched edges on the suite.
    best: Option<f64>,
}

impl RunReport {
    /// The report of a run with this config.
    pub fn new(config: &Config) -> RunReport {
        let limit = config.resources.minutes.map(|minutes| 60.0 * minutes);
        let suite = match config.boards()[..] {
            [board] => config.suite_on(board).name(),
            _ => "suite".into(),
        };
        let run = RunState { generations: config.generations, limit, ends: VecDeque::new(), suite, best: None };
        RunReport { state: Mutex::new(State { current: None, run: Some(run) }) }
    }

    /// Takes note of the best score on the suite of the run's generations so far.
    pub fn set_best(&self, best: Option<f64>) {
        if let Ok(State { run: Some(run), .. }) = self.state.lock().as_deref_mut() {
            run.best = best;
        }
    }

    fn show(&self, task: Task, done: usize, total: usize) {
        let Ok(mut state) = self.state.lock() else { return };
        if state.current.as_ref().is_none_or(|(shown, _)| *shown != task) {
            let run = state.run.as_ref().zip(generation(task)).map(|(run, generation)| run.line(generation));
            state.current = Some((task, Progress::within(run, label(task), total)));
        }
        if let Some((_, progress)) = &state.current {
            progress.at(done);
        }
    }

    fn end(&self, task: Task) {
        let Ok(mut state) = self.state.lock() else { return };
        if let Some((_, progress)) = state.current.take_if(|(shown, _)| *shown == task) {
            progress.finish();
        }
    }

    fn finish(&self, record: &Record, generations: u64) {
        let Ok(mut state) = self.state.lock() else { return };
        let run = state.run.get_or_insert_with(|| RunState {
            generations,
            limit: None,
            ends: VecDeque::new(),
            suite: "suite".into(),
            best: None,
        });
        run.finish(record);
        let Lines { generation, losses, figures, details } = run.lines(record);
        let bold = Style::new().bold();
        if is_at_least(Verbosity::Normal) {
            print_after(&format!("{bold}{generation}{bold:#}"), &format!(": {losses}"));
        }
        figures.iter().for_each(|line| print_notice(format_args!("  {line}")));
        details.iter().for_each(|line| print_detail(format_args!("  {line}")));
    }
}

impl Observer for RunReport {
    fn report(&self, event: Event<'_>) {
        match event {
            Event::Progress { task, done, total } => self.show(task, done, total),
            Event::Ended(task) => self.end(task),
            Event::OtherBoard { path, from, to } => {
                print_notice(format_args!("{} goes on from {from} to {to}", shell_word(path)));
            }
            Event::Grown { path, from, to } => {
                print_notice(format_args!("{} grows from {from} to {to}", shell_word(path)));
            }
            Event::PhaseBegun { phase, .. } => print_notice(format_args!("{}", describe_phase(phase))),
            Event::ShortSuite { board, asked, found, settled } => print_line(format_args!(
                "suite.positions = {asked}: the suite of {board} has {settled}; {found} positions were\n\
                 found, and suite.nodes settled {settled} of them"
            )),
            Event::GamesKept { generation, count } => print_notice(format_args!(
                "generation {generation}: {} of its games and labeled positions already there",
                counted(count, "item")
            )),
            Event::NoSamples { generation } => {
                print_line(format_args!("generation {generation}: not one position to learn from"));
            }
            Event::ProgressRestored { restored, lost } => {
                let lost = if lost > 0 { format!("; {lost} are lost") } else { String::new() };
                print_line(format_args!("progress.jsonl: {restored} missing or damaged lines are restored{lost}"));
            }
            Event::Extended { before, after, learning_rates: [old, new], course } => print_line(format_args!(
                "generations {before} -> {after}: the next learning rate is {new:.2e} instead of {old:.2e};\n\
                 --set learn.schedule_generations={course} keeps its course and holds its end"
            )),
            Event::TensorBoardLost => print_line(format_args!(
                "TensorBoard's files cannot be written any more; the run goes on, and\n\
                 progress.jsonl has its figures"
            )),
            Event::GenerationFinished { record, generations } => self.finish(record, generations),
        }
    }
}

/// The label of a task's progress.
fn label(task: Task) -> String {
    match task {
        Task::Games { generation } => format!("generation {generation}: games"),
        Task::Labeling { generation } => format!("generation {generation}: positions labeled"),
        Task::Learning { generation } => format!("generation {generation}: samples learned"),
        Task::SolvingSuite => "positions of the suite solved".into(),
        Task::ScoringSuite => "positions of the suite scored".into(),
        Task::Verifying => "games played again".into(),
        Task::Measuring => "rounds measured".into(),
    }
}

/// The generation that a task is a part of.
fn generation(task: Task) -> Option<u64> {
    match task {
        Task::Games { generation } | Task::Labeling { generation } | Task::Learning { generation } => Some(generation),
        Task::SolvingSuite | Task::ScoringSuite | Task::Verifying | Task::Measuring => None,
    }
}

/// The lines about a generation.
struct Lines {
    /// The generation and the time left.
    generation: String,
    losses: String,
    /// Further figures, then scores if any were taken.
    figures: Vec<String>,
    /// Figures that are seldom of interest.
    details: Vec<String>,
}

impl RunState {
    /// Takes note of a generation's time and score.
    fn finish(&mut self, record: &Record) {
        self.ends.push_back((record.generation, record.seconds));
        if self.ends.len() > RECENT + 1 {
            self.ends.pop_front();
        }
        if let Some(score) = &record.suite {
            self.best = Some(self.best.map_or(score.search_optimal, |best| best.max(score.search_optimal)));
        }
    }

    /// The time to the end of the run, or `None` if it is over or not one generation has ended.
    fn left(&self) -> Option<Duration> {
        let &(generation, seconds) = self.ends.back()?;
        let (first, begin) = match self.ends.front() {
            Some(&end) if self.ends.len() > 1 => end,
            _ => (0, 0.0),
        };
        let mean = (seconds - begin) / generation.checked_sub(first).filter(|&count| count > 0)? as f64;
        let left = mean * self.generations.saturating_sub(generation) as f64;
        let left = self.limit.map_or(left, |limit| left.min(limit - seconds));
        Duration::try_from_secs_f64(left).ok().filter(|left| *left > Duration::ZERO)
    }

    /// The progress of the run as a whole, in a generation that has not ended.
    fn line(&self, generation: u64) -> String {
        let left = self.left().map_or(String::new(), |left| format!(", {}", time_left(left)));
        let best = self.best.map_or(String::new(), |best| format!(", best search {:.1} %", 100.0 * best));
        format!("generation {generation}/{}{left}{best}", self.generations)
    }

    /// The lines about the generation that has just ended, each of at most 80 columns.
    fn lines(&self, record: &Record) -> Lines {
        let left = self.left().map_or(String::new(), |left| format!(", {}", time_left(left)));
        let (policy, margin) = (record.policy_loss, record.margin_loss);
        let generation = format!("generation {}/{}{left}", record.generation, self.generations);
        let losses = format!("policy loss {policy:.3}, margin loss {margin:.3}");
        let margin_error = record.margin_error.map_or(String::new(), |error| format!("margin error {error:.2}, "));
        let rates = record.rates.map_or(String::new(), |rates| {
            let decimals = if rates.games_per_second < 1000.0 { 1 } else { 0 };
            let learning = 100.0 * rates.share_learning;
            format!(", learning {learning:.0} %, {:.decimals$} games/s", rates.games_per_second)
        });
        let (games, samples) = (short(record.games), short(record.samples));
        let mut figures = vec![format!("{margin_error}{games} games, {samples} samples{rates}")];
        figures.extend(record.suite.as_ref().map(|score| {
            let percent = |share: f64| format!("{:.1} %", 100.0 * share);
            let best = self.best.map_or(String::new(), |best| format!(" (best {:.1})", 100.0 * best));
            let name = match self.suite.as_str() {
                _ if !score.boards.is_empty() => "mean of suites".into(),
                "suite" => "suite".into(),
                name => format!("suite {name}"),
            };
            format!(
                "{name}: policy {}, search {}{best}, error {:.2}",
                percent(score.policy_optimal),
                percent(score.search_optimal),
                score.margin_error
            )
        }));
        let mut details =
            vec![format!("{:.0} s in all, {} samples in the window", record.seconds, record.window_samples)];
        details.extend(record.suite.as_ref().filter(|score| !score.boards.is_empty()).map(|score| {
            let of_board = |(board, share): (&String, &f64)| format!("{board} {:.1} %", 100.0 * share);
            format!("searched: {}", score.boards.iter().map(of_board).collect::<Vec<_>>().join(", "))
        }));
        let sign = record.suite.as_ref().and_then(|score| score.sign_agreement);
        details.extend(sign.map(|share| format!("suite: sign right {:.1} %", 100.0 * share)));
        if let Some(rates) = record.rates {
            details.push(format!("{} evaluations/s", short(rates.evaluations_per_second as u64)));
            details.push(format!(
                "network {:.0} %, solver {:.0} %, leaves {:.0} %, search {:.0} %, labeling {:.0} %",
                100.0 * rates.share_network,
                100.0 * rates.share_solver,
                100.0 * rates.share_leaves,
                100.0 * rates.share_search,
                100.0 * rates.share_labeling
            ));
        }
        Lines { generation, losses, figures, details }
    }
}

/// Formats a count in at most five digits, with a unit where it needs more.
fn short(count: u64) -> String {
    match count {
        count if count < 100_000 => count.to_string(),
        count if count < 10_000_000 => format!("{}k", count / 1000),
        count => format!("{}M", count / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_run::{GenerationRates, SuiteScore};

    fn run(generations: u64, minutes: Option<f64>, best: Option<f64>) -> RunState {
        let mut config = Config { generations, ..Config::default() };
        config.resources.minutes = minutes;
        let report = RunReport::new(&config);
        report.set_best(best);
        report.state.into_inner().unwrap().run.unwrap()
    }

    fn ended(generation: u64, seconds: f64) -> Record {
        Record { generation, seconds, ..Record::default() }
    }

    #[test]
    fn the_time_left_follows_the_newest_generations() {
        let mut limitless = run(100, None, None);
        assert_eq!(limitless.left(), None);
        assert_eq!(limitless.line(1), "generation 1/100");
        // After a resume, the mean of the whole run is all that is known.
        limitless.finish(&ended(20, 100.0));
        assert_eq!(limitless.left(), Some(Duration::from_secs(400)));
        for generation in 21..=40 {
            limitless.finish(&ended(generation, 100.0 + 10.0 * (generation - 20) as f64));
        }
        assert_eq!(limitless.left(), Some(Duration::from_secs(600)));
        assert_eq!(limitless.line(41), "generation 41/100, 10 min left");
        limitless.finish(&ended(100, 1000.0));
        assert_eq!(limitless.left(), None);
        let mut limited = run(100, Some(1.0), Some(0.5));
        limited.finish(&ended(2, 20.0));
        assert_eq!(limited.line(3), "generation 3/100, 40 s left, best search 50.0 %");
    }

    #[test]
    fn a_generation_is_reported_in_short_lines() {
        let rates = GenerationRates {
            games_per_second: 26.04,
            evaluations_per_second: 1234.6,
            share_learning: 0.256,
            ..GenerationRates::default()
        };
        let mut record = Record {
            generation: 3,
            games: 120,
            samples: 4567,
            policy_loss: 1.2344,
            margin_loss: 0.5,
            margin_error: Some(0.256),
            seconds: 61.4,
            rates: Some(rates),
            ..Record::default()
        };
        let mut whole = run(40, None, Some(0.785));
        whole.finish(&record);
        let lines = whole.lines(&record);
        assert_eq!(lines.generation, "generation 3/40, 12 min left");
        assert_eq!(lines.losses, "policy loss 1.234, margin loss 0.500");
        assert_eq!(lines.figures, ["margin error 0.26, 120 games, 4567 samples, learning 26 %, 26.0 games/s"]);
        // As after a kill, in a generation of which nothing was proved.
        (record.rates, record.margin_error) = (None, None);
        record.suite = Some(SuiteScore {
            policy_optimal: 0.5,
            search_optimal: 0.75,
            margin_error: 1.25,
            sign_agreement: Some(1.0),
            boards: Default::default(),
        });
        assert_eq!(
            whole.lines(&record).figures,
            ["120 games, 4567 samples", "suite: policy 50.0 %, search 75.0 % (best 78.5), error 1.25"]
        );
        whole.suite = "4x4-default".into();
        assert!(whole.lines(&record).figures[1].starts_with("suite 4x4-default: policy 50.0 %"));
    }

    #[test]
    fn no_line_is_longer_than_80_columns() {
        let rates = GenerationRates {
            games_per_second: 12345.6,
            evaluations_per_second: 12_345_678.9,
            share_network: 1.0,
            share_solver: 1.0,
            share_leaves: 1.0,
            share_search: 1.0,
            share_learning: 1.0,
            ..GenerationRates::default()
        };
        let record = Record {
            generation: 99_998,
            games: 9_999_999,
            samples: 9_999_999_999,
            window_samples: 99_999_999,
            policy_loss: 12.3456,
            margin_loss: 12.3456,
            margin_error: Some(12.3456),
            seconds: 1e7,
            rates: Some(rates),
            suite: Some(SuiteScore {
                policy_optimal: 1.0,
                search_optimal: 1.0,
                margin_error: 12.345,
                sign_agreement: Some(1.0),
                boards: Default::default(),
            }),
            ..Record::default()
        };
        let mut whole = run(99_999, None, None);
        whole.finish(&record);
        let Lines { generation, losses, figures, details } = whole.lines(&record);
        assert!(generation.len() + 2 + losses.len() <= 80 && whole.line(99_999).len() <= 80, "{generation}: {losses}");
        for line in figures.iter().chain(&details) {
            assert!(line.len() + 2 <= 80, "{line}: {}", line.len() + 2);
        }
    }
}
