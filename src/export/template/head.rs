// A Dots and Boxes bot in one file: the rules, an exact solver, a tree search, and a neural network
// with its weights. It depends on the standard library alone, and needs no clock, no thread, no file
// and no randomness.
//
// `act` returns the action for an observation, both in the arena's JSON. `doublecross export --form
// source` wrote this file from the program's own modules. It compiles in edition 2021 or later:
//
//     rustc -O --edition 2021 --crate-type lib bot.rs
