"""`make bench`: what xun costs, in figures and in ratios to floors that are measured in the same run."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from bench import decisions, parts, run, screen

PARTS = ("run", "sandbox", "screen", "decisions", "parts")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("-n", "--runs", type=int, default=7, help="how often what is short is measured (7)")
    parser.add_argument("what", nargs="*", default=PARTS, help=f"{', '.join(PARTS)} (all of them)")
    options = parser.parse_args()
    if unknown := set(options.what) - set(PARTS):
        parser.error(f"not one of {', '.join(PARTS)}: {', '.join(unknown)}")
    os.chdir(Path(__file__).parent.parent)
    os.environ["PYTHONPATH"] = str(Path.cwd())
    if "run" in options.what:
        print("xun run")
        run.report(options.runs)
    if "sandbox" in options.what:
        print("\nthe sandbox")
        run.sandboxed(options.runs)
    if "screen" in options.what:
        print("\nthe screen")
        screen.report(options.runs)
    if "decisions" in options.what:
        print("\ndecisions")
        decisions.report()
    if "parts" in options.what:
        print("\nsingle parts")
        parts.report()


if __name__ == "__main__":
    main()
