#!/bin/sh
# Judges a network beside others: on positions that are drawn and solved here, without the solver, and in games from the
# empty board.
#
#   sh experiments/judge.sh BOARD SEED OUT NETWORK [RIVAL...]
#
# NETWORK and RIVALs are runs or checkpoints. Suites, logs of games and figures go to the folder OUT. A seed that no
# network was chosen by gives a fair figure. PROGRAM, GAMES (100) and POSITIONS (50 for each number of undrawn edges)
# may be set.
set -eu
board=$1 seed=$2 out=$3 network=$4
shift 3
program=${PROGRAM:-target/release/doublecross} games=${GAMES:-100} positions=${POSITIONS:-50}
mkdir -p "$out"
reach=$("$program" config "$board" | sed -n 's/^reach = \([0-9]*\).*/\1/p')

# suite NAME UNDRAWN OPTION...
suite() {
    name=$1 undrawn=$2
    shift 2
    test -f "$out/$name.tsv" || "$program" suite --board "$board" --undrawn "$undrawn" --positions "$positions" \
        --seed "$seed" "$@" --out "$out/$name.tsv"
}

suite careful "$((reach - 10)),$((reach - 8)),$((reach - 6)),$((reach - 4)),$((reach - 2))" --kind careful
suite played "$((reach + 1)),$((reach + 2)),$((reach + 3)),$((reach + 4))" --kind played --by "net:$network,nodes=0"
for weights in "$@"; do
    for name in careful played; do
        echo "== $weights on $name positions, searched with 100 simulations"
        "$program" eval "$weights" --suite "$out/$name.tsv" --no-solver --sims 100 | tee "$out/$name-$(basename "$weights").txt"
    done
done

# play RIVAL
play() {
    log=$out/against-$(echo "${1%%,sims*}" | tr -c 'A-Za-z0-9.\n' '-').jsonl
    "$program" match "net:$network,sims=800,nodes=100000,diversity=1" "$1" --board "$board" --games "$games" \
        --opening 0 --seed "$seed" --log "$log"
}

shift
play solver
play mcts:1000,nodes=20000
for rival in "$@"; do
    play "net:$rival,sims=800,nodes=100000,diversity=1"
done
