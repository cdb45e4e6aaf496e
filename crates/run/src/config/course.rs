//! The learning rate over a run.

use crate::config::{Config, LearnConfig, Phase};

/// A course of the learning rate: consecutive generations over which it rises and falls once.
///
/// A run has one course, and a further one from each phase on that sets one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Course {
    /// The first generation.
    pub first: u64,
    /// The generation in which the learning rate reaches its end.
    pub last: u64,
}

impl Course {
    /// Returns the course to which a generation of a run belongs.
    pub fn at(config: &Config, generation: u64) -> Course {
        let begins = |phase: &&Phase| phase.sets("learn.learning_rate") || phase.sets("learn.final_learning_rate");
        let firsts = || config.phases.iter().filter(begins).map(|phase| phase.from);
        let first = firsts().take_while(|&first| first <= generation).last().unwrap_or(1);
        let last = match config.at(generation).learn.schedule_generations {
            None => firsts()
                .find(|&first| first > generation)
                .map_or(config.generations, |next| config.generations.min(next - 1))
                .max(first),
            Some(generations) => first + generations - 1,
        };
        Course { first, last }
    }

    /// Returns the share of the course that is done when a generation begins. Behind its end it is
    /// more than 1.
    pub fn share_done(self, generation: u64) -> f64 {
        (generation - self.first) as f64 / self.last.saturating_sub(self.first).max(1) as f64
    }
}

/// Returns the learning rate when a share of its course and this number of its steps are done.
///
/// It rises from 0 over the warm-up steps, falls along a half cosine, and stays at its end.
pub fn learning_rate(config: &LearnConfig, steps: u64, share_done: f64) -> f64 {
    let warmup = ((steps + 1) as f64 / config.warmup_steps.max(1) as f64).min(1.0);
    let cosine = 0.5 * (1.0 + (std::f64::consts::PI * share_done.clamp(0.0, 1.0)).cos());
    warmup * (config.final_learning_rate + (config.learning_rate - config.final_learning_rate) * cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learning_rate_rises_and_then_falls() {
        let config = LearnConfig { warmup_steps: 10, ..LearnConfig::default() };
        assert!((learning_rate(&config, 0, 0.0) - 1e-4).abs() < 1e-12);
        assert_eq!(learning_rate(&config, 9, 0.0), config.learning_rate);
        assert!((learning_rate(&config, 500, 1.0) - config.final_learning_rate).abs() < 1e-12);
        assert_eq!(learning_rate(&config, 500, 1.7), learning_rate(&config, 500, 1.0));
    }

    #[test]
    fn the_course_is_that_of_the_run_or_of_so_many_generations() {
        let share_done = |config: &Config, generation| Course::at(config, generation).share_done(generation);
        let mut config = Config { generations: 11, ..Config::default() };
        assert_eq!([1, 6, 11].map(|generation| share_done(&config, generation)), [0.0, 0.5, 1.0]);
        (config.generations, config.learn.schedule_generations) = (40, Some(11));
        assert_eq!([1, 6, 11, 21].map(|generation| share_done(&config, generation)), [0.0, 0.5, 1.0, 2.0]);
        (config.generations, config.learn.schedule_generations) = (1, None);
        assert_eq!(share_done(&config, 1), 0.0);
    }

    #[test]
    fn a_phase_that_sets_the_learning_rate_begins_a_course() {
        let text = "generations = 50\n[[phase]]\nfrom = 11\nlearn.learning_rate = 0.5\n\
                    [[phase]]\nfrom = 21\nlearn.passes = 2\n\
                    [[phase]]\nfrom = 31\nlearn.final_learning_rate = 0.25\nlearn.schedule_generations = 5";
        let config = Config::parse(text, "run.toml", &[]).unwrap();
        let courses = [1, 10, 11, 20, 21, 30, 31, 50].map(|generation| Course::at(&config, generation));
        let spans = courses.map(|Course { first, last }| (first, last));
        assert_eq!(spans, [(1, 10), (1, 10), (11, 30), (11, 30), (11, 30), (11, 30), (31, 35), (31, 35)]);
        assert_eq!(
            [10, 11, 30].map(|generation| Course::at(&config, generation).share_done(generation)),
            [1.0, 0.0, 1.0]
        );
        // A course ends with the run.
        assert_eq!(Course::at(&Config { generations: 7, ..config.clone() }, 5), Course { first: 1, last: 7 });
        // Without the phase the course goes on to the end.
        assert_eq!(Course::at(&Config { phases: Vec::new(), ..config }, 20), Course { first: 1, last: 50 });
    }
}
