//! The plan of a training run, printed before it begins.

use crate::cli::terminal::stderr::{print_detail, print_line, print_notice};
use doublecross_run::config::{Course, LearnConfig};
use doublecross_run::{Config, Phase, Processor};
use doublecross_train::gpu_name;

/// The most columns of a line.
const COLUMNS: usize = 80;

/// Prints what a run is going to do after the generations that are done.
pub(crate) fn print_plan(config: &Config, done: u64) {
    let Config { board, generations, .. } = config;
    let first = config.at(1);
    let (selfplay, learn) = (&first.selfplay, &first.learn);
    print_detail(format_args!(
        "{board}, network {}, {generations} generations on {} threads\n\
         each: {} games of {} simulations, window of {} samples, batches of {}",
        first.architecture(),
        config.resources.players(),
        selfplay.games,
        selfplay.simulations,
        learn.window_samples,
        learn.batch
    ));
    if let (Processor::Gpu, Ok(name)) = (config.resources.learn_device, gpu_name()) {
        print_notice(format_args!("learning on the GPU {name}, which compiles its kernels in the first steps"));
    }
    if let Some(mixture) = &config.mixture {
        print_notice(format_args!("one network of several boards: {mixture}"));
    }
    for course in courses(config) {
        print_notice(format_args!("{course}"));
    }
    // The parts of a run that has begun stay.
    if let Some(notice) = idle_learners(config).filter(|_| done == 0) {
        print_notice(format_args!("{notice}"));
    }
    let (reached, beyond): (Vec<&Phase>, _) = config.phases.iter().partition(|phase| phase.from <= config.generations);
    for phase in reached {
        print_notice(format_args!("{}", describe_phase(phase)));
    }
    for phase in beyond {
        let last = config.generations;
        print_line(format_args!("the phase from generation {} is left out: generation {last} is the last", phase.from));
    }
}

/// Returns a line for each course of the learning rate.
fn courses(config: &Config) -> Vec<String> {
    let describe = |first| {
        let Course { last, .. } = Course::at(config, first);
        let learn = config.at(first).learn;
        let (from, to) = (learn.learning_rate, learn.final_learning_rate);
        format!("learning rate: {from} to {to} over generations {first} to {last}")
    };
    let begins = |&first: &u64| Course::at(config, first).first == first && first <= config.generations;
    config.first_generations().filter(begins).map(describe).collect()
}

/// Returns a notice if parts of a batch are too few for all threads and could be smaller.
fn idle_learners(config: &Config) -> Option<String> {
    const SMALL_PARTS: [usize; 3] = [8, 16, 32];
    let (threads, LearnConfig { batch, part, .. }) = (config.resources.players(), config.at(1).learn);
    let busy_with = |part: usize| batch.div_ceil(part).min(threads);
    let busy = busy_with(part);
    // The last, and so the largest, of those that keep most threads busy, which takes the least time for a sample.
    let small = SMALL_PARTS.into_iter().max_by_key(|&part| busy_with(part))?;
    let is_idle = config.resources.learn_device == Processor::Cpu && busy_with(small) > busy;
    is_idle.then(|| {
        format!(
            "learning keeps {busy} of {threads} threads busy; a new run with --set learn.part={small}\n  \
             keeps {} busy, each of them for longer",
            busy_with(small)
        )
    })
}

/// Returns the changes of a phase, in lines that fit.
pub(crate) fn describe_phase(phase: &Phase) -> String {
    let mut text = format!("from generation {}: ", phase.from);
    let mut columns = text.len();
    for (index, (key, value)) in phase.changes().enumerate() {
        let change = format!("{} = {value}", key.path);
        if index > 0 {
            let is_full = columns + 2 + change.len() > COLUMNS;
            text += if is_full { ",\n  " } else { ", " };
            columns = if is_full { 2 } else { columns + 2 };
        }
        columns += change.len();
        text += &change;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_and_courses_are_told() {
        let text = "generations = 50\n[learn]\nlearning_rate = 0.004\nfinal_learning_rate = 0.0003\n\
                    [[phase]]\nfrom = 11\nnetwork.channels = 64\nselfplay.simulations = 96\nlearn.optimizer = \"muon\"\n\
                    learn.learning_rate = 0.002\n[[phase]]\nfrom = 21\nlearn.passes = 2";
        let config = Config::parse(text, "run.toml", &[]).unwrap();
        assert_eq!(
            courses(&config),
            [
                "learning rate: 0.004 to 0.0003 over generations 1 to 10",
                "learning rate: 0.002 to 0.0003 over generations 11 to 50"
            ]
        );
        let told: Vec<String> = config.phases.iter().map(describe_phase).collect();
        assert_eq!(
            told,
            [
                "from generation 11: network.channels = 64, selfplay.simulations = 96,\n  \
                 learn.optimizer = \"muon\", learn.learning_rate = 0.002",
                "from generation 21: learn.passes = 2"
            ]
        );
        assert!(told.iter().flat_map(|text| text.lines()).all(|line| line.len() <= COLUMNS));
        // What would begin after the end is no course.
        assert_eq!(courses(&Config { generations: 10, ..config }).len(), 1);
    }

    #[test]
    fn idle_threads_are_told_where_smaller_parts_would_help() {
        let notice = |changes: &[&str]| {
            let changes: Vec<String> = changes.iter().map(|change| change.to_string()).collect();
            idle_learners(&Config::parse("[learn]\nbatch = 64\npart = 16", "run.toml", &changes).unwrap())
        };
        let told = notice(&["resources.threads=16"]).unwrap();
        assert!(told.starts_with("learning keeps 4 of 16 threads busy; a new run with --set learn.part=8\n"), "{told}");
        let told = notice(&["resources.threads=4", "learn.part=64"]).unwrap();
        assert!(told.contains("learn.part=16\n  keeps 4 busy"), "{told}");
        assert!(told.lines().all(|line| line.len() <= COLUMNS));
        for changes in [
            &["resources.threads=4"][..],
            &["resources.threads=16", "learn.part=8"],
            &["resources.threads=16", "learn.batch=256"],
            &["resources.threads=16", "resources.learn_device=gpu"],
        ] {
            assert_eq!(notice(changes), None, "{changes:?}");
        }
    }
}
