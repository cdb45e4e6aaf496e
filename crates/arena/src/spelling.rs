//! Misspelled names: which one was meant.

/// Returns Levenshtein's distance between two words: the characters to change, add or remove.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + (x != *y) as usize;
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Returns the name that a word is likely to be a misspelling of, if there is one.
pub(crate) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = 1 + word.chars().count() / 3;
    let near = names.map(|name| (edit_distance(word, name), name)).filter(|(distance, _)| *distance <= most);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_word_is_near_to_one_name_alone() {
        let names = ["random", "first", "greedy", "chains", "net"];
        let found = |word| nearest(word, names.into_iter());
        for (word, name) in [("gredy", "greedy"), ("Random", "random"), ("nets", "net"), ("chain", "chains")] {
            assert_eq!(found(word), Some(name));
        }
        assert_eq!((found("nonsense"), found("xy"), found("")), (None, None, None));
        assert_eq!((edit_distance("", "abc"), edit_distance("kitten", "sitting")), (3, 3));
    }
}
