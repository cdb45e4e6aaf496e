//! The rights of each machine at the server of a fleet, by a real server.
//!
//! The server refuses without an answer to the call, so each test looks at what arrives: a machine
//! tries what it may not do, and then does what it may. Messages of one connection are handled in
//! their order, so when the last has arrived, the others have been refused.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use crate::common::succeed;
use crate::server::{NatsServer, block_on};
use async_nats::jetstream::{self, consumer, stream};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Subscriber};
use doublecross::fleet::subjects::{
    HELLO_SUBJECTS, NOW, ORDERS, ORDERS_SUBJECTS, PLAY, PLAY_CONSUMER, PLAY_SUBJECTS, RESULTS, RESULTS_CONSUMER,
    RESULTS_SUBJECTS, STATUS,
};
use doublecross::fleet::{ConnectError, Fleet, FleetSettings, MachineKey, connect};
use futures_util::{FutureExt, StreamExt};

/// A time within which an answer comes.
const SOON: Duration = Duration::from_secs(30);

/// Returns the next message of a subscription.
async fn next(subscriber: &mut Subscriber) -> async_nats::Message {
    tokio::time::timeout(SOON, subscriber.next()).await.expect("a message").expect("an open subscription")
}

/// Connects a machine of a server's fleet.
async fn machine(server: &NatsServer, name: &str) -> Client {
    connect(&server.address(), &server.key(name)).await.unwrap()
}

/// Waits until the server has handled all that a machine has sent. The machine must be allowed to
/// ask on the subject.
async fn round_trip(client: &Client, subject: &str) {
    // That nobody answers is an answer of the server.
    let _ = tokio::time::timeout(SOON, client.request(subject.to_string(), "".into())).await.expect("an answer");
}

/// A question that the coordinator may ask.
const OF_COORDINATOR: &str = "$JS.API.STREAM.INFO.NONE";

/// Makes the streams and consumers of a run, with one message in each stream.
async fn make_streams(coordinator: &Client) {
    let context = jetstream::new(coordinator.clone());
    let pull = |name: &str| consumer::pull::Config { durable_name: Some(name.into()), ..Default::default() };
    let queue = stream::RetentionPolicy::WorkQueue;
    for (name, subjects, retention, per_subject, consumer, message) in [
        (ORDERS, ORDERS_SUBJECTS, stream::RetentionPolicy::Limits, 1, None, "doublecross.orders.run"),
        (PLAY, PLAY_SUBJECTS, queue, -1, Some(PLAY_CONSUMER), "doublecross.play.1"),
        (RESULTS, RESULTS_SUBJECTS, queue, -1, Some(RESULTS_CONSUMER), "doublecross.result.worker-2"),
    ] {
        let config = stream::Config {
            name: name.into(),
            subjects: vec![subjects.into()],
            retention,
            max_messages_per_subject: per_subject,
            allow_direct: name == ORDERS,
            // An order that stands is not replaced, also not by what the server answers.
            discard: if name == ORDERS { stream::DiscardPolicy::New } else { stream::DiscardPolicy::Old },
            discard_new_per_subject: name == ORDERS,
            ..Default::default()
        };
        let stream = context.create_stream(config).await.unwrap();
        if let Some(consumer) = consumer {
            stream.create_consumer(pull(consumer)).await.unwrap();
        }
        context.publish(message, name.into()).await.unwrap().await.unwrap();
    }
}

/// Asks the server for one message of a consumer, as the client's own methods first ask for what a
/// worker need not know.
async fn pull(client: &Client, stream: &str, consumer: &str) -> async_nats::Message {
    let inbox = client.new_inbox();
    let mut subscriber = client.subscribe(inbox.clone()).await.unwrap();
    let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}");
    client.publish_with_reply(subject, inbox, r#"{"batch":1}"#.into()).await.unwrap();
    next(&mut subscriber).await
}

