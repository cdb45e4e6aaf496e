//! Logs and checks of whole proofs, and what happens to them when somebody tampers with them.

use std::collections::HashMap;
use std::path::Path;

use proptest::prelude::*;

use doublecross_core::board::{Board, Edges, State};
use doublecross_core::solver::{Bounds, Lemma, Solver};

use super::*;

/// Proves the margin of a board in a new log, with every result of at least `nodes` nodes as a
/// lemma.
fn prove(path: &Path, board: Board, nodes: u64) -> i32 {
    let mut log = ProofLog::open(path, board).unwrap();
    let mut solver = Solver::new(board, 1 << 18);
    log.lemmas().by_work().iter().for_each(|lemma| solver.handle().add_lemma(lemma));
    solver.handle().keep_lemmas(nodes);
    let margin = solver.margin(State::new(board), u64::MAX).unwrap();
    log.append(&solver.handle().take_lemmas()).unwrap();
    margin
}

fn read(path: &Path, board: Board) -> LemmaSet {
    let mut lemmas = LemmaSet::new(board);
    assert_eq!(lemmas.read(path).unwrap(), DamagedLines::default());
    lemmas
}

fn follows(lemmas: &LemmaSet, claim: Claim) -> Option<Derivation> {
    match Checker::new(lemmas, 0).derive(claim) {
        Verdict::Follows(derivation) => Some(derivation),
        _ => None,
    }
}

fn known(rows: usize, cols: usize) -> (Board, i32) {
    let board = Board::new(rows, cols).unwrap();
    let margins = HashMap::from([((2, 3), -2), ((2, 4), 2), ((3, 3), -3), ((2, 5), -2)]);
    (board, margins[&(rows, cols)])
}

/// The value follows from the log, and every claim of the frontier is true.
#[test]
fn values_follow_from_logs() {
    let folder = tempfile::tempdir().unwrap();
    for (rows, cols, nodes) in [(2, 3, 1), (2, 4, 20), (3, 3, 20), (2, 5, 200), (3, 3, 500)] {
        let (board, margin) = known(rows, cols);
        let path = folder.path().join(format!("{board}-{nodes}.log"));
        assert_eq!(prove(&path, board, nodes), margin);
        let lemmas = read(&path, board);
        let state = State::new(board);
        for claim in [Claim::at_least(state, margin), Claim::at_most(state, margin)] {
            let derivation = follows(&lemmas, claim).expect("the claim should follow");
            assert!(derivation.derived > 0, "{claim}");
            for assumed in derivation.frontier {
                assert_eq!(PlainSolver::new().is_true(assumed.claim, u64::MAX), Some(true), "{assumed}");
            }
        }
        for claim in [Claim::at_least(state, margin + 2), Claim::at_most(state, margin - 2)] {
            assert!(matches!(Checker::new(&lemmas, 0).derive(claim), Verdict::Refuted(_)), "{claim}");
        }
    }
}

/// A log that lacks the root proves nothing. One that lacks other lemmas has a larger frontier.
#[test]
fn missing_lemmas_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (board, margin) = known(3, 3);
    let path = folder.path().join("log");
    prove(&path, board, 50);
    let whole = read(&path, board);
    let claim = Claim::at_least(State::new(board), margin);
    let all = follows(&whole, claim).unwrap();
    let origin = Origin { log: "test".into(), line: 1 };
    let without = |left_out: &dyn Fn(&Lemma) -> bool| {
        let mut lemmas = LemmaSet::new(board);
        for lemma in whole.by_work().iter().filter(|lemma| !left_out(lemma)) {
            lemmas.add(lemma, &origin).unwrap();
        }
        lemmas
    };
    assert!(follows(&without(&|lemma| lemma.state == State::new(board)), claim).is_none());
    // Every lemma after the first move is gone.
    let rootless = follows(&without(&|lemma| lemma.state.drawn().len() == 1), claim).unwrap();
    assert!(rootless.derived < all.derived / 2, "{} {}", rootless.derived, all.derived);
    assert!(!rootless.frontier.is_empty());
}

