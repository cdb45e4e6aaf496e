#!/bin/sh
# Compiles crates/core/examples/digest.rs for several processors, runs each build that this machine can run, and compares what they print
# (docs/reproducibility.md). The build for 64-bit ARM is run by an emulator.
#
# For it the compiler needs the standard library of aarch64-unknown-linux-gnu: `rustup target add aarch64-unknown-linux-gnu`,
# or Debian's, for the compiler of rustc-web. AARCH64_RUSTC and AARCH64_STD name that compiler and the library's folder:
#
#   dpkg --add-architecture arm64 && apt-get update
#   apt-get install rustc-web gcc-aarch64-linux-gnu qemu-user && apt-get download libstd-rust-web-dev:arm64
#   dpkg -x libstd-rust-web-dev_*_arm64.deb std
#   AARCH64_RUSTC=/usr/bin/rustc AARCH64_STD=std/usr/lib/rustlib/aarch64-unknown-linux-gnu/lib experiments/digests.sh
set -eu
aarch64_std=${AARCH64_STD:+$(realpath "$AARCH64_STD")}
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# build NAME RUSTC FLAG...: compiles the bot core alone, under the name by which the example uses it, and the example.
build() {
    name=$1 rustc=$2
    shift 2
    mkdir "$folder/$name"
    # The build script writes the list of sources, which only exports need.
    echo "&[]" >"$folder/$name/sources.rs"
    OUT_DIR="$folder/$name" "$rustc" --edition 2024 --crate-name doublecross_core --crate-type rlib "$@" \
        --out-dir "$folder/$name" crates/core/src/lib.rs
    "$rustc" --edition 2024 --crate-name digest --extern "doublecross_core=$folder/$name/libdoublecross_core.rlib" "$@" \
        -o "$folder/$name/digest" crates/core/examples/digest.rs
}

# compare NAME RUNNER...: runs a build and adds its digests to those of all.
compare() {
    name=$1
    shift
    "$@" "$folder/$name/digest" >"$folder/$name.txt"
    echo "$name: $(wc -l <"$folder/$name.txt") digests"
    cat "$folder/$name.txt" >>"$folder/all.txt"
}

has() {
    grep -qw "$1" /proc/cpuinfo
}

build x86-64 rustc -C opt-level=3 -C target-cpu=x86-64
compare x86-64 env
build x86-64-less-optimized rustc -C opt-level=1 -C target-cpu=x86-64
compare x86-64-less-optimized env
if has avx2; then
    build x86-64-v3 rustc -C opt-level=3 -C target-cpu=x86-64-v3
    compare x86-64-v3 env
fi
if has avx512vl; then
    build x86-64-v4 rustc -C opt-level=3 -C target-cpu=x86-64-v4
    compare x86-64-v4 env
else
    echo "x86-64-v4: not run, this processor has no AVX-512"
fi
aarch64_rustc=${AARCH64_RUSTC:-rustc}
std=${aarch64_std:-$("$aarch64_rustc" --print target-libdir --target aarch64-unknown-linux-gnu)}
if command -v qemu-aarch64 >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null && [ -d "$std" ]; then
    build aarch64 "$aarch64_rustc" -C opt-level=3 --target aarch64-unknown-linux-gnu \
        -C linker=aarch64-linux-gnu-gcc ${aarch64_std:+-L "$aarch64_std"}
    compare aarch64 qemu-aarch64 -L /usr/aarch64-linux-gnu
else
    echo "aarch64: not run, qemu-aarch64, aarch64-linux-gnu-gcc or the standard library is missing"
fi

sort -u "$folder/all.txt"
# A name with two digests stands twice.
differing=$(sort -u "$folder/all.txt" | sed 's/ *[0-9a-f]*$//' | uniq -d)
if [ -n "$differing" ]; then
    echo "different digests: $differing" >&2
    exit 1
fi
