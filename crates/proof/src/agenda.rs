//! The questions that are open in a proof, for several machines at once.

use std::collections::HashSet;
use std::fmt;

use doublecross_core::board::State;
use doublecross_core::solver::{Bounds, Lemma, MoveQuestion};

use super::{Claim, LemmaSet};

/// A question of a proof: is the margin of the player to move in a state at least a target?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The state, which is capture-free.
    pub state: State,
    /// The target.
    pub target: i32,
}

/// The answer of lemmas to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Survey {
    /// The answer.
    Settled(bool),
    /// Questions whose answers decide this one, in the order in which the solver would come to
    /// them.
    Open(Vec<Question>),
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Margins have the parity of the open boxes.
        let target = self.target + ((self.target ^ self.state.open_boxes() as i32) & 1);
        write!(f, "{}: at least {target:+}?", self.state)
    }
}

impl Question {
    /// Returns the lemma that an answer is, which took this many nodes.
    pub fn lemma(self, reached: bool, nodes: u64) -> Lemma {
        let mut bounds = Bounds::of_state(self.state);
        bounds.answer(self.target, reached);
        Lemma { state: self.state, bounds, nodes }
    }

    /// Returns what lemmas say about the question, and adds the answers of questions that follow
    /// from those of others to `answers`.
    ///
    /// An open question is split into those about the positions after its moves, of which the first
    /// ones are returned, at most `most`. A question that is split is settled by one answer, if
    /// that is the one which makes a move reach the target, or by all the others together. Few
    /// questions are better than many: machines share little of what they find below a question
    /// (docs/proofs.md).
    pub fn survey(self, lemmas: &LemmaSet, most: usize, answers: &mut Vec<(Question, bool)>) -> Survey {
        if let Some(reached) = self.answer(lemmas) {
            return Survey::Settled(reached);
        }
        let mut open = match self.split(lemmas) {
            Survey::Open(questions) if most > 1 => questions,
            Survey::Open(_) => return Survey::Open(vec![self]),
            Survey::Settled(reached) => {
                answers.push((self, reached));
                return Survey::Settled(reached);
            }
        };
        // One question after the other is split, the first ones first, while there is room.
        let mut at = 0;
        while at < open.len() && open.len() < most {
            match open[at].split(lemmas) {
                Survey::Open(parts) if open.len() + parts.len() <= most + 1 => {
                    open.splice(at..=at, parts);
                }
                Survey::Open(_) => at += 1,
                Survey::Settled(reached) => {
                    answers.push((open[at], reached));
                    at += 1;
                }
            }
        }
        let mut seen = HashSet::new();
        open.retain(|question| seen.insert(*question));
        open.truncate(most);
        Survey::Open(open)
    }

    /// Returns the open questions about the positions after the moves.
    fn split(self, lemmas: &LemmaSet) -> Survey {
        let Question { state, target } = self;
        if let Some(reached) = self.answer(lemmas) {
            return Survey::Settled(reached);
        }
        let mut open = Vec::new();
        for edge in state.equivalent_edges().into_iter().filter_map(|edges| edges.lowest()) {
            let after = state.after(edge);
            // A capture-free state has no captures.
            let MoveQuestion { target, wanted } = MoveQuestion::new(0, target);
            match (Question { state: after, target }).resolve(lemmas) {
                Ok(reached) if reached == wanted => return Survey::Settled(true),
                Ok(_) => {}
                Err(question) if open.contains(&(after.offer().taken, question)) => {}
                Err(question) => open.push((after.offer().taken, question)),
            }
        }
        // Moves that give boxes away come last.
        open.sort_by_key(|&(taken, _)| taken);
        if open.is_empty() {
            Survey::Settled(false)
        } else {
            Survey::Open(open.into_iter().map(|(_, question)| question).collect())
        }
    }

    /// Returns the answer to a question about any state, or the question about a capture-free one
    /// that comes next.
    fn resolve(self, lemmas: &LemmaSet) -> Result<bool, Question> {
        let Question { state, target } = self;
        let offer = state.offer();
        let rest = |target| Question { state: offer.rest.canonical().0, target };
        let take_all = rest(target - offer.taken);
        match (take_all.answer(lemmas), offer.price) {
            (None, _) => Err(take_all),
            (Some(true), _) => Ok(true),
            (Some(false), None) => Ok(false),
            (Some(false), Some(price)) => {
                // Keeping control reaches the target if taken - price - V(rest) >= target.
                let keep_control = rest(offer.taken - price - target + 1);
                keep_control.answer(lemmas).map(|reached| !reached).ok_or(keep_control)
            }
        }
    }

    /// Returns the answer that follows from the lemma of a capture-free state, or from the number
    /// of its open boxes.
    fn answer(self, lemmas: &LemmaSet) -> Option<bool> {
        let Question { state, target } = self;
        Claim::at_least(state, target).follows_from(lemmas.bounds(state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;
    use doublecross_core::board::Board;
    use doublecross_core::solver::Solver;

    /// Answers questions one after the other until the first one is settled.
    fn work_through(board: Board, target: i32, most: usize) -> (bool, usize) {
        let mut lemmas = LemmaSet::new(board);
        let mut solver = Solver::new(board, 1 << 16);
        let root = Question { state: State::new(board), target };
        let mut asked = 0;
        loop {
            let mut answers = Vec::new();
            let origin = Origin { log: "test".into(), line: asked };
            let open = match root.survey(&lemmas, most, &mut answers) {
                Survey::Settled(answer) => return (answer, asked),
                Survey::Open(open) => open,
            };
            for (question, reached) in answers {
                lemmas.add(&question.lemma(reached, 1), &origin).unwrap();
            }
            assert!(!open.is_empty() && open.len() <= most.max(1), "{} of {most}", open.len());
            let question = open[asked % open.len()];
            asked += 1;
            let reached = solver.is_at_least(question.state, question.target, u64::MAX).unwrap();
            lemmas.add(&question.lemma(reached, 1), &origin).unwrap();
        }
    }

    /// However a question is split, its answer is right.
    #[test]
    fn answers_of_parts_settle_the_whole() {
        for (rows, cols, margin) in [(2, 2, 2), (2, 3, -2), (3, 3, -3)] {
            let board = Board::new(rows, cols).unwrap();
            for most in [1, 4, 9, 30] {
                for target in [margin, margin + 2] {
                    let (answer, asked) = work_through(board, target, most);
                    assert_eq!(answer, margin >= target, "{board} {most} {target}");
                    assert!(asked > 0);
                }
            }
        }
    }

    #[test]
    fn a_question_names_a_margin_that_can_be() {
        let text = |state: &str, target| Question { state: state.parse().unwrap(), target }.to_string();
        assert_eq!(text("3x4", -1), "3x4:0x0: at least +0?");
        assert_eq!(text("3x4", 2), "3x4:0x0: at least +2?");
        assert_eq!(text("3x3", 0), "3x3:0x0: at least +1?");
    }

    #[test]
    fn a_question_is_split_as_far_as_there_is_room() {
        let board = Board::new(4, 4).unwrap();
        let root = Question { state: State::new(board), target: 2 };
        let lemmas = LemmaSet::new(board);
        let count = |most| match root.survey(&lemmas, most, &mut Vec::new()) {
            Survey::Open(open) => open.len(),
            Survey::Settled(_) => 0,
        };
        // Six first moves are distinct.
        assert_eq!([count(1), count(5), count(6), count(7)], [1, 5, 6, 6]);
        assert!((7..=60).contains(&count(60)));
    }
}
