//! Numbers with their nouns.

use std::fmt::Display;

/// Returns a number with a noun, which is given in the singular.
pub fn counted(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_singular() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "game")), ["0 games", "1 game", "2 games"]);
    }
}
