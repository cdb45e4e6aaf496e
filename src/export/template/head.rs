// A Dots and Boxes bot in one file: rules, exact solver, tree search and a network with its weights. It depends on the
// standard library alone, and needs no clock, no thread, no file and no randomness.
//
// `act` answers an observation in the arena's JSON with an action. It is written by `doublecross export --form source`
// from the modules of the program itself; edition 2021 or later:
//
//     rustc -O --edition 2021 --crate-type lib bot.rs
