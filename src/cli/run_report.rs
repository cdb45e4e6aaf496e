//! The report of a training run or a measurement on stderr: progress, and lines about what has
//! happened.

use std::sync::Mutex;

use super::progress::Progress;
use crate::stderr::print_line;
use crate::train::{Event, Observer, Record, Task};

/// Shows a run's reports on stderr.
#[derive(Default)]
pub(super) struct RunReport {
    /// The task that is being worked on.
    current: Mutex<Option<(Task, Progress)>>,
}

impl RunReport {
    fn show(&self, task: Task, done: usize, total: usize) {
        let Ok(mut current) = self.current.lock() else { return };
        if current.as_ref().is_none_or(|(shown, _)| *shown != task) {
            *current = Some((task, Progress::new(label(task), total)));
        }
        if let Some((_, progress)) = &*current {
            progress.at(done);
        }
    }

    fn end(&self, task: Task) {
        let Ok(mut current) = self.current.lock() else { return };
        if let Some((_, progress)) = current.take_if(|(shown, _)| *shown == task) {
            progress.finish();
        }
    }
}

impl Observer for RunReport {
    fn report(&self, event: Event<'_>) {
        match event {
            Event::Progress { task, done, total } => self.show(task, done, total),
            Event::Ended(task) => self.end(task),
            Event::Grown { path, from, to } => {
                print_line(format_args!("{} grows from {from} to {to}", path.display()));
            }
            Event::ShortSuite { asked, found, settled } => print_line(format_args!(
                "suite.positions = {asked}: there are {settled}; {found} were found, and suite.nodes settled so many"
            )),
            Event::NoSamples { generation } => {
                print_line(format_args!("generation {generation}: not one position to learn from"));
            }
            Event::ProgressRestored { restored, lost } => {
                let lost = if lost > 0 { format!("; {lost} are lost") } else { String::new() };
                print_line(format_args!(
                    "progress.jsonl was damaged: {restored} of its lines are restored from the checkpoints{lost}"
                ));
            }
            Event::Extended { before, after, learning_rates: [old, new] } => print_line(format_args!(
                "generations {before} -> {after}: the learning rate of the next generation is {new:.2e} instead of {old:.2e};\n\
                 --set learn.schedule_generations={before} keeps its course and holds it at its end"
            )),
            Event::TensorBoardLost => print_line(format_args!(
                "TensorBoard's files cannot be written any more; the run goes on, and progress.jsonl has its figures"
            )),
            Event::GenerationFinished { record, generations } => {
                lines(record, generations).iter().for_each(|line| print_line(format_args!("{line}")));
            }
        }
    }
}

/// The label of a task's progress.
fn label(task: Task) -> String {
    match task {
        Task::Games { generation } => format!("generation {generation}: games"),
        Task::Labelling { generation } => format!("generation {generation}: positions labelled"),
        Task::Learning { generation } => format!("generation {generation}: samples learned"),
        Task::SolvingSuite => "positions of the suite solved".into(),
        Task::ScoringSuite => "positions of the suite scored".into(),
        Task::Measuring => "rounds measured".into(),
    }
}

/// The lines about a generation of so many: its figures, then its scores if any were taken.
fn lines(record: &Record, generations: u64) -> Vec<String> {
    let margin_error = record.margin_error.map_or(String::new(), |error| format!("margin error {error:.2}, "));
    let rates = record.rates.map_or(String::new(), |rates| {
        format!(
            "{:.1} games/s, {:.0} evaluations/s, learning {:.0} %, ",
            rates.games_per_second,
            rates.evaluations_per_second,
            100.0 * rates.share_learning
        )
    });
    let figures = format!(
        "generation {}/{generations}: {} games, {} samples, policy loss {:.3}, margin loss {:.3}, \
         {margin_error}{rates}{:.0} s in all",
        record.generation, record.games, record.samples, record.policy_loss, record.margin_loss, record.seconds
    );
    let scores = record.suite.map(|score| {
        let sign = score.sign_agreement.map_or(String::new(), |share| format!(", sign right {:.1} %", 100.0 * share));
        format!(
            "on the suite: policy optimal {:.1} %, searched {:.1} %, margin error {:.2}{sign}",
            100.0 * score.policy_optimal,
            100.0 * score.search_optimal,
            score.margin_error
        )
    });
    [figures].into_iter().chain(scores).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{GenerationRates, SuiteScore};

    #[test]
    fn a_generation_is_reported_in_one_or_two_lines() {
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
        assert_eq!(
            lines(&record, 40),
            ["generation 3/40: 120 games, 4567 samples, policy loss 1.234, margin loss 0.500, margin error 0.26, \
              26.0 games/s, 1235 evaluations/s, learning 26 %, 61 s in all"]
        );
        // As after a kill, in a generation of which nothing was proved.
        (record.rates, record.margin_error) = (None, None);
        record.suite = Some(SuiteScore {
            policy_optimal: 0.5,
            search_optimal: 0.75,
            margin_error: 1.25,
            sign_agreement: Some(1.0),
        });
        assert_eq!(
            lines(&record, 40),
            [
                "generation 3/40: 120 games, 4567 samples, policy loss 1.234, margin loss 0.500, 61 s in all",
                "on the suite: policy optimal 50.0 %, searched 75.0 %, margin error 1.25, sign right 100.0 %"
            ]
        );
    }
}
