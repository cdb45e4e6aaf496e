#!/bin/sh
# Measures learning on this machine's GPU beside its processor and PyTorch, in some nine minutes after the build.
#
#   sh experiments/gpu/measure.sh OUT [PROGRAM]
#
# writes everything it prints, and the curve of a run of five minutes, to the folder OUT. PROGRAM was built with
# --features cuda (or rocm, metal, vulkan, wgpu); without it, that of FEATURES is built, cuda by default. CONFIG, BENCH_SECONDS
# and RUN_MINUTES make it shorter, for a try on a software adapter.
set -u
out=${1:?"usage: measure.sh OUT [PROGRAM]"}
mkdir -p "$out"
out=$(realpath "$out")
program=${2:+$(realpath "$2")}
cd "$(dirname "$0")/../.."
echo "everything is written to $out/measure.txt"
exec > "$out/measure.txt" 2>&1
part() { printf '\n== %s (%s s)\n' "$1" "$(($(date +%s) - start))"; }
start=$(date +%s)

part machine
uname -srm
nproc
grep -m 1 'model name' /proc/cpuinfo
nvidia-smi --query-gpu=name,driver_version,memory.total,memory.used --format=csv || true

if [ -z "$program" ]; then
    cargo build --release --features "${FEATURES:-cuda}" || exit 1
    program=target/release/doublecross
fi
"$program" --version || exit 1

config=${CONFIG:-configs/5x5.toml}
learn_on_gpu="--set resources.learn_device=gpu"
bench="timeout ${BENCH_SECONDS:-100} $program --verbose bench train --config $config --games 20"

part "learning on the processor"
$bench --rounds 3 --json > "$out/cpu.json" && cat "$out/cpu.json"
part "learning on the GPU"
# The first round compiles and tunes the kernels. It stands alone where nine more take too long, and each of its figures
# by itself where it is not finished either.
for rounds in 1 9; do
    $bench --rounds $rounds $learn_on_gpu --json > "$out/gpu-$rounds.json" && cat "$out/gpu-$rounds.json"
done
part "the same step in PyTorch"
python3 -c 'import torch' 2> /dev/null && timeout 100 python3 experiments/gpu/torch_step.py || echo none

part "a run of ${RUN_MINUTES:-5} minutes"
folder=$(mktemp -d)
run=$folder/run
(while sleep 10; do
    nvidia-smi --query-gpu=utilization.gpu,memory.used --format=csv,noheader || break
done) > "$out/gpu-memory.txt" 2> /dev/null &
watch=$!
timeout 420 "$program" train "$config" --run "$run" $learn_on_gpu \
    --set resources.minutes="${RUN_MINUTES:-5}" --set finish.games=0 --set selfplay.lag=1
kill $watch 2> /dev/null # It has ended where there is no nvidia-smi.
cp "$run/progress.jsonl" "$out/" && rm -r "$folder" || exit 1
tail -n 1 "$out/progress.jsonl"
part "GPU: use and memory every ten seconds"
cat "$out/gpu-memory.txt"
part end