/// A false lemma either contradicts another, or makes a claim of the frontier false.
#[test]
fn false_lemmas_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let (board, margin) = known(2, 4);
    let path = folder.path().join("log");
    prove(&path, board, 5);
    let lemmas = read(&path, board).by_work();
    let (mut contradictions, mut frontiers, mut harmless) = (0, 0, 0);
    for index in (0..lemmas.len()).step_by(lemmas.len() / 60 + 1) {
        let mut set = LemmaSet::new(board);
        let mut forged = lemmas.clone();
        let all = Bounds::of_state(forged[index].state);
        // The opposite of what was proved, where there is one.
        let Bounds { lower, upper } = forged[index].bounds;
        forged[index].bounds = match () {
            _ if lower > all.lower => Bounds::new(all.lower, lower - 2),
            _ => Bounds::new(upper + 2, all.upper),
        };
        let origin = |line| Origin { log: "forged".into(), line };
        if forged.iter().enumerate().any(|(line, lemma)| set.add(lemma, &origin(line)).is_err()) {
            contradictions += 1;
            continue;
        }
        let state = State::new(board);
        let claims = set.get(state).map_or(Vec::new(), |lemma| {
            let bounds = lemma.bounds;
            vec![Claim::at_least(state, bounds.lower), Claim::at_most(state, bounds.upper)]
        });
        let mut is_found = false;
        let mut is_needed = false;
        for claim in claims {
            let Some(derivation) = follows(&set, claim) else { continue };
            let is_false = |claim| PlainSolver::new().is_true(claim, u64::MAX) == Some(false);
            is_found |= derivation.frontier.iter().any(|assumed| is_false(assumed.claim));
            is_needed |= claim.is_reached && claim.target > margin || !claim.is_reached && claim.target <= margin;
        }
        assert!(is_found || !is_needed, "a false value was derived without a false claim in the frontier");
        if is_found { frontiers += 1 } else { harmless += 1 }
    }
    assert!(frontiers > 0, "{contradictions} {frontiers} {harmless}");
}

/// A log that was cut off anywhere, as by a kill, is read up to the last whole line and goes on.
#[test]
fn a_log_that_was_cut_off_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (board, margin) = known(3, 3);
    let path = folder.path().join("log");
    prove(&path, board, 100);
    let whole = std::fs::read(&path).unwrap();
    let count = read(&path, board).len();
    for length in (0..whole.len()).step_by(41).chain([whole.len() - 1]) {
        std::fs::write(&path, &whole[..length]).unwrap();
        let lines = whole[..length].iter().filter(|&&byte| byte == b'\n').count();
        let log = ProofLog::open(&path, board).unwrap();
        // The last lemma may be whole without its line feed.
        let is_whole = length > 0 && whole[length] == b'\n';
        assert!(log.damaged().count() == 0 && log.lemmas().len() <= lines + usize::from(is_whole));
        drop(log);
        if is_whole {
            assert_eq!(std::fs::read(&path).unwrap(), &whole[..=length]);
            continue;
        }
        assert_eq!(
            std::fs::read(&path).unwrap(),
            &whole[..whole[..length].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)]
        );
    }
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(prove(&path, board, 100), margin);
    let lemmas = read(&path, board);
    assert!(lemmas.len() >= count / 2);
    assert!(follows(&lemmas, Claim::at_least(State::new(board), margin)).is_some());
}

/// A file of one line that is no beginning of a log is left as it is.
#[test]
fn a_file_of_something_else_is_no_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for text in ["{\"a\":1}", "secret", "3x4", "12345", "x", "3x4:1", "0x1f", "3x4:0x1f\u{e9}"] {
        std::fs::write(&path, text).unwrap();
        let opened = ProofLog::open(&path, Board::new(2, 2).unwrap());
        let is_beginning = text == "3x4" || text == "x";
        assert!(is_beginning || matches!(opened, Err(LogError::Foreign { .. })), "{text}");
        drop(opened);
        assert!(is_beginning || std::fs::read_to_string(&path).unwrap() == text, "{text}");
    }
}

/// A log that is read is a file, since it is read more than once.
#[cfg(unix)]
#[test]
fn a_pipe_is_not_read_as_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(matches!(LemmaSet::new(Board::new(2, 2).unwrap()).read(&path), Err(LogError::Read { .. })));
    assert!(matches!(board_of(&path), Err(LogError::Read { .. })));
}

/// A power cut may leave NUL bytes in the place of the last lines, or of all.
#[test]
fn a_log_with_lost_lines_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (board, margin) = known(3, 3);
    let path = folder.path().join("log");
    prove(&path, board, 100);
    let whole = std::fs::read(&path).unwrap();
    for lost in [0..whole.len(), 0..whole.len() / 2, whole.len() / 2..whole.len(), 50..70] {
        let mut bytes = whole.clone();
        bytes[lost].fill(0);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(prove(&path, board, 100), margin);
        let mut lemmas = LemmaSet::new(board);
        lemmas.read(&path).unwrap();
        assert!(follows(&lemmas, Claim::at_least(State::new(board), margin)).is_some());
    }
}

