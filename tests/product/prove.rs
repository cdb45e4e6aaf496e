//! `doublecross prove`: a proof that is killed and goes on, logs that are merged, and checks that find
//! what was tampered with.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{json, repository, run, succeed, wait_until};
use serde_json::Value;

fn prove(folder: &Path, arguments: &[&str]) -> Value {
    let arguments = [&["prove"], arguments, &["--json"]].concat();
    json(&succeed(folder, &arguments))
}

/// Checks logs, and returns the exit status and what is printed as JSON.
fn check(folder: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = run(folder, &[&["prove", "check"], arguments, &["--json"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1, "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), json(&text))
}

/// A forged log of 3x4: the margin is 0, and +2 follows from a single false claim, that the margin of
/// 3x4:0x800000 is at most -2. The second solver takes 30,386 positions to refute it.
fn false_3x4() -> String {
    repository("tests/data/proofs/false-3x4.log").display().to_string()
}

/// The false claim of that log.
const FALSE_CLAIM: &str = "3x4:0x800000 is at most -2";

fn told(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(folder, arguments);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_proof_is_logged_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    // With one thread, since each of several may do too little of a result for the log.
    let answer = prove(folder.path(), &["3x4", "--log", "log", "--log-from", "2000", "--threads", "1"]);
    assert_eq!((&answer["margin"], &answer["settled"]), (&Value::from(0), &Value::from(true)));
    assert!(answer["mistakes"].as_f64().unwrap() < 1e-9, "{answer}");
    let again = prove(folder.path(), &["3x4", "--log", "log"]);
    assert_eq!((&again["margin"], &again["lemmas"]), (&Value::from(0), &answer["lemmas"]));
    assert!(again["nodes"].as_u64() < Some(100), "{again}");
    let (code, sampled) = check(folder.path(), &["log", "--sample", "20"]);
    assert_eq!(code, Some(5), "{sampled}");
    assert_eq!(
        (&sampled["claimed"]["margin"], &sampled["damaged"], &sampled["solved"]),
        (&Value::from(0), &Value::from(0), &Value::from(20))
    );
    assert!(sampled["derived"].as_u64() > Some(50) && sampled["frontier"].as_u64() > Some(100), "{sampled}");
    assert_eq!(sampled["false"], Value::Array(Vec::new()));
    // Nothing is proved, and the sample says what it may miss.
    let frontier = sampled["frontier"].as_u64().unwrap();
    assert_eq!(
        (&sampled["proved"], &sampled["settled"], &sampled["margin"]),
        (&false.into(), &false.into(), &Value::Null)
    );
    assert_eq!((&sampled["lower"], &sampled["upper"]), (&Value::from(-12), &Value::from(12)));
    assert_eq!((&sampled["assumed"], &sampled["lemmas"]), (&Value::from(frontier - 20), &answer["lemmas"]));
    assert_eq!(sampled["conclusion"], format!("follows from {} assumed claims", frontier - 20));
    let missed = sampled["miss_chance"].as_f64().unwrap();
    assert!((missed - (frontier - 20) as f64 / frontier as f64).abs() < 1e-9, "{sampled}");
    // The seed is another one each time, unless it is given.
    let (_, other) = check(folder.path(), &["log", "--sample", "20"]);
    assert_ne!(other["seed"], sampled["seed"]);
    let seed = sampled["seed"].to_string();
    let budget = ["log", "--sample", "60", "--budget", "2000", "--seed", &seed];
    let (again, once_more) = (check(folder.path(), &budget).1, check(folder.path(), &budget).1);
    assert!(again == once_more && again["seed"] == sampled["seed"], "{again}");
    assert_ne!(check(folder.path(), &[&budget[..6], &["7"]].concat()).1["beyond"], again["beyond"]);
    // Nothing is left to miss once the whole frontier is solved.
    prove(folder.path(), &["3x3", "--log", "small", "--log-from", "200", "--threads", "1"]);
    let whole = prove(folder.path(), &["check", "small", "--sample", "all", "--frontier", "claims"]);
    assert_eq!((whole["miss_chance"].as_f64(), &whole["solved"]), (Some(0.0), &whole["frontier"]));
    assert_eq!(
        (&whole["conclusion"], &whole["margin"], &whole["assumed"]),
        (&"is proved".into(), &(-3).into(), &0.into())
    );
    let claims = fs::read_to_string(folder.path().join("claims")).unwrap();
    assert_eq!(Some(claims.lines().count() as u64), whole["frontier"].as_u64());
    assert!(claims.lines().all(|claim| claim.starts_with("3x3:0x") && claim.contains(" is at ")), "{claims}");
    let (code, text) = told(folder.path(), &["prove", "check", "small", "--sample", "all"]);
    assert!(code == Some(0) && text.starts_with("3x3:0x0: margin -3 is proved\n"), "{text}");
    assert!(text.contains("assumed: nothing but the rules"), "{text}");
    let (code, text) = told(folder.path(), &["prove", "check", "small", "--sample", "all", "--budget", "500"]);
    assert!(code == Some(5) && !text.contains("chance"), "{text}");
    // Nothing but the last result, whose move nothing shows.
    let lemma = doublecross::solver::Lemma {
        state: "3x4".parse().unwrap(),
        bounds: doublecross::Bounds::exact(0),
        nodes: 100_000,
    };
    fs::write(folder.path().join("alone"), doublecross::proof::format_lemma(&lemma) + "\n").unwrap();
    let (_, text) = told(folder.path(), &["prove", "check", "alone", "--sample", "all", "--budget", "1"]);
    assert!(text.contains("  3x4:0x0 is at least 0: beyond the budget, a lemma of 100000 nodes\n"), "{text}");
    // One side alone.
    let half = prove(folder.path(), &["3x4", "--log", "half", "--log-from", "300", "--at-most", "-2"]);
    assert_eq!(
        (&half["lower"], &half["upper"], &half["settled"]),
        (&Value::from(0), &Value::from(12), &Value::from(false))
    );
    assert_eq!(half["question"], serde_json::json!({ "at_most": -2, "answer": false }));
    // Margins are even here. What the log says already is not forgotten.
    let text = succeed(folder.path(), &["prove", "3x4", "--log", "half", "--log-from", "300", "--at-least", "1"]);
    assert!(text.starts_with("3x4:0x0: at least +2? no\n3x4:0x0: margin +0 ("), "{text}");
    let open = prove(folder.path(), &["4x4", "--log", "open", "--table", "1M", "--seconds", "0.1", "--at-least", "2"]);
    assert_eq!(open["question"], serde_json::json!({ "at_least": 2, "answer": null }));
    // What the number of boxes decides needs no search.
    for (position, bound, margin, answer) in [
        ("1x1:0xf", "--at-least", "0", "at least +0? yes"),
        ("1x1", "--at-least", "-1", "at least -1? yes"),
        ("3x4", "--at-most", "12", "at most +12? yes"),
        ("1x1:0xf", "--at-most", "0", "at most +0? yes"),
    ] {
        let text = succeed(folder.path(), &["prove", position, "--log", "trivial", bound, margin]);
        assert!(text.contains(answer) && text.contains("; 0 nodes"), "{text}");
    }
    let (code, text) = told(folder.path(), &["prove", "3x4", "--log", "half", "--at-least", "x"]);
    assert_eq!(code, Some(2), "{text}");
}

#[test]
fn an_empty_log_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let (code, text) = told(folder.path(), &["prove", "2x3", "--log", "log"]);
    assert!(code == Some(0) && text.contains("the log is empty: nothing took 65536 nodes"), "{text}");
    let (code, text) = told(folder.path(), &["prove", "check", "log"]);
    assert_eq!(code, Some(3), "{text}");
    let (code, text) = told(folder.path(), &["prove", "merge", "new", "log"]);
    assert_eq!(code, Some(2), "{text}");
    fs::write(folder.path().join("other"), "2x3:0x1 -6..2 30 00000000\n# words\nwords\n").unwrap();
    for arguments in [["check", "other"].as_slice(), &["merge", "log", "other"]] {
        let (code, text) = told(folder.path(), &[&["prove"], arguments].concat());
        assert_eq!(code, Some(3), "{text}");
    }
}

#[test]
fn positions_are_proved_in_turn_with_one_table() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing takes so many nodes that it would be logged, so that the table alone helps.
    let run = |positions: &[&str], more: &[&str]| -> Vec<Value> {
        let options = ["--log", "log", "--at-most", "0", "--threads", "1", "--log-from", "10000000", "--json"];
        let arguments = [&["prove"], positions, &options, more].concat();
        let lines = crate::common::succeed(folder.path(), &arguments);
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    // Two pairs of edges, and the whole.
    let positions = ["3x4:0x1400000", "3x4:0x480000", "3x4:0x0"];
    let in_turn = run(&positions, &[]);
    assert_eq!(in_turn.iter().map(|object| object["position"].as_str().unwrap()).collect::<Vec<_>>(), positions);
    for (object, position) in in_turn.iter().zip(positions) {
        let [alone] = &run(&[position], &[])[..] else { panic!("one object for each position") };
        assert_eq!(object["question"], alone["question"]);
        assert_eq!((&object["question"]["answer"], &object["lemmas"]), (&true.into(), &0.into()));
        let less = |name: &str| object[name].as_f64().unwrap() / alone[name].as_f64().unwrap();
        for share in [less("nodes"), less("mistakes")] {
            assert!(share < 0.9 || position == positions[0] && share == 1.0, "{position}: {share}");
        }
    }
    assert_eq!(run(&positions, &["--seconds", "0.000001"]).len(), 1, "what was begun");
    let words =
        crate::common::succeed(folder.path(), &["prove", "2x2:0x3", "2x2", "--log", "small", "--at-least", "1"]);
    let words: Vec<&str> = words.lines().map(|line| line.split(" (").next().unwrap()).collect();
    assert_eq!(words[2..], ["2x2:0x0: at least +2? yes", "2x2:0x0: margin +2 to +4"]);
    let (code, text) = told(folder.path(), &["prove", "3x4", "3x3", "--log", "none"]);
    assert_eq!(code, Some(2), "{text}");
    let at = ["--at", "localhost", "--key", "key"];
    let (code, text) = told(folder.path(), &[&["prove", "3x4", "3x4:0x1", "--log", "none"], &at[..]].concat());
    assert_eq!(code, Some(2), "{text}");
    assert!(!folder.path().join("none").exists());
}

#[test]
fn a_killed_proof_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let arguments = ["prove", "4x4", "--log", "log", "--log-from", "200", "--table", "1M"];
    let mut child = crate::common::program(folder.path()).args(arguments).spawn().unwrap();
    wait_until("lemmas are logged", || fs::metadata(&log).is_ok_and(|log| log.len() > 20_000));
    child.kill().unwrap();
    child.wait().unwrap();
    let size = fs::metadata(&log).unwrap().len();
    // The kill may have cut off a line.
    let mut bytes = fs::read(&log).unwrap();
    bytes.extend_from_slice(b"4x4:0x12");
    fs::write(&log, bytes).unwrap();
    let answer = prove(folder.path(), &["4x4", "--log", "log", "--seconds", "1", "--log-from", "200"]);
    assert!(answer["lemmas"].as_u64() > Some(300), "{answer}");
    assert!(fs::metadata(&log).unwrap().len() > size);
    // Without what may be known of the position itself by now.
    let lines = fs::read_to_string(&log).unwrap();
    let others: Vec<&str> = lines.lines().filter(|line| !line.starts_with("4x4:0x0 ")).collect();
    fs::write(&log, others.join("\n") + "\n").unwrap();
    let (code, text) = told(folder.path(), &["prove", "check", "log", "--sample", "0"]);
    assert!(code == Some(3) && text.contains("nothing about 4x4:0x0 follows"), "{text}");
}

/// A check that is interrupted says what the claims were that it had begun.
#[test]
#[cfg(unix)]
fn an_interrupted_check_tells_what_it_found() {
    let folder = tempfile::tempdir().unwrap();
    // Without other lemmas, nothing that is needed for this one is solved within minutes.
    fs::write(folder.path().join("log"), "4x5:0x0 0..0 2808441841 af96e7a3\n").unwrap();
    let mut command = crate::common::program(folder.path());
    command.args(["prove", "check", "log", "--sample", "all", "--frontier", "claims", "--json", "--threads", "1"]);
    let child = crate::common::Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    wait_until("the claims are known", || folder.path().join("claims").exists());
    std::thread::sleep(Duration::from_millis(500));
    crate::common::signal(&child.0, "-INT");
    let output = child.output();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    let check = json(&String::from_utf8(output.stdout).unwrap());
    let count = |name: &str| check[name].as_u64().unwrap();
    assert!(check["interrupted"] == true && count("solved") == 0 && count("assumed") > 10, "{check}");
    assert!(check["claimed"]["margin"] == 0 && check["margin"].is_null() && check["proved"] == false, "{check}");
    assert!(check["false"] == Value::Array(Vec::new()) && check["miss_chance"].is_null(), "{check}");
}

/// A forger who makes his false claim dear gets it named, and his value is never stated as proved.
#[test]
fn a_dear_false_claim_is_named_and_never_proved() {
    let folder = tempfile::tempdir().unwrap();
    let log = &false_3x4();
    let budget = ["--threads", "1", "--budget", "20000"];
    for seed in ["1", "2", "3"] {
        let arguments = ["prove", "check", log, "-q", "--seed", seed, "--sample", "40", "--budget", "2000"];
        let (code, text) = told(folder.path(), &arguments);
        let first = text.lines().next().unwrap();
        assert!(first.starts_with("3x4:0x0: margin +2 follows from ") && first.ends_with(" assumed claims"), "{text}");
        assert!(code == Some(5) && text.contains(&format!("  {FALSE_CLAIM}: ")), "{text}");
        assert!(text.contains(", a lemma without a number of nodes\n"), "{text}");
        assert!(text.contains("  among them 3 lemmas without a number of nodes\n"), "{text}");
        assert!(text.contains(&format!("drawn with seed {seed}: ")) && text.contains("not drawn: 87.50 %\n"), "{text}");
    }
    let (code, json) = check(folder.path(), &[&[log, "--sample", "all"], &budget[..]].concat());
    assert_eq!((code, &json["proved"], &json["margin"]), (Some(5), &false.into(), &Value::Null), "{json}");
    assert!(json["beyond"].as_array().unwrap().contains(&FALSE_CLAIM.into()), "{json}");
    assert_eq!(
        (&json["assumed"], json["miss_chance"].as_f64()),
        (&json["beyond"].as_array().unwrap().len().into(), Some(0.0))
    );
    // Nothing that is drawn or not makes it a proof, whatever the budget.
    for (sample, budget) in [("0", "20000"), ("319", "1"), ("5", "100000")] {
        let (code, json) = check(folder.path(), &[log, "--sample", sample, "--budget", budget]);
        assert!(matches!(code, Some(3 | 5)) && json["proved"] == false, "{json}");
    }
}

/// A false claim that the budget suffices for is found, and one that is said to be cheap and is not counts as false.
#[test]
fn understated_claims_count_as_false() {
    let folder = tempfile::tempdir().unwrap();
    // The margin is 0.
    let write = |nodes| {
        let bounds = doublecross::Bounds::new(2, 12);
        let lemma = doublecross::solver::Lemma { state: "3x4".parse().unwrap(), bounds, nodes };
        fs::write(folder.path().join("log"), doublecross::proof::format_lemma(&lemma) + "\n").unwrap();
    };
    let claim = "3x4:0x0 is at least 2";
    let arguments = ["log", "--sample", "all", "--budget", "20000"];
    write(20);
    let (code, json) = check(folder.path(), &arguments);
    assert_eq!((code, &json["understated"]), (Some(3), &serde_json::json!([claim])), "{json}");
    let (code, text) = told(folder.path(), &[&["prove", "check", "-q"], &arguments[..]].concat());
    assert!(text.starts_with("3x4:0x0: margin +2 to +12 follows from 1 assumed claim\n"), "{text}");
    let named =
        format!("  {claim}: beyond the budget, a lemma of 20 nodes, so it counts as false until it is solved\n");
    assert!(code == Some(3) && text.contains(&named), "{text}");
    // A thousandth of the budget may be right, and nothing is stated by 0 nodes.
    for nodes in [21, 0] {
        write(nodes);
        let (code, json) = check(folder.path(), &arguments);
        assert_eq!(
            (code, &json["understated"], &json["beyond"]),
            (Some(5), &serde_json::json!([]), &serde_json::json!([claim]))
        );
    }
    for log in ["log", &false_3x4()] {
        let (code, json) = check(folder.path(), &[log, "--sample", "all"]);
        let claim = if log == "log" { claim } else { FALSE_CLAIM };
        assert_eq!((code, &json["false"]), (Some(3), &serde_json::json!([claim])), "{json}");
        let needed = json["frontier"].as_u64().unwrap();
        assert_eq!(json["conclusion"], format!("does not follow: false claims among the {needed} that it needs: 1"));
        assert!(json["margin"].is_null() && json["miss_chance"].is_null() && json["proved"] == false, "{json}");
    }
}

/// Writes a log of a single lemma.
fn write_lemma(path: &Path, position: &str, lower: i32, upper: i32) {
    let bounds = doublecross::Bounds::new(lower, upper);
    let lemma = doublecross::solver::Lemma { state: position.parse().unwrap(), bounds, nodes: 100 };
    fs::write(path, doublecross::proof::format_lemma(&lemma) + "\n").unwrap();
}

/// A log that proves bounds alone leaves the value open, whatever was solved.
#[test]
fn a_log_of_half_a_proof_proves_no_value() {
    let folder = tempfile::tempdir().unwrap();
    write_lemma(&folder.path().join("log"), "3x3", -7, 9);
    let (code, json) = check(folder.path(), &["log", "--sample", "all"]);
    assert_eq!((code, &json["settled"], &json["lower"]), (Some(5), &false.into(), &Value::from(-7)), "{json}");
    let (_, text) = told(folder.path(), &["prove", "check", "log", "--sample", "all", "-q"]);
    assert!(text.contains("doublecross: the value is open: "), "{text}");
}

/// A false lemma is believed, which is said, and found where the search refutes it.
#[test]
fn a_false_lemma_is_believed_until_it_is_refuted() {
    let folder = tempfile::tempdir().unwrap();
    // The margin is -3.
    write_lemma(&folder.path().join("log"), "3x3", 3, 3);
    let proved = prove(folder.path(), &["3x3", "--log", "log"]);
    assert_eq!((&proved["margin"], &proved["believed"]), (&Value::from(3), &Value::from(1)));
    let (code, text) = told(folder.path(), &["prove", "3x3", "--log", "log"]);
    assert!(code == Some(0) && text.contains("(1 lemma, 1 of them believed; 0 nodes"), "{text}");
    assert!(text.contains("which are believed (`doublecross prove check log` checks them)"), "{text}");
    for more in [&[][..], &["--moves"]] {
        let (code, text) = told(folder.path(), &[&["solve", "3x3", "--log", "log"], more].concat());
        assert!(code == Some(3) && text.contains("doublecross: log holds a false claim: "), "{text}");
    }
    // Neither what the user claims nor a budget that ends too soon is the log's fault.
    let (code, text) = told(folder.path(), &["solve", "3x3", "--known", "3..3", "--no-book"]);
    assert!(code == Some(2) && text.contains("doublecross: --known: "), "{text}");
    let (code, text) = told(folder.path(), &["solve", "3x3", "--known", "3..3", "--no-book", "--json"]);
    assert!(code == Some(2) && !text.contains("\"settled\":true"), "{text}");
    // Nothing is refuted out of the solver's reach.
    let (code, text) = told(folder.path(), &["solve", "9x9", "--known", "1..1"]);
    assert!(code == Some(0) && text.contains("+1"), "{text}");
    assert_eq!(told(folder.path(), &["solve", "3x3", "--log", "log", "--nodes", "1"]).0, Some(0));
}

#[test]
fn tampering_is_found() {
    let folder = tempfile::tempdir().unwrap();
    prove(folder.path(), &["3x3", "--log", "log", "--log-from", "50"]);
    let whole = fs::read_to_string(folder.path().join("log")).unwrap();
    let check = ["prove", "check", "forged", "--sample", "all"];
    let write = |text: &str| fs::write(folder.path().join("forged"), text).unwrap();
    write(&whole);
    assert_eq!(told(folder.path(), &check).0, Some(0));
    // A digit of a bound, without its checksum.
    write(&whole.replacen("..", "..-", 1));
    let (code, text) = told(folder.path(), &check);
    assert_eq!(code, Some(3), "{text}");
    // A lemma with a good checksum that says the opposite of another one.
    let root = whole.lines().find(|line| line.starts_with("3x3:0x0 ")).expect("the root should be a lemma");
    let opposite = doublecross::proof::format_lemma(&doublecross::solver::Lemma {
        state: "3x3".parse().unwrap(),
        bounds: doublecross::Bounds::new(-1, 9),
        nodes: 1000,
    });
    write(&format!("{whole}{opposite}\n"));
    let (code, text) = told(folder.path(), &check);
    assert!(
        code == Some(3) && text.contains("at least -1 by forged, line") && text.contains("at most -3 by forged"),
        "{text}"
    );
    // Without what it contradicts, its claims lead to false ones.
    let others: String =
        whole.lines().filter(|line| !line.starts_with("3x3:0x0 ")).map(|line| format!("{line}\n")).collect();
    write(&format!("{others}{opposite}\n"));
    let (code, text) = told(folder.path(), &check);
    assert!(code == Some(3) && text.contains(" false claim") && text.contains("; the first: \"3x3"), "{root}: {text}");
    assert!(text.contains(" does not follow: "), "{text}");
    // Nothing at all.
    write("");
    let (code, text) = told(folder.path(), &check);
    assert_eq!(code, Some(3), "{text}");
}

#[test]
fn logs_of_several_machines_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    prove(folder.path(), &["3x3", "--log", "low", "--log-from", "50", "--at-least", "-3"]);
    prove(folder.path(), &["3x3", "--log", "high", "--log-from", "50", "--at-most", "-3"]);
    let text = succeed(folder.path(), &["prove", "merge", "both", "low", "high"]);
    assert!(text.starts_with("both: ") && text.contains("new or closer"), "{text}");
    // The same from the logs apart.
    for logs in [&["both"][..], &["high", "low"]] {
        let (code, checked) = check(folder.path(), &[logs, &["--sample", "0"]].concat());
        assert_eq!((code, &checked["claimed"]["margin"]), (Some(5), &Value::from(-3)), "{checked}");
        assert_eq!(
            (&checked["assumed"], checked["miss_chance"].as_f64()),
            (&checked["frontier"], Some(1.0)),
            "{checked}"
        );
    }
    let again = succeed(folder.path(), &["prove", "merge", "both", "low", "high"]);
    assert!(again.contains(", 0 of them new or closer"), "{again}");
    // What is damaged is left out and told.
    let damaged = fs::read_to_string(folder.path().join("low")).unwrap().replacen("..", "..-", 1);
    fs::write(folder.path().join("damaged"), damaged).unwrap();
    let (code, text) = told(folder.path(), &["prove", "merge", "new", "damaged"]);
    assert_eq!(code, Some(3), "{text}");
    assert!(fs::read_to_string(folder.path().join("new")).unwrap().lines().count() > 50);
    prove(folder.path(), &["2x3", "--log", "other", "--log-from", "1"]);
    let (code, text) = told(folder.path(), &["prove", "merge", "both", "other", "low"]);
    assert_eq!(code, Some(2), "{text}");
}
