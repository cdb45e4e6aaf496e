//! The commands in the documents print what the documents say.
//!
//! Every fenced block with the info string `console` in README.md and in three pages of docs/ is run: a line that begins with `$ ` is a
//! command, the lines behind it are its output. A block that stands behind `<!-- file: NAME -->` is a file for the commands
//! of its page. Words behind `console` say how a block is run:
//!
//! * `slow`: only by the ignored test;
//! * `varies`: numbers are not compared, as by the clock;
//! * `fails`: the last command has to fail, where otherwise every command has to succeed;
//! * `interrupted`: the command runs until it is ended; its first line is compared.
//!
//! A line `...` stands for any lines.
//!
//! Networks run on the portable instruction set here, so that games are the same on every machine. Times, sizes of files,
//! counts of nodes and addresses are not compared. With `DOUBLECROSS_BLESS=1` a block that differs is rewritten.

#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
mod words;

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use common::{DOUBLECROSS, repository};

/// A fenced block of a page.
struct Block {
    /// The lines of the page between the fences.
    lines: std::ops::Range<usize>,
    /// The words of the info string.
    info: Vec<String>,
    /// The name of the file that the block stands for.
    file: Option<String>,
}

impl Block {
    fn is(&self, word: &str) -> bool {
        self.info.iter().any(|other| other == word)
    }
}

fn blocks(lines: &[String]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, Vec<String>)> = None;
    let mut file = None;
    for (index, line) in lines.iter().enumerate() {
        let fence = line.strip_prefix("```");
        match (fence, open.take()) {
            (Some(_), Some((start, info))) => {
                blocks.push(Block { lines: start + 1..index, info, file: std::mem::take(&mut file) });
            }
            (Some(info), None) => open = Some((index, info.split_whitespace().map(String::from).collect())),
            (None, still_open) => {
                let name = line.strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->"));
                file = name.map(String::from).or(file);
                open = still_open;
            }
        }
    }
    blocks
}

/// One command of a block with the output that the page shows.
struct Step {
    command: String,
    output: Vec<String>,
}

fn steps(lines: &[String]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut goes_on = false;
    for line in lines {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (_, Some(step)) if goes_on => step.command += &format!("\n{line}"),
            (Some(command), _) => steps.push(Step { command: command.into(), output: Vec::new() }),
            (None, Some(step)) => step.output.push(line.clone()),
            (None, None) => panic!("a console block begins with a command: {line}"),
        }
        goes_on = steps.last().is_some_and(|step| step.output.is_empty() && step.command.ends_with('\\'));
    }
    steps
}

/// The pages whose commands are run: those with the most of them.
const RUN: [&str; 4] = ["README.md", "docs/export.md", "docs/protocol.md", "docs/training.md"];

/// The folders of a clone that the commands of pages use.
const LINKED: [&str; 4] = ["checkpoints", "configs", "data", "tests"];

/// A scratch folder with what a clone holds, for the commands of one page.
fn scratch(page: &str) -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix(&page.replace(['/', '.'], "-")).tempdir().unwrap();
    for name in LINKED {
        std::os::unix::fs::symlink(repository(name), folder.path().join(name)).unwrap();
    }
    folder
}

fn shell(command: &str, folder: &Path) -> Command {
    let program = Path::new(DOUBLECROSS);
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1\n{command}")]).current_dir(folder).stdin(Stdio::null());
    shell.env("PATH", path).env("DOUBLECROSS_ISA", "portable").env("LC_ALL", "C");
    shell
}

/// The output of a command, line by line, and `true` if it succeeded.
fn output(command: &str, folder: &Path, is_interrupted: bool) -> (Vec<String>, bool) {
    // Systems differ in what they confine.
    let is_common = |line: &&str| !line.starts_with("this system does not confine exec: bots fully");
    let lines = |text: &str| text.lines().filter(is_common).map(|line| line.trim_end().to_string()).collect();
    if !is_interrupted {
        let output = shell(command, folder).output().unwrap();
        return (lines(&String::from_utf8_lossy(&output.stdout)), output.status.success());
    }
    let mut child = shell(&format!("exec {command}"), folder).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    (lines(&line), true)
}

