//! The documents as a web site: `docs/site/build` makes it, links lead somewhere, and the game opens beside the text.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::files_server::serve_folder;
use crate::common::tools::{has_chromium, has_mdbook, has_node, has_python};
use crate::common::{DOUBLECROSS, repository};

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The addresses that a page links to, without those of other hosts.
fn links(page: &str) -> impl Iterator<Item = &str> {
    let parts = ["href=\"", "src=\""].into_iter().flat_map(|key| page.split(key).skip(1));
    parts.filter_map(|rest| rest.split('"').next()).filter(|link| !link.contains(':'))
}

/// Every page of docs/ is a chapter of the site.
#[test]
fn the_summary_lists_every_page() {
    let docs = repository("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let pages = files(&docs).into_iter().filter(|path| path.extension().is_some_and(|end| end == "md"));
    for page in pages.filter(|path| !path.ends_with("SUMMARY.md")) {
        let name = page.strip_prefix(&docs).unwrap().to_str().unwrap();
        assert!(summary.contains(&format!("({name})")), "docs/SUMMARY.md does not list {name}");
    }
}

#[test]
#[ignore = "long: run with --include-ignored"]
fn the_site_is_built_and_the_game_opens_beside_the_text() {
    if !(has_mdbook() && has_python()) {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let site = scratch.path().join("site");
    let build = Command::new(repository("docs/site/build")).arg(DOUBLECROSS).arg(&site).output().expect("bash starts");
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));

    let pages: Vec<PathBuf> =
        files(&site).into_iter().filter(|path| path.extension().is_some_and(|end| end == "html")).collect();
    assert!(pages.len() > 30, "{} pages", pages.len());
    for page in pages.iter().filter(|path| !path.ends_with("404.html")) {
        let text = fs::read_to_string(page).unwrap();
        for link in links(&text) {
            let path = link.split(['#', '?']).next().unwrap();
            assert!(
                path.is_empty() || page.parent().unwrap().join(path).exists(),
                "{} links to {link}",
                page.display()
            );
        }
    }

    if !(has_node() && has_chromium()) {
        return;
    }
    let (_server, address) = serve_folder(&site);
    let output = Command::new("node").arg(repository("tests/page/beside.mjs")).arg(address).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("ok "), "{printed}{}", String::from_utf8_lossy(&output.stderr));
}
