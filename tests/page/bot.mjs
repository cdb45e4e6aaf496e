// A bot of a served page, asked in node.
export class Bot {
  /** Returns a promise of the bot for a board at the URL of a page. */
  static async load(url, board) {
    const { bots } = await (await fetch(new URL("bots.json", url))).json();
    const { module } = bots.find((entry) => entry.board === board);
    const bytes = await (await fetch(new URL(module, url))).arrayBuffer();
    const bot = new Bot();
    bot.exports = (await WebAssembly.instantiate(bytes)).instance.exports;
    return bot;
  }

  /** Returns the answer to a question. */
  ask(question) {
    const { memory, alloc, ask } = this.exports;
    const text = new TextEncoder().encode(JSON.stringify(question));
    const address = alloc(text.length);
    new Uint8Array(memory.buffer, address, text.length).set(text);
    const result = BigInt.asUintN(64, ask(address, text.length));
    const [at, length] = [Number(result >> 32n), Number(result & 0xffffffffn)];
    return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, at, length)));
  }
}
