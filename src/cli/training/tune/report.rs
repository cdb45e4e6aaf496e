//! The results of tuning as a table and as JSON.

use serde_json::{Value, json};

use crate::cli::training::tune::BASE;
use doublecross_arena::statistics::Mean;
use doublecross_train::{Comparison, Trial, TrialScore, Variant};

/// A variant's trials, and its games against the first variant.
pub(crate) struct VariantResult<'a> {
    pub variant: &'a Variant,
    pub trials: Vec<Trial>,
    pub games: Option<Comparison>,
}

/// A share of the suite's positions in which a network is right.
#[derive(Clone, Copy)]
enum Optimal {
    /// The policy's edge is optimal.
    Policy,
    /// The searched edge is optimal.
    Search,
}

impl Optimal {
    fn of(self, score: &TrialScore) -> f64 {
        match self {
            Optimal::Policy => score.all.policy_optimal.share,
            Optimal::Search => score.all.search_optimal.share,
        }
    }

    /// For each position, 1 if the network is right there.
    fn hits(self, score: &TrialScore) -> impl Iterator<Item = f64> {
        let hits = match self {
            Optimal::Policy => &score.policy_optimal,
            Optimal::Search => &score.search_optimal,
        };
        hits.iter().map(|&hit| f64::from(u8::from(hit)))
    }

