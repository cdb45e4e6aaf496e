#!/bin/sh
# Builds player.wasm, the module that `doublecross export` puts weights into. To be run after a change of the bot core.
#
# With the wasm32-unknown-unknown target installed, the toolchain's own is taken. Otherwise the standard library is built
# too, from its sources beside the compiler: on Debian 12, `apt-get install rustc-web cargo-web rust-web-src lld-22`
# and PATH=/usr/bin:$PATH give what is needed.
set -eu
export CARGO_INCREMENTAL=0
cd "$(dirname "$0")/../../.."
target=wasm32-unknown-unknown
out=${CARGO_TARGET_DIR:-target}
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
    export RUSTC_BOOTSTRAP=1
    build_std=-Zbuild-std=std,panic_abort
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22
fi
export RUSTFLAGS="-C target-feature=+simd128 -C panic=abort -C strip=symbols --remap-path-prefix=$PWD=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo --remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=rust"
cargo rustc --release -p doublecross-core --lib --crate-type cdylib --target $target ${build_std:-}
cp "$out/$target/release/doublecross_core.wasm" src/export/template/player.wasm
ls -l src/export/template/player.wasm
