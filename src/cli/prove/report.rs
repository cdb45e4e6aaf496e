//! The report of a check: what follows, from what, and what of that was solved anew.

use std::fmt::Display;

use serde_json::{Map, Value, json};

use crate::cli::terminal::count::counted;
use crate::cli::{Failure, print};
use doublecross_proof::{Assumption, Outcome, Sample};

/// The most claims that are listed because they were not drawn.
const NOT_DRAWN_LISTED: usize = 5;

/// The report of a check.
pub(crate) struct Report<'a> {
    /// The number of claims that follow from others by the rules.
    pub derived: usize,
    /// The claims that were drawn from the frontier and solved.
    pub sample: Sample<'a>,
    /// The seed of the draw.
    pub seed: u64,
}

/// Returns the words for what follows from so many assumed claims.
pub(crate) fn follows_from(assumed: usize) -> String {
    format!("follows from {}", counted(assumed, "assumed claim"))
}

fn list(claims: &[impl Display]) -> Vec<String> {
    claims.iter().map(|claim| claim.to_string()).collect()
}

impl Report<'_> {
    /// Returns what is known about the value, in words that follow its name.
    pub fn conclusion(&self) -> String {
        let Report { sample, .. } = self;
        let (wrong, all) = (sample.with(Outcome::False).len(), sample.frontier().len());
        match wrong {
            0 if sample.is_proof() => "is proved".into(),
            0 => follows_from(sample.assumed()),
            wrong => format!("does not follow: false claims among the {all} that it needs: {wrong}"),
        }
    }

    /// Prints the report. The first line says what is known about the value with this name.
    pub fn print(&self, value: &str) {
        let Report { derived, sample, seed } = self;
        let (all, drawn) = (sample.frontier().len(), sample.drawn());
        print(format_args!(
            "{value} {}\n\
             derived by the rules: {}\n\
             frontier: {} that nothing else in the log shows\n",
            self.conclusion(),
            counted(*derived, "claim"),
            counted(all, "claim"),
        ));
        if let Some(lemmas) = words_of_lemmas(sample.frontier()) {
            print(format_args!("  {lemmas}\n"));
        }
        let [found_true, found_false, beyond, unfinished] =
            [Outcome::True, Outcome::False, Outcome::Beyond, Outcome::Unfinished].map(|outcome| sample.with(outcome));
        print(format_args!(
            "solved anew: {} drawn with seed {seed}: {} true, {} false, {} beyond the budget of {} positions\n",
            counted(drawn, "claim"),
            found_true.len(),
            found_false.len(),
            beyond.len(),
            sample.budget(),
        ));
        if !unfinished.is_empty() {
            print(format_args!("interrupted: {} of the sample were given up or not begun\n", unfinished.len()));
        }
        if sample.is_proof() {
            print(format_args!(
                "assumed: nothing but the rules, how boxes on offer are taken, symmetry, and strings\n"
            ));
            return;
        }
        if sample.assumed() == 0 {
            return;
        }
        let chance = sample.miss_chance().filter(|_| drawn < all);
        let chance =
            chance.map(|chance| format!("; the chance that a single false one is not drawn: {:.2} %", 100.0 * chance));
        print(format_args!("assumed: {}{}\n", counted(sample.assumed(), "claim"), chance.unwrap_or_default()));
        let understated = sample.understated();
        for assumption in &beyond {
            let is_understated = understated.contains(assumption);
            let verdict = if is_understated { ", so it counts as false until it is solved" } else { "" };
            print(format_args!("  {assumption}: beyond the budget{}{verdict}\n", words_of_stated(assumption)));
        }
        let not_drawn = sample.not_drawn();
        for assumption in not_drawn.iter().take(NOT_DRAWN_LISTED) {
            print(format_args!("  {assumption}: not drawn{}\n", words_of_stated(assumption)));
        }
        if not_drawn.len() > NOT_DRAWN_LISTED {
            let more = not_drawn.len() - NOT_DRAWN_LISTED;
            print(format_args!("  and {more} more that were not drawn, about positions no emptier than these\n"));
        }
    }

    /// Returns the report as fields of a JSON object.
    pub fn fields(&self) -> Map<String, Value> {
        let Report { derived, sample, seed } = self;
        let stated: Vec<u64> = sample.frontier().iter().filter_map(|assumption| assumption.stated).collect();
        let solved = sample.with(Outcome::True).len() + sample.with(Outcome::False).len();
        let object = json!({
            "conclusion": self.conclusion(),
            "proved": sample.is_proof(),
            "assumed": sample.assumed(),
            "derived": derived,
            "frontier": sample.frontier().len(),
            "unproved": stated.len(),
            "unproved_nodes": stated.iter().fold(0_u64, |sum, nodes| sum.saturating_add(*nodes)),
            "unproved_unstated": stated.iter().filter(|nodes| **nodes == 0).count(),
            "seed": seed,
            "sampled": sample.drawn(),
            "solved": solved,
            "false": list(&sample.with(Outcome::False)),
            "beyond": list(&sample.with(Outcome::Beyond)),
            "understated": list(&sample.understated()),
            "miss_chance": sample.miss_chance(),
            "interrupted": !sample.with(Outcome::Unfinished).is_empty(),
        });
        match object {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    /// Returns the failure that the report is, if it is one.
    pub fn result(&self) -> Result<(), Failure> {
        let Report { sample, .. } = self;
        let (wrong, understated) = (sample.with(Outcome::False), sample.understated());
        if let Some(first) = wrong.first() {
            return Err(Failure::damaged(anyhow::anyhow!(
                "{}; the first: \"{first}\" (a log with a false claim proves nothing: prove again with a new one)",
                counted(wrong.len(), "false claim"),
            )));
        }
        if !sample.with(Outcome::Unfinished).is_empty() {
            return Err(Failure::Interrupted);
        }
        if let Some(first) = understated.first() {
            return Err(Failure::damaged(anyhow::anyhow!(
                "claims that take far more than the log states: {}, which count as false until they are solved; the \
                 first: {first} (solve them with a larger --budget, or prove their positions again)",
                understated.len()
            )));
        }
        if !sample.is_proof() {
            let is_whole = sample.drawn() == sample.frontier().len();
            let advice = if is_whole { "a larger --budget" } else { "--sample all, and perhaps a larger --budget" };
            let claims = counted(sample.assumed(), "claim");
            return Err(Failure::Assumed(anyhow::anyhow!(
                "not proved: {claims} are assumed (solve them with {advice})"
            )));
        }
        Ok(())
    }
}

/// Returns words for the lemmas of a frontier, if it has some.
fn words_of_lemmas(frontier: &[Assumption]) -> Option<String> {
    let stated = frontier.iter().filter_map(|assumption| Some((assumption.stated?, assumption)));
    let (with, without): (Vec<_>, Vec<_>) = stated.partition(|(nodes, _)| *nodes > 0);
    let largest = with.iter().max_by_key(|(nodes, _)| *nodes).map(|(nodes, assumption)| {
        let sum = with.iter().fold(0_u64, |sum, (nodes, _)| sum.saturating_add(*nodes));
        format!("{} of {sum} nodes in all, the largest of {nodes} ({assumption})", counted(with.len(), "lemma"))
    });
    let unstated =
        (!without.is_empty()).then(|| format!("{} without a number of nodes", counted(without.len(), "lemma")));
    let words: Vec<String> = [largest, unstated].into_iter().flatten().collect();
    (!words.is_empty()).then(|| format!("among them {}", words.join(", and ")))
}

/// Returns words for the nodes that the log states for a claim.
fn words_of_stated(assumption: &Assumption) -> String {
    match assumption.stated {
        None => String::new(),
        Some(0) => ", a lemma without a number of nodes".into(),
        Some(nodes) => format!(", a lemma of {nodes} nodes"),
    }
}