/// A line without what depends on the machine, or, where `varies`, without any number.
fn normalized(line: &str, varies: bool) -> String {
    let mut words = Vec::new();
    for word in line.split_whitespace() {
        // Numbers, and what stands around them.
        let is_part = |c: char| c.is_ascii_digit() || ".,+-".contains(c);
        let mut text = String::new();
        let mut number = String::new();
        for c in word.chars().chain([' ']) {
            if is_part(c) || (c == 'e' && !number.is_empty()) {
                number.push(c);
            } else {
                if number.chars().any(|c| c.is_ascii_digit()) && varies {
                    text.push('#')
                } else {
                    text += &number
                }
                number.clear();
                text.push(c);
            }
        }
        words.push(text.trim_end().to_string());
    }
    let units = ["s", "nodes", "bytes", "games/s", "evaluations/s", "M/s"];
    for index in 1..words.len() {
        let is_learning_share = index > 1 && words[index - 2] == "learning" && words[index] == "%,";
        if is_learning_share || units.contains(&words[index].trim_end_matches([',', ')'])) {
            let bracket = if words[index - 1].starts_with('(') { "(" } else { "" };
            words[index - 1] = format!("{bracket}#");
        }
    }
    let mut line = words.join(" ");
    for key in ["\"seconds\":", "\"longest\":", "\"nodes\":", "\"isa\":", "http://127.0.0.1:"] {
        let mut rest = std::mem::take(&mut line);
        while let Some(at) = rest.find(key) {
            let (head, tail) = rest.split_at(at + key.len());
            let end = match tail.chars().next() {
                Some('[') => tail.find(']').map_or(tail.len(), |end| end + 1),
                _ => tail.find([',', '}', '/']).unwrap_or(tail.len()),
            };
            line += &format!("{head}#");
            rest = tail[end..].to_string();
        }
        line += &rest;
    }
    line
}

/// Returns `true` if the lines of an output are those that a page shows, where `...` stands for any.
fn agree(shown: &[String], actual: &[String]) -> bool {
    let chunks: Vec<&[String]> = shown.split(|line| line == "...").collect();
    let [first, middle @ .., last] = chunks.as_slice() else { return shown == actual };
    let Some(mut rest) = actual.strip_prefix(*first).and_then(|rest| rest.strip_suffix(*last)) else { return false };
    for chunk in middle.iter().filter(|chunk| !chunk.is_empty()) {
        let Some(at) = rest.windows(chunk.len()).position(|lines| lines == *chunk) else { return false };
        rest = &rest[at + chunk.len()..];
    }
    true
}

#[test]
fn left_out_lines_may_be_any() {
    let lines = |text: &str| -> Vec<String> { text.split_whitespace().map(String::from).collect() };
    let agree = |shown: &str, actual: &str| agree(&lines(shown), &lines(actual));
    assert!(agree("a b", "a b") && agree("a ... d", "a b c d") && agree("... b ... d ...", "a b c d e"));
    assert!(agree("a ...", "a") && agree("... b", "a b"));
    assert!(!agree("a b", "a c") && !agree("a ... d", "a b c") && !agree("... c ... b ...", "a b c"));
    assert!(!agree("a ... a", "a"));
}

/// Writes the files that stand in a page. A page may use those of another.
fn write_files(page: &str, folder: &Path) {
    let lines: Vec<String> = fs::read_to_string(repository(page)).unwrap().lines().map(String::from).collect();
    for block in blocks(&lines) {
        if let Some(name) = &block.file {
            fs::write(folder.join(name), lines[block.lines].join("\n") + "\n").unwrap();
        }
    }
}

/// Runs the blocks of a page, the slow ones too if `slow`; returns what differs.
fn check(page: &str, slow: bool) -> Vec<String> {
    let path = repository(page);
    let mut lines: Vec<String> = fs::read_to_string(&path).unwrap().lines().map(String::from).collect();
    let folder = scratch(page);
    let (mut differences, mut failures, mut rewritten) = (Vec::new(), Vec::new(), Vec::new());
    pages().iter().for_each(|page| write_files(page, folder.path()));
    for block in blocks(&lines) {
        let body = &lines[block.lines.clone()];
        if !block.is("console") || (block.is("slow") && !slow) {
            continue;
        }
        let mut found = Vec::new();
        let mut is_same = true;
        let steps = steps(body);
        let last = steps.len() - 1;
        for (index, Step { command, output: shown }) in steps.into_iter().enumerate() {
            let (actual, is_success) = output(&command, folder.path(), block.is("interrupted"));
            if is_success == (block.is("fails") && index == last) {
                let ends = if is_success { "succeeds" } else { "fails" };
                failures.push(format!(
                    "{page}, line {}: {command} {ends}:\n{}\n",
                    block.lines.start,
                    actual.join("\n")
                ));
            }
            let normal = |lines: &[String]| -> Vec<String> {
                lines.iter().map(|line| normalized(line, block.is("varies"))).collect()
            };
            let same = agree(&normal(&shown), &normal(&actual));
            is_same &= same;
            found.push(format!("$ {command}"));
            found.extend(if same { shown.clone() } else { actual.clone() });
            if !same {
                let (shown, actual) = (shown.join("\n"), actual.join("\n"));
                differences.push(format!(
                    "{page}, line {}: {command}\n--- the page\n{shown}\n--- the program\n{actual}\n",
                    block.lines.start
                ));
            }
        }
        if !is_same {
            rewritten.push((block.lines, found));
        }
    }
    if !rewritten.is_empty() && std::env::var("DOUBLECROSS_BLESS").is_ok_and(|bless| bless == "1") {
        for (range, found) in rewritten.into_iter().rev() {
            lines.splice(range, found);
        }
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        differences.clear();
    }
    failures.extend(differences);
    failures.extend(
        written(folder.path())
            .into_iter()
            .filter(|name| !is_ignored(name))
            .map(|name| format!("{page}: its commands write {name} into a clone, which .gitignore should name\n")),
    );
    failures
}

