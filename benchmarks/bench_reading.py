"""Reading logs: exchanges a second and peak memory at 100,000 and at 1,000,000 exchanges, rows together or interleaved.

Every log is written and read in a process of its own, so that the peak is that of reading alone (some 60 MB of it are
Python and the libraries). Memory has to be flat: at ten times the size it may be 1.5 times as much. For a short run:

    TUTORSCOPE_BENCH_SIZES=1000,10000 python benchmarks/bench_reading.py
"""

import csv
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from tutorscope.chats.reading import read_chats

SIZES = (100_000, 1_000_000)
A_CHAT = 10  # exchanges
FLAT = 1.5
STUDENT = "I multiplied both sides by 4 and got 3x = 24, but then the check does not work out. Is the 4 wrong?"
TUTOR = "Your step is fine. Put your x back into the first line: which side comes out too large, and by how much?"
WAYS = ("JSONL", "CSV", "Parquet", "CSV, interleaved", "Parquet, interleaved")


def messages(chat: int):
    """Give one chat's messages: role and text."""
    for i in range(A_CHAT):
        yield "student", f"{chat}.{i} {STUDENT}"
        yield "tutor", f"{chat}.{i} {TUTOR}"


def rows(exchanges: int, interleaved: bool):
    """Give rows of chat, role and text; interleaved, each chat's exchanges are spread over the file."""
    chats = exchanges // A_CHAT
    if not interleaved:
        for chat in range(chats):
            yield from ((f"chat-{chat}", *message) for message in messages(chat))
        return
    for i in range(A_CHAT):
        for chat in range(chats):
            yield f"chat-{chat}", "student", f"{chat}.{i} {STUDENT}"
            yield f"chat-{chat}", "tutor", f"{chat}.{i} {TUTOR}"


def write(path: Path, way: str, exchanges: int) -> None:
    if way == "JSONL":
        names = {"student": "user", "tutor": "assistant"}
        with path.open("w", encoding="utf-8") as out:
            for chat in range(exchanges // A_CHAT):
                said = [{"role": names[who], "content": text} for who, text in messages(chat)]
                out.write(json.dumps({"id": f"chat-{chat}", "messages": said}) + "\n")
        return
    interleaved = way.endswith("interleaved")
    if way.startswith("CSV"):
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(["chat", "role", "text"])
            writer.writerows(rows(exchanges, interleaved))
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(name, pa.string()) for name in ("chat", "role", "text")])
    with pq.ParquetWriter(path, schema) as writer:
        block = []
        for row in rows(exchanges, interleaved):
            block.append(row)
            if len(block) == 50_000:
                writer.write_table(pa.table([pa.array(column) for column in zip(*block, strict=True)], schema=schema))
                block = []
        if block:
            writer.write_table(pa.table([pa.array(column) for column in zip(*block, strict=True)], schema=schema))


def peak_in_mb() -> float:
    """Give the most memory that this process has held."""
    status = Path("/proc/self/status")
    if status.is_file():
        return int(status.read_text(encoding="utf-8").split("VmHWM:")[1].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def read(path: Path, results) -> None:
    start, worked = time.perf_counter(), time.process_time()
    file = read_chats(path)
    for _ in file:
        pass
    seconds, work = time.perf_counter() - start, time.process_time() - worked
    results.put((file.counts.valid_exchanges, seconds, work, peak_in_mb()))


def apart(work, *arguments) -> None:
    """Run something in a process of its own."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        sys.exit(process.exitcode)


def measured(folder: Path, way: str, exchanges: int) -> tuple[float, float]:
    """Write and read one log; print its speed and give its seconds of work and its peak."""
    path = folder / "log"
    apart(write, path, way, exchanges)
    results = multiprocessing.get_context("spawn").SimpleQueue()
    apart(read, path, results)
    found, seconds, work, peak = results.get()
    if found != exchanges:
        raise SystemExit(f"{way}: read {found:,} exchanges, wrote {exchanges:,}")
    size = path.stat().st_size / 1e6
    path.unlink()
    what = f"reading {way}, {exchanges:,} exchanges ({size:,.0f} MB)"
    # The processor's time: what else the machine does at the same time is not in it.
    print(json.dumps({"what": what, "value": exchanges / work, "unit": "exchanges per second of processor time"}))
    print(f"{what}: {seconds:.1f} s on the clock", flush=True)
    return work, peak


def main(sizes: tuple[int, ...]) -> None:
    with tempfile.TemporaryDirectory(prefix="tutorscope-bench-") as name:
        for way in WAYS:
            peaks = [measured(Path(name), way, exchanges)[1] for exchanges in sizes]
            for exchanges, peak in zip(sizes, peaks, strict=True):
                figure = {
                    "what": f"reading {way}, {exchanges:,} exchanges: peak of the process",
                    "value": peak,
                    "unit": "MB",
                }
                if exchanges == sizes[-1] and len(sizes) > 1:
                    ratio = peaks[-1] / peaks[0]
                    figure |= {"ratio": ratio, "against": f"{sizes[0]:,} exchanges, {peaks[0]:.0f} MB"}
                    figure |= {
                        "wanted": f"at most {FLAT} times, at {sizes[-1] // sizes[0]} times the size",
                        "met": ratio <= FLAT,
                    }
                print(json.dumps(figure), flush=True)


if __name__ == "__main__":
    asked = os.environ.get("TUTORSCOPE_BENCH_SIZES")
    main(tuple(int(size) for size in asked.split(",")) if asked else SIZES)
