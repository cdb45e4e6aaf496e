// A WebSocket's client of text messages, as RFC 6455 describes it: node has one of its own only from
// version 22.
import { randomBytes } from "node:crypto";
import { connect } from "node:net";

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** Returns a frame, masked as a client's have to be. */
function frameOf(kind, body) {
  const mask = randomBytes(4);
  const long = body.length > 0xffff ? 8 : body.length > 125 ? 2 : 0;
  const head = Buffer.alloc(2 + long);
  head[0] = 0x80 | kind;
  head[1] = 0x80 | (long === 8 ? 127 : long === 2 ? 126 : body.length);
  if (long) head.writeUIntBE(body.length, head.length - Math.min(long, 6), Math.min(long, 6));
  return Buffer.concat([head, mask, body.map((byte, at) => byte ^ mask[at % 4])]);
}

/** Returns the first frame of these bytes, which a server does not mask, and null if it has not all arrived. */
function readFrame(bytes) {
  const short = bytes[1] & 127;
  const start = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < start) return null;
  const length = start === 2 ? short : bytes.readUIntBE(start === 4 ? 2 : 4, start === 4 ? 2 : 6);
  if (bytes.length < start + length) return null;
  const end = start + length;
  return { isLast: bytes[0] >= 0x80, kind: bytes[0] & 15, body: bytes.subarray(start, end), end };
}

/** A connection, which calls `onText` with each message and `onEnd` with the error that ended it. */
export class WebSocketClient {
  static async connect(address, onText, onEnd) {
    const { hostname, port, host, pathname } = new URL(address);
    const client = new WebSocketClient(connect(Number(port), hostname), onText, onEnd);
    client.socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`
      + `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`);
    await client.opened;
    return client;
  }

  constructor(socket, onText, onEnd) {
    this.socket = socket;
    this.onText = onText;
    this.rest = Buffer.alloc(0);
    this.parts = [];
    this.isOpen = false;
    this.opened = new Promise((resolve, reject) => {
      this.open = resolve;
      this.fail = (error) => {
        reject(error);
        onEnd(error);
        socket.destroy();
      };
    });
    socket.setNoDelay(true);
    socket.on("data", (bytes) => this.read(bytes));
    socket.on("error", (error) => this.fail(error));
    socket.on("close", () => this.fail(new Error("the connection has ended")));
  }

  send(text) {
    this.socket.write(frameOf(TEXT, Buffer.from(text)));
  }

  read(bytes) {
    this.rest = Buffer.concat([this.rest, bytes]);
    if (!this.isOpen) {
      const end = this.rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      const [status] = this.rest.toString("latin1", 0, end).split("\r\n");
      if (!/^HTTP\/1\.1 101 /.test(status)) {
        this.fail(new Error(`no WebSocket: ${status}`));
        return;
      }
      this.rest = this.rest.subarray(end + 4);
      this.isOpen = true;
      this.open();
    }
    for (let frame = readFrame(this.rest); frame; frame = readFrame(this.rest)) {
      this.rest = this.rest.subarray(frame.end);
      this.take(frame);
    }
  }

  take({ isLast, kind, body }) {
    if (kind === CLOSE) {
      this.fail(new Error("the connection was closed"));
    } else if (kind === PING) {
      this.socket.write(frameOf(PONG, body));
    } else if (kind < CLOSE) {
      this.parts.push(body);
      if (!isLast) return;
      const text = Buffer.concat(this.parts).toString();
      this.parts = [];
      this.onText(text);
    }
  }
}
