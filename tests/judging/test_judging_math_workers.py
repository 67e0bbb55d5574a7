import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import anyio
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from killing import lives

from tutorscope.judging.math_notation import LONGEST
from tutorscope.judging.math_verdicts import DIFFERENT, EQUAL, undecided
from tutorscope.judging.math_workers import MathWorkers, math_workers

TOWER = "9^{9^{9^{9}}}"


@pytest.fixture(scope="module")
def workers():
    made = MathWorkers(processes=2, seconds=1)
    barrier = threading.Barrier(2)

    def load():
        barrier.wait()
        made.compare_now("1", "1.0")

    threads = [threading.Thread(target=load) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    yield made
    made.close()


def pids(workers):
    return {worker.process.pid for worker in workers._all}


def wait_until(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def test_a_tower_of_exponents_is_given_up_and_its_worker_replaced(workers):
    killed = workers.killed
    found = anyio.run(workers.compare, "5", TOWER)
    assert found == undecided("took_too_long")
    assert workers.killed == killed + 1
    assert anyio.run(workers.compare, "5", "10/2") == EQUAL


def test_what_is_identical_needs_no_calculation(workers):
    assert anyio.run(workers.compare, TOWER, f"${TOWER}$").identical


def test_fifty_comparisons_run_at_once_and_the_event_loop_goes_on(workers):
    found, ticks = {}, []

    async def run():
        async def one(number):
            found[number] = await workers.compare(str(number), f"\\frac{{{2 * number + number % 2}}}{{2}}")

        async def tick():
            while len(found) < 50:
                ticks.append(time.monotonic())
                await anyio.sleep(0.01)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tick)
            for number in range(50):
                tasks.start_soon(one, number)

    anyio.run(run)
    assert found == {number: DIFFERENT if number % 2 else EQUAL for number in range(50)}
    assert len(ticks) >= 3
    assert len(pids(workers)) <= 2


def test_the_event_loop_goes_on_while_a_worker_is_stuck(workers):
    ticks = []

    async def run():
        async with anyio.create_task_group() as tasks:

            async def tick():
                while True:
                    ticks.append(0)
                    await anyio.sleep(0.02)

            tasks.start_soon(tick)
            found = await workers.compare("5", f"({TOWER})!")
            tasks.cancel_scope.cancel()
        return found

    assert anyio.run(run) == undecided("took_too_long")
    assert len(ticks) > 10


def test_who_waits_can_be_cancelled(workers):
    async def run():
        with anyio.move_on_after(0.1) as scope:
            await workers.compare("5", TOWER)
        return scope.cancelled_caught

    assert anyio.run(run)
    assert workers.compare_now("5", "5.0") == EQUAL


def test_a_worker_that_was_killed_is_replaced(workers):
    before = pids(workers)
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    assert workers.compare_now("6", "5") == DIFFERENT
    assert not before & {pid for pid in pids(workers) if lives(pid)}


def test_a_worker_that_is_killed_at_work_costs_no_verdict(workers):
    found = []
    asked = threading.Thread(target=lambda: found.append(workers.compare_now(r"\cot x", r"\frac{\cos x}{\sin x}")))
    before = pids(workers)
    asked.start()
    # Stopped first: once the one is killed, the other must not take the question up and be killed at work as well.
    for sent in (signal.SIGSTOP, signal.SIGKILL):
        for pid in before:
            os.kill(pid, sent)
    asked.join()
    assert found == [EQUAL]


def test_workers_that_never_took_the_question_cost_no_verdict(workers):
    idle = [workers._worker(), workers._worker()]
    for worker in idle:
        os.kill(worker.process.pid, signal.SIGSTOP)
        workers._idle.put(worker)
    found = []
    asked = threading.Thread(target=lambda: found.append(workers.compare_now("6", "12/2")))
    asked.start()
    for left, worker in zip((1, 0), idle, strict=True):
        assert wait_until(lambda left=left: workers._idle.qsize() == left)
        os.kill(worker.process.pid, signal.SIGKILL)
    asked.join()
    assert found == [EQUAL]


CRASHING = """
import os
from tutorscope.judging import math_answers, math_workers
compare = math_answers.compare
math_answers.compare = lambda reference, answer: os._exit(3) if answer == "crash" else compare(reference, answer)
math_workers._main()
"""


def test_a_question_that_crashes_its_workers_gets_two_of_them(monkeypatch, tmp_path):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nexec '{sys.executable}' -P -c '{CRASHING}'\n", encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    workers = MathWorkers(processes=3)
    assert workers.compare_now("5", "5.0") == EQUAL
    assert workers.compare_now("5", "crash") == undecided("crashed")
    assert workers.started == 2
    workers.close()


def test_long_answers_are_undecided_at_once():
    workers = MathWorkers()
    assert workers.compare_now("5", "5" * (LONGEST + 1)) == undecided("too_long")
    assert anyio.run(workers.compare, "5" * 100_000, "5") == undecided("too_long")
    assert workers.started == 0


def test_the_worst_question_fits_through_the_pipe(workers):
    longest = "\U0001f99c" * LONGEST
    assert workers.compare_now(longest, longest[:-1] + "x").verdict == "undecided"


def test_memory_has_a_limit(workers):
    found = workers.compare_now("5", "(10^{9} + 7)^{10^{9}}")
    assert found.reason in ("too_large", "took_too_long")


def test_closing_ends_the_processes_and_later_work_starts_new_ones():
    workers = MathWorkers(processes=1)
    assert workers.compare_now("5", "5.0") == EQUAL
    assert workers.loading_seconds > 0
    (pid,) = pids(workers)
    workers.close()
    assert not lives(pid)
    assert workers.compare_now("5", "4") == DIFFERENT
    assert workers.started == 2
    workers.close()


SCRIPT = """
import sys, threading
from tutorscope.judging.math_workers import MathWorkers
workers = MathWorkers(processes=1, seconds=2)
workers.compare_now("5", "5.0")
print(next(iter(workers._all)).process.pid, flush=True)
if sys.argv[1] == "stuck":
    workers.compare_now("5", "9^{9^{9^{9}}}")
elif sys.argv[1] == "idle":
    threading.Event().wait()
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("parent", ["stuck", "idle", "done"])
def test_no_worker_outlives_its_parent(parent):
    with subprocess.Popen([sys.executable, "-c", SCRIPT, parent], stdout=subprocess.PIPE, text=True) as process:
        pid = int(process.stdout.readline())
        if parent == "done":
            assert process.wait(60) == 0
        else:
            assert lives(pid)
            time.sleep(0.2)
            process.kill()
        process.wait()
        assert wait_until(lambda: not lives(pid))


def test_a_worker_compiles_no_text():
    script = """
import sys
import sympy
from tutorscope.judging.math_workers import _refuse_code
sys.addaudithook(_refuse_code)
for tried in (eval, exec, sympy.sympify, lambda text: compile(text, "<answer>", "eval")):
    try:
        tried("1+1")
    except Exception as error:
        print(type(error).__name__)
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert len(said) == 4


def test_there_is_one_set_for_a_process():
    assert math_workers() is math_workers()
    assert math_workers().processes == 2


def test_workers_need_a_process_and_time():
    with pytest.raises(ValueError, match="at least one process"):
        MathWorkers(processes=0)
    with pytest.raises(ValueError, match="some time"):
        MathWorkers(seconds=0)
