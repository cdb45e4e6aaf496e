//! The ladder: the levels from a first-timer to a master.

use super::Traits;

/// A level of the ladder.
#[derive(Debug, PartialEq)]
pub struct Level {
    /// The bot's name, as in `level:3`.
    pub bot: &'static str,
    /// The name of the character.
    pub name: &'static str,
    /// The way to play, as a phrase.
    pub description: &'static str,
    /// The traits: the things that the player sees, counts and knows.
    pub traits: Traits,
}

/// The levels, the weakest first.
pub static LEVELS: [Level; 10] = [
    Level {
        bot: "level:1",
        name: "First-timer",
        description: "takes most boxes, overlooks some, and often gives boxes away",
        traits: Traits { sees_boxes: 90, sees_third_sides: 92, ..Traits::CAREFUL },
    },
    Level {
        bot: "level:2",
        name: "Collector",
        description: "takes every box, but now and then gives one away without need",
        traits: Traits { sees_third_sides: 98, counts_to: 2, ..Traits::CAREFUL },
    },
    Level {
        bot: "level:3",
        name: "Careful",
        description: "gives no box away while it can avoid it, then opens any long chain",
        traits: Traits { counts_to: 3, ..Traits::CAREFUL },
    },
    Level {
        bot: "level:4",
        name: "Saver",
        description: "opens the shortest chain, but takes every box and so loses control",
        traits: Traits { counts_to: Traits::ALL, ..Traits::CAREFUL },
    },
    Level {
        bot: "level:5",
        name: "Controller",
        description: "leaves boxes to keep control, but often takes too much",
        traits: Traits { counts_to: Traits::ALL, keeps_control: 70, ..Traits::CAREFUL },
    },
    Level {
        bot: "level:6",
        name: "Counter",
        description: "always keeps control, and counts the long chains once few safe edges are left",
        traits: Traits { counts_to: Traits::ALL, keeps_control: 100, counts_from: 6, endings: 3, ..Traits::CAREFUL },
    },
    Level {
        bot: "level:7",
        name: "Planner",
        description: "counts the long chains to come from the middle of the game on, roughly",
        traits: Traits {
            counts_to: Traits::ALL,
            keeps_control: 100,
            counts_from: 12,
            endings: 4,
            nodes: 20,
            ..Traits::CAREFUL
        },
    },
    Level {
        bot: "level:8",
        name: "Strategist",
        description: "counts the long chains early, and plays the end without a mistake",
        traits: Traits {
            counts_to: Traits::ALL,
            keeps_control: 100,
            counts_from: 16,
            endings: 6,
            nodes: 400,
            ..Traits::CAREFUL
        },
    },
    Level {
        bot: "level:9",
        name: "Expert",
        description: "has a feeling for every position, looks a little ahead, and knows the end",
        traits: Traits { nodes: 3_000, simulations: 8, ..Traits::CAREFUL },
    },
    Level {
        bot: "level:10",
        name: "Master",
        description: "searches far ahead, and is exact long before the end",
        traits: Traits { nodes: 300_000, simulations: 400, ..Traits::CAREFUL },
    },
];

impl Level {
    /// Returns the level of a bot's name, as in `level:3`.
    pub fn named(bot: &str) -> Option<&'static Level> {
        LEVELS.iter().find(|level| level.bot == bot)
    }

    /// Returns `true` if the level plays with a network where there is one.
    pub fn searches(&self) -> bool {
        self.traits.simulations > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_numbered_and_described() {
        for (index, level) in LEVELS.iter().enumerate() {
            assert_eq!(level.bot, format!("level:{}", index + 1));
            assert_eq!(Level::named(level.bot), Some(level));
            assert!(!level.name.is_empty() && level.description.len() < 80);
        }
        assert_eq!(Level::named("level:11"), None);
    }
}
