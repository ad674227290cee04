#!/bin/sh
# The GPU's share of gridsort's tests, for a machine with an NVIDIA driver and without Rust.
#
#   sh run.sh [suite] [example] [sanitizer] [bench]      all of them where none is named
#
# suite      every test, with the kernels on the GPU
# example    records sorted by an order of their own: checked, by orders that contradict themselves too, and timed at 2^27;
#            a buffer of the crate cudarc sorted where it lies, and logits in one ranked row by row
# sanitizer  NVIDIA's compute-sanitizer (memcheck, racecheck) on the tests whose name has small_ in it
# bench      the bench; GRIDSORT_BENCH_ARGS gives its options
#
# COMPUTE_SANITIZER names the sanitizer where it is not in PATH or under /usr/local/cuda*.
# Ends with one line for each step, and exit code 1 where one failed.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
cd "$here" || exit 1
export GRIDSORT_TEST_DEVICE=cuda

# The programs come packed, and stay unpacked from the first run on.
for packed in bin/*.gz tests/*.gz; do
    if [ -f "$packed" ]; then gunzip --force "$packed" || exit 1; fi
done

summary=''
failed=0
# note STEP RESULT
note() {
    summary="$summary$1: $2
"
    case $2 in failed*) failed=1 ;; esac
}

find_sanitizer() {
    for candidate in "${COMPUTE_SANITIZER:-}" "$(command -v compute-sanitizer)" \
        /usr/local/cuda/bin/compute-sanitizer /usr/local/cuda-*/bin/compute-sanitizer \
        /usr/local/cuda/compute-sanitizer/compute-sanitizer; do
        if [ -n "$candidate" ] && [ -x "$candidate" ]; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

suite() {
    for test in tests/*; do
        echo "== $test"
        if "$test"; then note "suite, ${test#tests/}" passed; else note "suite, ${test#tests/}" failed; fi
    done
}

example() {
    echo "== example"
    if bin/records --device cuda && bin/records --device cuda --bench; then note example passed; else note example failed; fi
    echo "== orders that contradict themselves"
    if bin/records --device cuda --contradict; then note 'example, contradict' passed; else note 'example, contradict' failed; fi
    echo "== cudarc"
    if bin/cudarc_sort; then note 'example, cudarc' passed; else note 'example, cudarc' failed; fi
}

sanitizer() {
    if ! sanitizer=$(find_sanitizer); then
        # Not asked for by name: a machine without it can still run the rest.
        if [ "$1" = named ]; then result='failed: compute-sanitizer is not here'; else result='not run: compute-sanitizer is not here'; fi
        note sanitizer "$result"
        return
    fi
    for tool in memcheck racecheck; do
        for test in tests/*; do
            # A program without such tests would only start the driver.
            "$test" --list small_ 2>/dev/null | grep -q ': test$' || continue
            echo "== $tool $test"
            if "$sanitizer" --tool "$tool" --error-exitcode 9 "$test" --test-threads 1 small_; then
                note "$tool, ${test#tests/}" passed
            else
                note "$tool, ${test#tests/}" failed
            fi
        done
    done
}

bench() {
    echo "== bench"
    # Word splitting is wanted: these are options.
    # shellcheck disable=SC2086
    if bin/xtask bench ${GRIDSORT_BENCH_ARGS:-}; then note bench passed; else note bench failed; fi
}

if command -v nvidia-smi >/dev/null 2>&1; then
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
fi
if [ $# -eq 0 ]; then
    suite
    example
    sanitizer default
    bench
fi
for step in "$@"; do
    case $step in
        suite) suite ;;
        example) example ;;
        sanitizer) sanitizer named ;;
        bench) bench ;;
        *)
            echo "run.sh: there is no step $step (suite, example, sanitizer, bench)" >&2
            exit 1
            ;;
    esac
done
echo "== summary"
printf '%s' "$summary"
exit "$failed"
