//! The package for JavaScript: assembled with the built program, its own tests and the example of its README run in it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::files_server::serve_folder;
use crate::common::tools::{has_chromium, has_node, has_python};
use crate::common::{DOUBLECROSS, repository};

/// Runs node in a folder, and returns its standard output.
fn node(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("node").args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.expect("node starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "node {arguments:?}: {printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

/// The first block of JavaScript in a page.
fn example(page: &str) -> &str {
    let (_, rest) = page.split_once("```js\n").expect("an example");
    rest.split_once("```").expect("its end").0
}

#[test]
#[ignore = "long: run with --include-ignored"]
fn the_package_passes_its_tests_and_its_example_runs() {
    if !has_node() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let sources = repository("packages/javascript");
    let assemble = sources.join("assemble.mjs");
    let path = |path: &Path| path.to_str().expect("a path in UTF-8").to_string();
    node(folder.path(), &[&path(&assemble), DOUBLECROSS, &path(folder.path())]);

    fs::create_dir(folder.path().join("tests")).unwrap();
    fs::copy(sources.join("tests/package.test.mjs"), folder.path().join("tests/package.test.mjs")).unwrap();
    let report = node(folder.path(), &["--test", "--test-reporter=tap", "tests/package.test.mjs"]);
    assert!(report.contains("# fail 0") && !report.contains("# pass 0"), "{report}");

    let readme = fs::read_to_string(sources.join("README.md")).unwrap();
    fs::write(folder.path().join("example.mjs"), example(&readme)).unwrap();
    let printed = node(folder.path(), &["example.mjs"]);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].starts_with("3x3 H0,0 V1,2 H2,1 "), "{printed}");
    assert!(lines[1].starts_with(['H', 'V']), "{printed}");
    assert!(lines[2].starts_with("seat ") && lines.len() == 3 + 24 - 4, "{printed}");

    if has_chromium() && has_python() {
        let (_server, address) = serve_folder(folder.path());
        let printed = node(folder.path(), &[&path(&repository("tests/page/package.mjs")), &address]);
        assert!(printed.contains("ok "), "{printed}");
    }
}
