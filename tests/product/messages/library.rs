//! Errors of the library that no command above meets.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;

use super::transcript::Transcript;
use doublecross::State;
use doublecross::arena::puzzles::{FragmentError, PuzzleFileError, WrongPuzzle};
use doublecross::arena::suite::SuiteError;
use doublecross::arena::{BuiltInError, LoggedGameError, MatchError, SpecError};
use doublecross::board::{Board, BoardError, Edge, MoveError, TextError};
use doublecross::fleet::{
    ConnectError, CoordinatorError, FleetError, FleetMonitorError, KeyError, MachineName, Role, WorkerError,
};
use doublecross::net::{CanaryError, Isa, UnknownIsa, WeightsError};
use doublecross::protocol::{ActionError, JsonError, ObservationError};
use doublecross::solver::{BookError, Bounds};

fn system() -> io::Error {
    io::Error::from(io::ErrorKind::OutOfMemory)
}

pub fn library(transcript: &mut Transcript) {
    let board: Board = "2x2".parse().unwrap();
    let state: State = "2x2:0x7".parse().unwrap();
    let rounds = || CanaryError::Rounds { isa: Isa::Int8, percent: "50.00 %".into() };
    let isa = |name: &str, exists| UnknownIsa { name: name.into(), exists, available: vec!["portable", "avx2"] };
    let net = || "net:runs/a".to_string();
    let mut of = |subject: &str, errors: &[&dyn Display]| {
        transcript.about(subject);
        errors.iter().for_each(|error| transcript.add(&format!("{error}\n")));
        transcript.add("\n");
    };
    of(
        "Library: boards and protocol",
        &[
            &TextError::Size(BoardError::Empty { rows: 0, cols: 3 }),
            &MoveError::OffBoard { edge: Edge::new(12), board },
            &ActionError::Json(JsonError { at: 3, expected: "a value" }),
            &ActionError::Foreign,
            &ActionError::OffBoard { orient: "H".into(), row: 9, col: 0, board },
            &ObservationError::Inconsistent { field: "scores" },
            &BookError::State { state, board },
            &BookError::Bounds { state, bounds: Bounds { lower: 3, upper: 1 } },
            &BookError::Bytes,
        ],
    );
    of(
        "Library: weights",
        &[
            &WeightsError::Foreign,
            &WeightsError::Version { version: 99 },
            &WeightsError::Planes { planes: 99 },
            &WeightsError::BlockKind { kind: 99 },
            &WeightsError::Board(BoardError::TooLarge { rows: 99, cols: 99 }),
            &WeightsError::Checksum,
            &WeightsError::OtherBoards,
            &WeightsError::Canary,
            &WeightsError::NotFinite { tensor: "value.out.bias".into() },
            &rounds(),
            &CanaryError::Differs { position: "3x3:0x0".into(), isa: Isa::Avx2, percent: "446.44 %".into() },
            &isa("neon", true),
        ],
    );
    of(
        "Library: bots, games, suites and puzzles",
        &[
            &SpecError::Isa { text: "net,isa=sse9".into(), error: isa("sse9", false) },
            &SpecError::Canary { text: net(), error: rounds() },
            &SpecError::BuiltIn { text: "net".into(), error: BuiltInError::NoNetwork },
            &MatchError { bot: "exec:my bot".into(), error: system() },
            &LoggedGameError::Long(2_000_000),
            &SuiteError::Empty { path: "my suite.tsv".into() },
            &PuzzleFileError::Game { number: 3, error: FragmentError::Form("5x5".into()) },
            &PuzzleFileError::Game { number: 3, error: FragmentError::Digits("0".into()) },
            &PuzzleFileError::Game { number: 3, error: FragmentError::NoEdge { number: 2, index: 99, board } },
            &PuzzleFileError::Edge { number: 3, error: TextError::Edge { text: "H9,9".into(), board } },
            &WrongPuzzle::Over,
            &WrongPuzzle::Edges { stated: "H0,0".into(), proved: "V0,0".into() },
            &WrongPuzzle::SeveralMoves("H0,0 V1,2".into()),
            &WrongPuzzle::FewMoves(2),
            &WrongPuzzle::NoChoice("none"),
            &WrongPuzzle::OutOfReach,
            &WrongPuzzle::Unsettled(20_000),
        ],
    );
    let name: MachineName = "worker-1".parse().unwrap();
    let address = || "games.example.org:4222".to_string();
    let path = || PathBuf::from("my fleet/x.key");
    of(
        "Library: fleets",
        &[
            &FleetError::Busy("my fleet".into()),
            &FleetError::Write { path: path(), error: system() },
            &KeyError::Write { path: path(), error: system() },
            &ConnectError::Key { name: name.clone(), reason: "authority: expected one certificate in PEM".into() },
            &ConnectError::Unknown { address: address(), reason: "failed to lookup address".into() },
            &ConnectError::TimedOut { address: address() },
            &ConnectError::NotNats { address: address() },
            &ConnectError::NoTls { address: address() },
            &ConnectError::OtherFleet { address: address() },
            &ConnectError::OtherName { address: address() },
            &ConnectError::Certificate { address: address(), reason: "it has expired".into() },
            &ConnectError::NotLetIn { address: address(), name: name.clone() },
            &ConnectError::Other { address: address(), reason: "broken pipe".into() },
            &CoordinatorError::Server("JetStream is off".into()),
            &CoordinatorError::Busy,
            &CoordinatorError::Undecided {
                state: "3x3:0x7".into(),
                sources: ["worker-1".into(), "the coordinator".into()],
            },
            &CoordinatorError::False { state: "3x3:0x7".into() },
            &CoordinatorError::Thread(system()),
            &WorkerError::Threads(system()),
            &WorkerError::Role { name: "observer".into(), role: Role::Observer },
            &FleetMonitorError::NoRun,
            &FleetMonitorError::Proof,
            &FleetMonitorError::Silent("timed out".into()),
            &FleetMonitorError::Answer("missing field".into()),
        ],
    );
}