/// A log that cannot be read is written alone.
#[cfg(unix)]
#[test]
fn a_pipe_is_a_log_without_lemmas() {
    let folder = tempfile::tempdir().unwrap();
    let (board, margin) = known(3, 3);
    let path = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let copied = std::thread::spawn({
        let (from, to) = (path.clone(), folder.path().join("log"));
        move || std::fs::write(to, std::fs::read(from).unwrap()).unwrap()
    });
    assert_eq!(prove(&path, board, 100), margin);
    copied.join().unwrap();
    let lemmas = read(&folder.path().join("log"), board);
    assert!(lemmas.len() > 10 && follows(&lemmas, Claim::at_least(State::new(board), margin)).is_some());
    let full = ProofLog::open("/dev/full".as_ref(), board).unwrap().append(&lemmas.by_work());
    assert!(matches!(full, Err(LogError::Write { .. })));
}

/// Damaged lines cost what they say, and nothing else.
#[test]
fn damaged_lines_are_left_out_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let (board, _) = known(3, 3);
    let path = folder.path().join("log");
    prove(&path, board, 100);
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 7;
    bytes[at] ^= 0x04;
    bytes.splice(0..0, b"# a comment\n\xff\xfe\n\n".iter().copied());
    std::fs::write(&path, &bytes).unwrap();
    let mut lemmas = LemmaSet::new(board);
    let damaged = lemmas.read(&path).unwrap();
    let lines: Vec<usize> = damaged.first().iter().map(|(origin, _)| origin.line).collect();
    assert_eq!(lines, [2, 5]);
    assert!(damaged.first()[1].0.to_string().ends_with("log, line 5"));
    assert!(lemmas.len() > 10);
    // A line without an end is no reason to read all of it.
    std::fs::write(&path, [vec![b'x'; 1 << 20], b"\n".to_vec()].concat()).unwrap();
    assert_eq!(LemmaSet::new(board).read(&path).unwrap().count(), 1);
    // Of a file that is none, only the first lines are kept.
    std::fs::write(&path, "no lemma\n".repeat(50_000)).unwrap();
    let damaged = LemmaSet::new(board).read(&path).unwrap();
    assert_eq!((damaged.count(), damaged.first().len()), (50_000, 20));
}

/// A file that is not a log is not written to, and stays as it was.
#[test]
fn other_files_are_left_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let board = Board::new(2, 2).unwrap();
    for (name, bytes) in [
        ("log.gz", &b"2x2:0x0 2..4 30 005129f3\n"[..]),
        ("weights", b"DXWEIGHT\n\0\x01rest"),
        ("text", b"Dear all,\nhello"),
        ("notes.md", b"# Notes\n\nSay hello.\n"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        assert!(matches!(ProofLog::open(&path, board), Err(LogError::Foreign { .. })), "{name}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}");
    }
}

#[test]
fn a_log_has_one_writer_and_one_board() {
    let folder = tempfile::tempdir().unwrap();
    let (board, _) = known(2, 3);
    let path = folder.path().join("log");
    prove(&path, board, 1);
    let log = ProofLog::open(&path, board).unwrap();
    assert!(matches!(ProofLog::open(&path, board), Err(LogError::Busy { .. })));
    drop(log);
    let error = ProofLog::open(&path, Board::new(3, 2).unwrap()).unwrap_err();
    assert!(
        matches!(&error, LogError::Board { origin, expected, .. } if origin.line == 1 && expected == "3x2"),
        "{error:?}"
    );
    assert_eq!(board_of(&path).unwrap(), Some(board));
    assert!(matches!(ProofLog::open(folder.path(), board), Err(LogError::Write { .. })));
    assert!(matches!(LemmaSet::new(board).read(&folder.path().join("none")), Err(LogError::Read { .. })));
}