/// The names of what commands have written into a scratch folder.
fn written(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !LINKED.contains(&&**name)).collect()
}

/// Returns `true` if git ignores this name at the root of a clone, or if there is no git to ask.
fn is_ignored(name: &str) -> bool {
    let mut git = Command::new("git");
    git.args(["check-ignore", "--quiet", "--no-index", name]).current_dir(repository(""));
    // Status 1 stands for a file that is not ignored, and 128 for a folder that is no clone.
    git.status().map_or(true, |status| status.code() != Some(1))
}

fn pages() -> Vec<String> {
    let docs = fs::read_dir(repository("docs")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> = docs.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.push("README.md".into());
    pages.sort();
    pages
}

#[test]
fn commands_print_what_the_documents_say() {
    let differences: Vec<String> = RUN.iter().flat_map(|page| check(page, false)).collect();
    assert!(differences.is_empty(), "run docs/refresh:\n{}", differences.join("\n"));
}

#[test]
#[ignore = "long: run with --include-ignored"]
fn slow_commands_print_what_the_documents_say() {
    let text = |page: &str| fs::read_to_string(repository(page)).unwrap();
    let slow = RUN.iter().filter(|page| text(page).contains("```console slow"));
    let differences: Vec<String> = slow.flat_map(|page| check(page, true)).collect();
    assert!(differences.is_empty(), "run docs/refresh:\n{}", differences.join("\n"));
}

/// Every relative link of the documents leads to a file, and to a heading where it names one.
#[test]
fn links_of_the_documents_lead_somewhere() {
    let mut pages = pages();
    pages.extend(
        ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "crates/core/tests/reference/README.md"].map(String::from),
    );
    let experiments = fs::read_dir(repository("docs/experiments")).unwrap();
    pages.extend(experiments.map(|e| format!("docs/experiments/{}", e.unwrap().file_name().into_string().unwrap())));
    let mut broken = Vec::new();
    for page in &pages {
        let text = fs::read_to_string(repository(page)).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") || link.contains(' ') || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => repository(page),
                file => repository(page).parent().unwrap().join(file),
            };
            if !target.exists() || (!anchor.is_empty() && !has_anchor(&target, anchor)) {
                broken.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn has_anchor(page: &Path, anchor: &str) -> bool {
    let text = fs::read_to_string(page).unwrap_or_default();
    let slug = |heading: &str| -> String {
        let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || "- _".contains(*c));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| slug(line.trim_start_matches('#')));
    text.contains(&format!("id=\"{anchor}\"")) || headings.into_iter().any(|heading| heading == anchor)
}

/// An experiment has one number, on whichever page it stands.
#[test]
fn experiments_have_numbers_of_their_own() {
    let entries = fs::read_dir(repository("docs/experiments")).unwrap();
    let pages = entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect::<String>();
    let anchors = pages.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut numbers: Vec<&str> = anchors.collect();
    assert!(numbers.len() > 50, "{}", numbers.len());
    numbers.sort();
    let twice: Vec<_> = numbers.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

/// The names in the map of the code are in the code, and each fuzz target is listed.
#[test]
fn names_of_the_code_exist() {
    let mut files = Vec::new();
    let mut folders = vec![repository("src"), repository("crates")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() { &mut folders } else { &mut files }.push(path);
        }
    }
    let sources = files.iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let words: HashSet<String> = sources
        .flat_map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').map(String::from);
            words.collect::<Vec<_>>()
        })
        .collect();
    let page = fs::read_to_string(repository("docs/architecture.md")).unwrap();
    let paths = page.split('`').skip(1).step_by(2).filter(|code| code.contains("::") && !code.contains(' '));
    let unknown: Vec<&str> =
        paths.filter(|path| path.split("::").any(|name| !name.is_empty() && !words.contains(name))).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    let page = fs::read_to_string(repository("CONTRIBUTING.md")).unwrap();
    for target in fs::read_dir(repository("fuzz/fuzz_targets")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = target.file_stem().unwrap().to_str().unwrap();
        assert!(page.contains(&format!("`{name}`")), "the fuzz target {name} is not listed");
    }
}

/// The front page stays short enough to be read.
#[test]
fn the_front_page_is_short() {
    let text = fs::read_to_string(repository("README.md")).unwrap();
    assert!(text.lines().count() <= 150, "{} lines", text.lines().count());
    assert!(text.split_whitespace().count() <= 900, "{} words", text.split_whitespace().count());
}