#[test]
fn each_machine_does_its_work() {
    let Some(server) = NatsServer::start(2) else { return };
    block_on(async {
        let coordinator = machine(&server, "coordinator").await;
        make_streams(&coordinator).await;
        let mut hellos = coordinator.subscribe(HELLO_SUBJECTS).await.unwrap();
        let mut questions = coordinator.subscribe(STATUS).await.unwrap();
        round_trip(&coordinator, OF_COORDINATOR).await;

        let worker = machine(&server, "worker-1").await;
        let mut now = worker.subscribe(NOW).await.unwrap();
        worker.publish("doublecross.hello.worker-1", "I am here".into()).await.unwrap();
        assert_eq!(next(&mut hellos).await.payload, "I am here");
        let orders = worker.request(format!("$JS.API.DIRECT.GET.{ORDERS}.doublecross.orders.run"), "".into());
        assert_eq!(orders.await.unwrap().payload, ORDERS);
        let by_number = worker.request(format!("$JS.API.DIRECT.GET.{ORDERS}"), r#"{"seq":1}"#.into());
        assert_eq!(by_number.await.unwrap().payload, ORDERS);
        let parcel = pull(&worker, PLAY, PLAY_CONSUMER).await;
        assert_eq!(parcel.payload, PLAY);
        let receipt = worker.request("doublecross.result.worker-1", "games".into()).await.unwrap();
        assert!(receipt.payload.starts_with(br#"{"stream":"RESULTS""#), "{:?}", receipt.payload);
        // An answer to the receipt shows that it was taken: the queue is empty.
        worker.request(parcel.reply.unwrap(), "+ACK".into()).await.unwrap();
        let info = worker.request(format!("$JS.API.CONSUMER.INFO.{PLAY}.{PLAY_CONSUMER}"), "".into()).await.unwrap();
        let info: serde_json::Value = serde_json::from_slice(&info.payload).unwrap();
        assert_eq!([&info["num_pending"], &info["num_ack_pending"]], [0, 0]);

        let handed_in =
            [pull(&coordinator, RESULTS, RESULTS_CONSUMER).await, pull(&coordinator, RESULTS, RESULTS_CONSUMER).await];
        assert_eq!(handed_in.map(|message| message.payload), [RESULTS, "games"]);
        coordinator.publish(NOW, "generation 2".into()).await.unwrap();
        assert_eq!(next(&mut now).await.payload, "generation 2");

        let observer = machine(&server, "observer").await;
        let (answer, ()) = tokio::join!(observer.request(STATUS, "".into()), async {
            let question = next(&mut questions).await;
            coordinator.publish(question.reply.unwrap(), "all is well".into()).await.unwrap();
        });
        assert_eq!(answer.unwrap().payload, "all is well");
    });
}

/// The subjects on which neither workers nor observers may publish.
const FORBIDDEN: [&str; 42] = [
    "doublecross.result.worker-2",
    "doublecross.result.worker-1.x",
    "doublecross.result.coordinator",
    "doublecross.hello.worker-2",
    "doublecross.hello.worker-1.x",
    "doublecross.play.1",
    "doublecross.orders.run",
    "doublecross.now",
    "doublecross",
    "else",
    "_INBOX.coordinator.x",
    "_INBOX.observer.x",
    "_INBOX.worker-1.x",
    "_INBOX.worker-2.x",
    "$JS.API.INFO",
    "$JS.API.STREAM.NAMES",
    "$JS.API.STREAM.LIST",
    "$JS.API.STREAM.INFO.PLAY",
    "$JS.API.STREAM.INFO.RESULTS",
    "$JS.API.STREAM.CREATE.NEW",
    "$JS.API.STREAM.UPDATE.PLAY",
    "$JS.API.STREAM.DELETE.PLAY",
    "$JS.API.STREAM.PURGE.PLAY",
    "$JS.API.STREAM.PURGE.ORDERS",
    "$JS.API.STREAM.SNAPSHOT.RESULTS",
    "$JS.API.STREAM.RESTORE.RESULTS",
    "$JS.API.STREAM.MSG.GET.RESULTS",
    "$JS.API.STREAM.MSG.DELETE.PLAY",
    "$JS.API.DIRECT.GET.RESULTS",
    "$JS.API.DIRECT.GET.PLAY",
    "$JS.API.DIRECT.GET.RESULTS.doublecross.result.worker-2",
    "$JS.API.CONSUMER.CREATE.PLAY",
    "$JS.API.CONSUMER.CREATE.RESULTS.new",
    "$JS.API.CONSUMER.CREATE.ORDERS.new.doublecross.orders.run",
    "$JS.API.CONSUMER.DURABLE.CREATE.RESULTS.new",
    "$JS.API.CONSUMER.DELETE.PLAY.workers",
    "$JS.API.CONSUMER.LIST.PLAY",
    "$JS.API.CONSUMER.INFO.RESULTS.coordinator",
    "$JS.API.CONSUMER.MSG.NEXT.RESULTS.coordinator",
    "$JS.API.CONSUMER.MSG.NEXT.PLAY.new",
    "$JS.ACK.RESULTS.coordinator.1.1.1.1.0",
    "$JS.ACK.PLAY.new.1.1.1.1.0",
];

/// The subjects on which an observer may not publish, and a worker may.
const OF_WORKERS: [&str; 6] = [
    "$JS.API.CONSUMER.MSG.NEXT.PLAY.workers",
    "$JS.API.CONSUMER.INFO.PLAY.workers",
    "$JS.ACK.PLAY.workers.1.1.1.1.0",
    "$JS.API.DIRECT.GET.ORDERS",
    "doublecross.result.worker-1",
    "doublecross.hello.worker-1",
];

/// Publishes on each subject and then on `last`, and returns those that `all` gets before `last`.
async fn arriving(client: &Client, subjects: &[&str], last: &str, all: &mut Subscriber) -> BTreeSet<String> {
    for &subject in subjects {
        client.publish(subject.to_string(), "{}".into()).await.unwrap();
    }
    client.publish(last.to_string(), "the last".into()).await.unwrap();
    let mut arrived = BTreeSet::new();
    loop {
        let message = next(all).await;
        if message.payload == "the last" {
            return arrived;
        }
        if subjects.contains(&message.subject.as_str()) {
            arrived.insert(message.subject.to_string());
        }
    }
}

#[test]
fn nothing_else_can_be_published() {
    let Some(server) = NatsServer::start(2) else { return };
    block_on(async {
        let coordinator = machine(&server, "coordinator").await;
        // No streams: the last subject may then be one that workers hand in on, and a purge purges nothing.
        let mut all = coordinator.subscribe(">").await.unwrap();
        round_trip(&coordinator, OF_COORDINATOR).await;
        let worker = machine(&server, "worker-1").await;
        let observer = machine(&server, "observer").await;
        let none = BTreeSet::new();
        let of_worker: Vec<&str> = FORBIDDEN.into_iter().chain([STATUS]).collect();
        assert_eq!(arriving(&worker, &of_worker, "doublecross.hello.worker-1", &mut all).await, none);
        let of_observer: Vec<&str> = FORBIDDEN.into_iter().chain(OF_WORKERS).collect();
        assert_eq!(arriving(&observer, &of_observer, STATUS, &mut all).await, none);
        // The same subjects arrive from who may publish on them.
        let allowed: BTreeSet<String> = OF_WORKERS.map(String::from).into();
        assert_eq!(arriving(&worker, &OF_WORKERS, "doublecross.hello.worker-1", &mut all).await, allowed);
        let allowed: BTreeSet<String> = of_observer.iter().map(|subject| subject.to_string()).collect();
        assert_eq!(arriving(&coordinator, &of_observer, "last", &mut all).await, allowed);
    });
}

#[test]
fn nothing_else_can_be_read() {
    let Some(server) = NatsServer::start(2) else { return };
    block_on(async {
        let coordinator = machine(&server, "coordinator").await;
        let forbidden = [
            ">",
            "*.*",
            "doublecross.>",
            "doublecross.*",
            "doublecross.*.*",
            "doublecross.result.*",
            "doublecross.hello.*",
            "doublecross.play.>",
            "doublecross.orders.>",
            "doublecross.status",
            "_INBOX.>",
            "_INBOX.*.x",
            "_INBOX.coordinator.x",
            "_INBOX.worker-2.>",
            "_INBOX.worker-10.>",
            "$JS.>",
            "$JS.API.>",
        ];
        let sent = [
            "doublecross.result.worker-2",
            "doublecross.hello.worker-2",
            "doublecross.play.1",
            "doublecross.orders.run",
            "doublecross.status",
            "_INBOX.coordinator.x",
            "_INBOX.worker-2.x",
            "_INBOX.worker-10.x",
            "$JS.API.STREAM.NAMES",
        ];
        let mut got = Vec::new();
        let questions = [("worker-1", OF_WORKERS[1]), ("observer", STATUS), ("coordinator", OF_COORDINATOR)];
        for (name, question) in questions {
            let reader = machine(&server, name).await;
            let mut now = reader.subscribe(NOW).await.unwrap();
            let mut subscribers = Vec::new();
            for subject in forbidden {
                subscribers.push(reader.subscribe(subject).await.unwrap());
            }
            round_trip(&reader, question).await;
            for subject in sent.into_iter().chain([NOW]) {
                coordinator.publish(subject, "".into()).await.unwrap();
            }
            next(&mut now).await;
            let mut count = 0;
            for mut subscriber in subscribers {
                count += usize::from(matches!(subscriber.next().now_or_never(), Some(Some(_))));
            }
            got.push(count);
        }
        assert_eq!(got, [0, 0, forbidden.len()]);
    });
}

/// The server answers on whatever subject the asker names, which permissions do not prevent. So
/// its answers can be sent to where others look. What a machine writes itself cannot, and an order that
/// stands stays.
#[test]
fn only_the_servers_own_words_can_be_sent_elsewhere() {
    let Some(server) = NatsServer::start(2) else { return };
    block_on(async {
        let coordinator = machine(&server, "coordinator").await;
        make_streams(&coordinator).await;
        let mut all = coordinator.subscribe(">").await.unwrap();
        round_trip(&coordinator, "$JS.API.STREAM.INFO.PLAY").await;
        let worker = machine(&server, "worker-1").await;
        let targets = ["doublecross.result.worker-2", "doublecross.orders.run", NOW, "_INBOX.worker-2.x"];
        for target in targets {
            for subject in OF_WORKERS {
                worker.publish_with_reply(subject, target, "forged".into()).await.unwrap();
            }
        }
        worker.publish("doublecross.hello.worker-1", "the last".into()).await.unwrap();
        loop {
            let message = next(&mut all).await;
            assert!(message.payload != "forged" || OF_WORKERS.contains(&message.subject.as_str()), "{message:?}");
            if message.payload == "the last" {
                break;
            }
        }
        let orders = worker.request(format!("$JS.API.DIRECT.GET.{ORDERS}.doublecross.orders.run"), "".into());
        assert_eq!(orders.await.unwrap().payload, ORDERS);
    });
}

/// Connects, and returns the error.
fn refused(address: &str, key: &MachineKey) -> ConnectError {
    block_on(async { connect(address, key).await.map(|_| ()).expect_err("no connection") })
}

#[test]
fn only_machines_with_a_key_connect() {
    let Some(server) = NatsServer::start(2) else { return };
    let address = server.address();
    for address in [&address, &format!("nats://localhost:{}", server.port()), &format!("tls://{address}")] {
        for name in ["coordinator", "observer", "worker-2"] {
            let client = block_on(async { connect(address, &server.key(name)).await.unwrap().server_info() });
            assert!(client.jetstream);
        }
    }
    // In plain text.
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream.write_all(b"CONNECT {\"verbose\":true}\r\nPING\r\nSUB > 1\r\n").unwrap();
    let mut answer = Vec::new();
    // The server may close before everything is read.
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("INFO ") && !answer.contains("PONG") && !answer.contains("+OK"), "{answer}");
    // Without a key.
    let authority = server.folder().join("tls/authority.pem");
    let options = ConnectOptions::new().add_root_certificates(authority).require_tls(true);
    let error = block_on(async { options.connect(&address).await.map(|_| ()).unwrap_err() });
    assert_eq!(error.kind(), ConnectErrorKind::AuthorizationViolation);
    // With a key of another fleet, which expects another certificate, and then with its secret alone.
    let scratch = tempfile::tempdir().unwrap();
    Fleet::create(&scratch.path().join("other"), &FleetSettings::default()).unwrap();
    let text = |path: &Path| fs::read_to_string(path).unwrap();
    let (own, other) = (text(&server.key_path("worker-1")), text(&scratch.path().join("other/worker-1.key")));
    assert!(matches!(refused(&address, &MachineKey::parse(&other).unwrap()), ConnectError::OtherFleet { .. }));
    let seed = |text: &str| text.lines().find(|line| line.starts_with("seed")).unwrap().to_string();
    let mixed = MachineKey::parse(&own.replace(&seed(&own), &seed(&other))).unwrap();
    let error = refused(&address, &mixed);
    assert!(matches!(error, ConnectError::NotLetIn { .. }), "{error:?}");
    assert!(!format!("{mixed:?}{error}{error:?}").contains(&seed(&other)[8..60]));
    // Under a name that is not in the certificate.
    let error = refused(&format!("[::ffff:127.0.0.1]:{}", server.port()), &server.key("worker-1"));
    assert!(matches!(error, ConnectError::OtherName { .. }), "{error:?}");
}

#[test]
fn keys_come_and_go() {
    let Some(server) = NatsServer::start(2) else { return };
    let folder = server.folder();
    let key = server.key("worker-1");
    let told = succeed(&folder, &["fleet", "key", ".", "laptop"]);
    assert!(told.contains("laptop.key: the key of a new worker") && told.contains("--signal reload"), "{told}");
    assert!(matches!(refused(&server.address(), &server.key("laptop")), ConnectError::NotLetIn { .. }));
    block_on(async {
        let coordinator = machine(&server, "coordinator").await;
        let mut hellos = coordinator.subscribe(HELLO_SUBJECTS).await.unwrap();
        round_trip(&coordinator, OF_COORDINATOR).await;
        let worker = connect(&server.address(), &key).await.unwrap();
        worker.publish("doublecross.hello.worker-1", "one".into()).await.unwrap();
        assert_eq!(next(&mut hellos).await.payload, "one");
        succeed(&folder, &["fleet", "revoke", ".", "worker-1"]);
        server.reload();
        // A connection that stands is ended too.
        worker.publish("doublecross.hello.worker-1", "two".into()).await.unwrap();
        let laptop = machine(&server, "laptop").await;
        laptop.publish("doublecross.hello.laptop", "three".into()).await.unwrap();
        assert_eq!(next(&mut hellos).await.payload, "three");
        let error = connect(&server.address(), &key).await.map(|_| ()).unwrap_err();
        assert!(matches!(error, ConnectError::NotLetIn { .. }), "{error:?}");
    });
    assert!(!server.key_path("worker-1").exists());
}

#[test]
fn what_is_stored_outlives_the_server() {
    let Some(mut server) = NatsServer::start(1) else { return };
    let info = |server: &NatsServer| -> serde_json::Value {
        block_on(async {
            let coordinator = machine(server, "coordinator").await;
            let info = coordinator.request(format!("$JS.API.STREAM.INFO.{PLAY}"), "".into()).await.unwrap();
            serde_json::from_slice(&info.payload).unwrap()
        })
    };
    block_on(async { make_streams(&machine(&server, "coordinator").await).await });
    server.restart();
    assert_eq!(info(&server)["state"]["messages"], 1);
    server.stop();
    assert!(matches!(refused(&server.address(), &server.key("worker-1")), ConnectError::TimedOut { .. }));
    server.go_on();
    assert_eq!(info(&server)["state"]["messages"], 1);
    server.restart_empty();
    assert_eq!(info(&server)["error"]["code"], 404);
}

/// Listens on a port, answers with a text and, after something has come, with another.
fn listener(first: &'static str, second: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(first.as_bytes()).unwrap();
        if !second.is_empty() {
            stream.read_exact(&mut [0]).unwrap();
            stream.write_all(second.as_bytes()).unwrap();
        }
    });
    address
}