/// The log does not take what it knows, and refuses what contradicts it.
#[test]
fn only_news_is_appended() {
    let folder = tempfile::tempdir().unwrap();
    let board = Board::new(2, 2).unwrap();
    let path = folder.path().join("log");
    let mut log = ProofLog::open(&path, board).unwrap();
    let lemma = |lower, upper| Lemma { state: State::new(board), bounds: Bounds::new(lower, upper), nodes: 3 };
    assert_eq!(log.append(&[lemma(0, 4), lemma(-4, 4), lemma(0, 4)]).unwrap(), 1);
    assert_eq!(log.append(&[lemma(-2, 2)]).unwrap(), 1);
    let error = log.append(&[lemma(2, 2), lemma(-4, 0), lemma(2, 2)]).unwrap_err();
    assert_eq!(log.lemmas().get(State::new(board)).unwrap().bounds, Bounds::exact(2));
    let LogError::Contradiction(found) = error else { panic!("{error:?}") };
    assert_eq!((found.lower, found.lower_origin.line, found.upper), (2, 3, 0));
    drop(log);
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 3);
    assert_eq!(read(&path, board).get(State::new(board)).unwrap().bounds, Bounds::exact(2));
}

/// The lemmas of several machines stand in one log, from which those of one of them and all that
/// came later can be taken.
#[test]
fn a_log_goes_back_to_before_a_machine() {
    let folder = tempfile::tempdir().unwrap();
    let board = Board::new(3, 3).unwrap();
    let path = folder.path().join("log");
    let lemma = |edge: usize, lower| Lemma {
        state: State::new(board).after(doublecross_core::board::Edge::new(edge)),
        bounds: Bounds::new(lower, 9),
        nodes: 3,
    };
    let mut log = ProofLog::open(&path, board).unwrap();
    log.append(&[lemma(0, -7)]).unwrap();
    log.append_of("a", &[lemma(1, -7), lemma(0, -5)]).unwrap();
    log.append_of("b", &[lemma(1, -7)]).unwrap();
    log.append_of("b", &[lemma(3, -7)]).unwrap();
    log.append_of("a", &[lemma(4, -7)]).unwrap();
    log.append_of("b", &[lemma(4, -5)]).unwrap();
    let sources: Vec<&str> = (1..=10).map(|line| log.source_of(line)).collect();
    assert_eq!(sources, ["", "a", "a", "a", "b", "b", "a", "a", "b", "b"]);
    drop(log);
    let mut log = ProofLog::open(&path, board).unwrap();
    assert_eq!(log.source_of(6), "b");
    assert_eq!(log.ban("nobody").unwrap(), 0);
    assert_eq!(log.ban("b").unwrap(), 7);
    // It is locked still.
    assert!(matches!(ProofLog::open(&path, board), Err(LogError::Busy { .. })));
    assert_eq!(log.banned().collect::<Vec<_>>(), ["nobody", "b"]);
    assert_eq!(log.lemmas().len(), 2);
    assert!(log.lemmas().get(lemma(3, 0).state).is_none());
    log.append_of("a", &[lemma(4, -3)]).unwrap();
    assert_eq!(log.source_of(log.lines()), "a");
    drop(log);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("# banned ")).count(), 2);
    assert_eq!(text.lines().count(), 7);
    assert_eq!(std::fs::read_to_string(folder.path().join("log.refused")).unwrap().lines().count(), 7);
    assert_eq!(read(&path, board).len(), 3);
    // Bans outlast later ones that cut before them.
    let mut log = ProofLog::open(&path, board).unwrap();
    log.append_of("c", &[lemma(5, -3)]).unwrap();
    log.ban("c").unwrap();
    assert_eq!(log.banned().collect::<Vec<_>>(), ["nobody", "b", "c"]);
    // Three lines of the machine, three bans, and its later lemma.
    assert_eq!(log.ban("a").unwrap(), 7);
    assert_eq!(log.lemmas().len(), 1);
    assert_eq!(log.append(&[lemma(6, -3)]).unwrap(), 1);
    drop(log);
    let log = ProofLog::open(&path, board).unwrap();
    assert_eq!((log.banned().count(), log.lemmas().len()), (4, 2));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// A log is cut as it lies there: links, modes and the files beside it stay.