    /// The mean share over trials.
    fn mean(self, trials: &[Trial]) -> Option<f64> {
        let shares: Vec<f64> = trials.iter().filter_map(|trial| Some(self.of(trial.score.as_ref().ok()?))).collect();
        (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
    }

    /// The mean difference to the trials of `base` with the same seeds.
    fn difference(self, trials: &[Trial], base: &[Trial]) -> Option<Mean> {
        let pairs = || {
            let of_base = |seed| base.iter().find(|other| other.seed == seed)?.score.as_ref().ok();
            trials.iter().filter_map(move |trial| Some((trial.score.as_ref().ok()?, of_base(trial.seed)?)))
        };
        let differences: Vec<f64> = pairs().map(|(one, other)| self.of(one) - self.of(other)).collect();
        let seeds = differences.len().max(1) as f64;
        // By position, the difference of each seed, and their mean. The positions are a sample, too.
        let by_position = pairs().map(|(one, other)| {
            let hits = self.hits(one).zip(self.hits(other));
            hits.map(|(one, other)| one - other).collect::<Vec<f64>>()
        });
        let by_position: Vec<Vec<f64>> = by_position.collect();
        let positions = by_position.first().map_or(0, Vec::len);
        let mean_at =
            |position: usize| by_position.iter().map(|differences| differences[position]).sum::<f64>() / seeds;
        let means: Vec<f64> = (0..positions).map(mean_at).collect();
        // A seed differs from others by chance at each position.
        let own = |differences: &Vec<f64>| {
            let rest: Vec<f64> = differences.iter().zip(&means).map(|(difference, mean)| difference - mean).collect();
            variance_of_mean(&rest)
        };
        let noise = by_position.iter().map(own).sum::<f64>() / (seeds - 1.0).max(1.0);
        Mean::of_seeds(&differences, noise, variance_of_mean(&means))
    }
}

/// Returns the variance that the mean of such values has.
fn variance_of_mean(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    squares.sum::<f64>() / count / (count - 1.0).max(1.0)
}

/// Returns `true` if learning diverged in a trial, so that the others say too much for their variant.
fn has_diverged(trials: &[Trial]) -> bool {
    trials.iter().any(|trial| trial.score.is_err())
}

/// Returns the mean processor time of trials as a multiple of that of `base`.
fn cost(trials: &[Trial], base: &[Trial]) -> Option<f64> {
    let mean = |trials: &[Trial]| {
        let ended = trials.iter().filter(|trial| trial.score.is_ok());
        let (sum, count) = ended.fold((0.0, 0), |(sum, count), trial| (sum + trial.processor_minutes, count + 1));
        (sum > 0.0).then(|| sum / count as f64)
    };
    Some(mean(trials)? / mean(base)?)
}

/// A trial in words.
pub(crate) fn line(trial: &Trial) -> String {
    let Trial { generations, processor_minutes: minutes, .. } = trial;
    match &trial.score {
        Ok(score) => {
            let [policy, search] = [Optimal::Policy, Optimal::Search].map(|optimal| 100.0 * optimal.of(score));
            format!(
                "{generations} generations, {minutes:.2} processor minutes; on the common suite policy {policy:.1} %, search {search:.1} %"
            )
        }
        Err(reason) => reason.clone(),
    }
}

/// Returns a row for each trial and each variant, then the differences to the first variant.
pub(crate) fn table(results: &[VariantResult<'_>]) -> String {
    let width = results.iter().map(|result| result.variant.name.len()).max().unwrap_or(0).max("variant".len());
    let shares = |trials: &[Trial]| match (Optimal::Policy.mean(trials), Optimal::Search.mean(trials)) {
        (Some(policy), Some(search)) => format!("{:>12.1} %  {:>12.1} %", 100.0 * policy, 100.0 * search),
        _ => "learning diverged".into(),
    };
    let mut text =
        format!("{:<width$}  seed  generations  processor minutes  policy optimal  search optimal\n", "variant");
    for VariantResult { variant, trials, .. } in results {
        for trial in trials {
            let Trial { seed, generations, processor_minutes: minutes, .. } = trial;
            let shares = shares(std::slice::from_ref(trial));
            text += &format!("{:<width$}  {seed:>4}  {generations:>11}  {minutes:>17.2}  {shares}\n", variant.name);
        }
        if trials.len() > 1 {
            text += &format!("{:<width$}  mean  {:>30}  {}\n", variant.name, "", shares(trials));
        }
    }
    for result in results.iter().skip(1) {
        let (name, trials, base) = (&result.variant.name, &result.trials, &results[0].trials);
        let diverged = [base, trials].map(|trials| has_diverged(trials));
        let [policy, search] = [Optimal::Policy, Optimal::Search]
            .map(|optimal| optimal.difference(trials, base).map(|mean| points(mean, diverged)));
        if let (Some(policy), Some(search), Some(cost)) = (policy, search, cost(trials, base)) {
            text += &format!("{name} - {BASE}: {cost:.2} times the processor time\n");
            text += &format!("{name} - {BASE}: policy {policy}\n{name} - {BASE}: search {search}\n");
        }
        if let Some(Comparison { games, results: [won, lost, tied], elo }) = &result.games {
            let (elo, verdict) = (elo.text(), verdict(elo.low, elo.high, diverged));
            text += &format!("{name} - {BASE}: {games} games, {won} won, {lost} lost, {tied} tied, {elo}: {verdict}\n");
        }
    }
    text
}

/// A difference of shares, in points of a percent, with its verdict.
fn points(Mean { mean, low, high }: Mean, diverged: [bool; 2]) -> String {
    let [mean, low, high] = [mean, low, high].map(|share| 100.0 * share);
    if low.is_infinite() {
        return format!("{mean:+.1} points of one seed: {}", verdict(None, None, diverged));
    }
    // Shares differ by no more.
    let [low, high] = [low.max(-100.0), high.min(100.0)];
    format!("{mean:+.1} points ({low:+.1} to {high:+.1}): {}", verdict(Some(low), Some(high), diverged))
}

/// The verdict on a difference with this interval, whose ends are `None` where they are infinite. Nothing is
/// better, of base and the variant, where learning diverged with one of its seeds.
fn verdict(low: Option<f64>, high: Option<f64>, [base_diverged, variant_diverged]: [bool; 2]) -> &'static str {
    match (low, high) {
        (Some(low), _) if low > 0.0 && !variant_diverged => "better",
        (_, Some(high)) if high < 0.0 && !base_diverged => "worse",
        _ => "undecided",
    }
}

/// A variant's results as JSON, beside those of the first variant.
pub(crate) fn object(result: &VariantResult<'_>, base: &VariantResult<'_>) -> Value {
    let trials = result.trials.iter().map(|trial| {
        json!({
            "seed": trial.seed,
            "run": trial.folder.display().to_string(),
            "generations": trial.generations,
            "processor_minutes": trial.processor_minutes,
            "score": trial.score.as_ref().ok().map(|score| &score.all),
            "error": trial.score.as_ref().err(),
        })
    });
    let diverged = [base, result].map(|result| has_diverged(&result.trials));
    let games = result.games.as_ref().map(|games| {
        let [won, lost, tied] = games.results;
        json!({
            "games": games.games, "won": won, "lost": lost, "tied": tied,
            "elo": games.elo.elo, "elo_low": games.elo.low, "elo_high": games.elo.high,
            "verdict": verdict(games.elo.low, games.elo.high, diverged),
        })
    });
    let is_base = std::ptr::eq(result, base);
    let difference = |optimal: Optimal| {
        let mean = optimal.difference(&result.trials, &base.trials).filter(|_| !is_base)?;
        let [low, high] = [mean.low, mean.high].map(|end| end.is_finite().then(|| end.clamp(-1.0, 1.0)));
        Some(json!({ "share": mean.mean, "low": low, "high": high, "verdict": verdict(low, high, diverged) }))
    };
    json!({
        "name": result.variant.name,
        "policy_optimal": Optimal::Policy.mean(&result.trials),
        "search_optimal": Optimal::Search.mean(&result.trials),
        "policy_difference": difference(Optimal::Policy),
        "search_difference": difference(Optimal::Search),
        "cost": cost(&result.trials, &base.trials),
        "trials": trials.collect::<Vec<_>>(),
        "against_base": games,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_arena::suite::{Band, Interval};

    fn trial(seed: u64, score_of: Result<f64, &str>) -> Trial {
        let share = |share| Interval { share, low: 0.0, high: 1.0 };
        let band = |of: f64| Band {
            suite: "suite".into(),
            undrawn: 0,
            is_capture_free: false,
            positions: 200,
            policy_optimal: share(of / 2.0),
            search_optimal: share(of),
            margin_error: 0.5,
            sign_agreement: share(0.9),
        };
        let hits = |share: f64| (0..200).map(|position| f64::from(position) < 200.0 * share).collect();
        let score = |of: f64| TrialScore { all: band(of), policy_optimal: hits(of / 2.0), search_optimal: hits(of) };
        let score = score_of.map(score).map_err(String::from);
        Trial { seed, folder: "run".into(), generations: 7, processor_minutes: 1.25 * seed as f64, score }
    }

    #[test]
    fn differences_are_those_of_equal_seeds() {
        let diverged = "learning diverged in generation 3";
        let base = [trial(1, Ok(0.5)), trial(2, Ok(0.6)), trial(3, Ok(0.1))];
        let trials = [trial(1, Ok(0.6)), trial(2, Ok(0.8)), trial(3, Err(diverged)), trial(4, Ok(0.0))];
        let mean = Optimal::Search.difference(&trials, &base).unwrap();
        assert!((mean.mean - 0.15).abs() < 1e-12 && mean.low < 0.0 && mean.high > 0.3, "{mean:?}");
        let whole = |mean, low, high| points(Mean { mean, low, high }, [false, false]);
        assert_eq!(whole(0.012, -0.004, 0.028), "+1.2 points (-0.4 to +2.8): undecided");
        assert_eq!(whole(0.1, 0.05, 1.5), "+10.0 points (+5.0 to +100.0): better");
        let one = Optimal::Search.difference(&trials[..1], &base).unwrap();
        assert_eq!(points(one, [false, false]), "+10.0 points of one seed: undecided");
        assert!(Optimal::Policy.difference(&trials[2..], &base).is_none());
        // What is better with some seeds is not better where learning diverged with another.
        assert_eq!(["better", "undecided"], [false, true].map(|one| verdict(Some(0.1), Some(0.2), [true, one])));
        assert_eq!(["worse", "undecided"], [false, true].map(|base| verdict(Some(-0.2), Some(-0.1), [base, true])));
        // The same three positions of 200 with each of many seeds may be chance, since the positions are a sample.
        let [many, other]: [Vec<Trial>; 2] =
            [0.9, 0.885].map(|share| (1..=10).map(|seed| trial(seed, Ok(share))).collect());
        let Mean { mean, low, high } = Optimal::Search.difference(&many, &other).unwrap();
        assert!((mean - 0.015).abs() < 1e-12 && low < 0.0 && high < 0.04, "{low} to {high}");
        assert_eq!(cost(&trials[..2], &base[..1]), Some(1.5));
        assert_eq!(line(&trials[2]), diverged);
        assert_eq!(
            line(&trials[0]),
            "7 generations, 1.25 processor minutes; on the common suite policy 30.0 %, search 60.0 %"
        );
    }
}