#[test]
fn other_servers_are_told_apart() {
    let scratch = tempfile::tempdir().unwrap();
    Fleet::create(scratch.path(), &FleetSettings::default()).unwrap();
    let key = MachineKey::read(&scratch.path().join("worker-1.key")).unwrap();
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    assert!(matches!(refused(&unused, &key), ConnectError::Refused { .. }));
    let greeting = "INFO {\"server_id\":\"x\",\"version\":\"2.9.10\",\"port\":4222,\"max_payload\":1048576}\r\n";
    let error = refused(&listener(greeting, "-ERR 'Unknown Protocol Operation'\r\n"), &key);
    assert!(matches!(error, ConnectError::NoTls { .. }), "{error:?}");
    for first in ["SSH-2.0-OpenSSH_10.0\r\n", "PING\r\n", ""] {
        let error = refused(&listener(first, ""), &key);
        assert!(matches!(error, ConnectError::NotNats { .. }), "{first}: {error:?}");
    }
    for bad in ["", "http://localhost", "ws://localhost", "nats://me:secret@localhost", "localhost/x", "a b", "nats://"]
    {
        let error = refused(bad, &key);
        assert!(matches!(error, ConnectError::Address { .. }), "{bad}: {error:?}");
    }
    let error = refused("nowhere.invalid", &key);
    assert!(matches!(error, ConnectError::Unknown { .. }), "{error:?}");
}

/// The server reads its configuration in whatever folder it lies, from wherever it is started.
#[test]
fn folders_may_have_any_name() {
    if !crate::common::tools::has_nats_server() {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    for name in ["a b", "a \"b\" \\n $HOME {", "ä #c // ]", "'d' (e"] {
        succeed(scratch.path(), &["fleet", "init", name, "--workers", "0"]);
        let config = scratch.path().join(name).join("nats.conf");
        let mut server = std::process::Command::new(crate::common::tools::nats_server());
        let output = server.arg("-t").arg("-c").arg(config).current_dir("/").output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