#[cfg(unix)]
#[test]
fn a_linked_log_stays_linked() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("other")).unwrap();
    std::os::unix::fs::symlink("other/log", path("log")).unwrap();
    std::fs::write(path("log.partial"), "mine").unwrap();
    let state = State::new(Board::new(3, 3).unwrap());
    let mut log = ProofLog::open(&path("log"), state.board()).unwrap();
    std::fs::set_permissions(path("other/log"), std::fs::Permissions::from_mode(0o640)).unwrap();
    log.append_of("a", &[Lemma { state, bounds: Bounds::new(-3, 9), nodes: 3 }]).unwrap();
    assert_eq!(log.ban("a").unwrap(), 2);
    assert!(path("log").is_symlink());
    assert_eq!(std::fs::metadata(path("other/log")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(std::fs::read_to_string(path("other/log")).unwrap(), "# banned a\n");
    assert_eq!(std::fs::read_to_string(path("log.partial")).unwrap(), "mine");
}

#[test]
fn compressed_logs_are_read() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let (board, _) = known(2, 3);
    let path = folder.path().join("log");
    prove(&path, board, 1);
    let compressed = folder.path().join("log.gz");
    let mut encoder =
        flate2::write::GzEncoder::new(std::fs::File::create(&compressed).unwrap(), flate2::Compression::best());
    encoder.write_all(&std::fs::read(&path).unwrap()).unwrap();
    encoder.finish().unwrap();
    assert_eq!(read(&compressed, board).by_work(), read(&path, board).by_work());
    // What was cut off is an error rather than a shorter log.
    let bytes = std::fs::read(&compressed).unwrap();
    std::fs::write(&compressed, &bytes[..bytes.len() / 2]).unwrap();
    assert!(matches!(LemmaSet::new(board).read(&compressed), Err(LogError::Read { .. })));
}

/// A claim that is given up is neither true nor false.
#[test]
fn the_plain_solver_gives_up() {
    let claim = Claim::at_least("3x3".parse().unwrap(), -3);
    assert_eq!(PlainSolver::new().is_true(claim, 10), None);
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let mut stopped = PlainSolver::stopped_by(stop.clone());
    assert_eq!(stopped.is_true(claim, u64::MAX), None);
    stop.store(false, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(stopped.is_true(claim, u64::MAX), Some(true));
}

/// Returns the margin by the bare rules with a memo and nothing else.
pub(super) fn margin_by_the_rules(state: State, memo: &mut HashMap<State, i32>) -> i32 {
    if let Some(&known) = memo.get(&state) {
        return known;
    }
    let value = |edge| {
        let rest = margin_by_the_rules(state.after(edge), memo);
        match state.captures(edge) {
            0 => -rest,
            captures => captures as i32 + rest,
        }
    };
    let best = state.undrawn().iter().map(value).max().unwrap_or(0);
    memo.insert(state, best);
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The second solver agrees with the bare rules.
    #[test]
    fn the_plain_solver_agrees_with_the_rules(
        size in prop::sample::select(vec![(2, 3), (3, 3), (2, 5), (4, 3), (4, 4)]),
        word: u64,
        other: u64,
        target in -6..=6,
    ) {
        let board = Board::new(size.0, size.1).unwrap();
        let drawn = Edges::from_bytes(&(word | other).to_le_bytes()).intersection(board.all());
        let mut state = State::from_drawn(board, drawn);
        while state.undrawn().len() > 13 {
            state = state.after(state.undrawn().lowest().unwrap());
        }
        let margin = margin_by_the_rules(state, &mut HashMap::new());
        let mut plain = PlainSolver::new();
        prop_assert_eq!(plain.is_true(Claim::at_least(state, target), u64::MAX), Some(margin >= target));
        prop_assert_eq!(plain.is_true(Claim::at_most(state, target), u64::MAX), Some(margin <= target));
        prop_assert_eq!(plain.is_true(Claim::at_least(state, margin), u64::MAX), Some(true));
    }
}

/// A claim that is assumed for one lemma and refuted by another makes one of them false.
#[test]
fn assumptions_that_the_log_refutes_are_named() {
    let state = |text: &str| text.parse::<State>().unwrap();
    let lemmas_of = |other: Bounds| {
        let mut lemmas = LemmaSet::new(Board::new(2, 2).unwrap());
        for (state, bounds) in [(state("2x2"), Bounds::exact(0)), (state("2x2:0x1"), other)] {
            let origin = Origin { log: "log".into(), line: 1 };
            lemmas.add(&Lemma { state: state.canonical().0, bounds, nodes: 9 }, &origin).unwrap();
        }
        lemmas
    };
    let refuted = |other| Checker::new(&lemmas_of(other), 0).derive_all().refuted;
    // The player to move after one edge is the second one.
    assert_eq!(refuted(Bounds::new(-4, -2)), [Claim::at_least(state("2x2:0x1").canonical().0, 0)]);
    assert!(refuted(Bounds::new(0, 2)).is_empty());
}
