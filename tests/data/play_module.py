"""Plays observations, one a line on stdin, with a bot's module under wasmtime (`pip install wasmtime`): one action a line
on stdout, the instructions that each took on stderr.

    python3 play_module.py bot.wasm < observations
"""

import sys

import wasmtime

config = wasmtime.Config()
config.consume_fuel = True
engine = wasmtime.Engine(config)
store = wasmtime.Store(engine)
FUEL = 1 << 62
store.set_fuel(FUEL)
module = wasmtime.Module.from_file(engine, sys.argv[1])
assert not module.imports, "the module imports nothing"
exports = wasmtime.Instance(store, module, []).exports(store)
memory, alloc, act = exports["memory"], exports["alloc"], exports["act"]
for line in sys.stdin.buffer.read().split(b"\n"):
    if not line:
        continue
    before = store.get_fuel()
    address = alloc(store, len(line))
    memory.write(store, line, address)
    result = act(store, address, len(line)) & (1 << 64) - 1
    at, length = result >> 32, result & 0xFFFFFFFF
    print(memory.read(store, at, at + length).decode())
    print(before - store.get_fuel(), file=sys.stderr)
