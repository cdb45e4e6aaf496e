//! Messages about fleets.

use std::fs;

use super::transcript::Transcript;
use crate::common::succeed;

pub fn fleets(transcript: &mut Transcript) {
    transcript.about("Fleets");
    succeed(transcript.folder(), &["fleet", "init", "fleet", "--workers", "1"]);
    let key = fs::read_to_string(transcript.path("fleet/worker-1.key")).unwrap();
    transcript.write("role.key", key.replace("\"worker\"", "\"boss\""));
    transcript.write("seed.key", key.replace("seed = \"SU", "seed = \"SA"));
    transcript.write("name.key", key.replace("\"worker-1\"", "\"a.b\""));
    transcript.write("text.key", "no key");
    fs::create_dir(transcript.path("broken fleet")).unwrap();
    let list = fs::read_to_string(transcript.path("fleet/fleet.toml")).unwrap();
    transcript.write("broken fleet/fleet.toml", list.replace("port = 4222", "port = 70000"));
    transcript.refused(&[
        &["fleet", "init", "fleet"],
        &["fleet", "init", "new", "--host", "a b"],
        &["fleet", "init", "new", "--port", "0"],
        &["fleet", "init", "new", "--bind", "here"],
        &["fleet", "init", "new", "--workers", "-1"],
        &["fleet", "init", "a\nb"],
        &["fleet", "key", "fleet", "worker-1"],
        &["fleet", "key", "fleet", "Lap/top"],
        &["fleet", "key", "fleet", "boss", "--role", "coordinator"],
        &["fleet", "key", "nowhere", "laptop"],
        &["fleet", "key", "broken fleet", "laptop"],
        &["fleet", "revoke", "fleet", "coordinator"],
        &["fleet", "revoke", "fleet", "laptop"],
        &["fleet", "localhost"],
        &["fleet", "localhost", "--key", "fleet/worker-1.key"],
        &["worker", "localhost", "--key", "fleet/observer.key"],
        &["worker", "localhost", "--key", "nowhere"],
        &["worker", "localhost", "--key", "role.key"],
        &["worker", "localhost", "--key", "seed.key"],
        &["worker", "localhost", "--key", "name.key"],
        &["worker", "localhost", "--key", "text.key"],
        &["worker", "http://localhost/x", "--key", "fleet/worker-1.key"],
        &["worker", "localhost", "--key", "fleet/worker-1.key", "--table", "1G"],
        &["train", "small.toml", "--run", "new", "--at", "localhost", "--key", "fleet/worker-1.key"],
    ]);
    transcript.failed(&[
        (1, &["fleet", "init", "file/new"]),
        // Nothing listens on that port.
        (1, &["worker", "127.0.0.1:1", "--key", "fleet/worker-1.key"]),
    ]);
    assert!(!transcript.path("new").exists(), "a refused command writes nothing");
    transcript.run_shown(0, &["fleet", "init", "my fleet", "--workers", "2", "--host", "games.example.org"]);
    transcript.run_shown(0, &["fleet", "key", "my fleet", "laptop"]);
    transcript.run_shown(0, &["fleet", "revoke", "my fleet", "laptop"]);
}
