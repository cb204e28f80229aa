"""Small repository tasks with a model that goes wrong in known ways: each ends well all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tasks import arguments, commands, courses, edits
from tests.tasks.play import play
from tests.tasks.task import Task

TASKS = (*arguments.TASKS, *edits.TASKS, *commands.TASKS, *courses.TASKS)


@pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])
def test_a_task_ends_well(task: Task, tmp_path: Path) -> None:
    play(task, tmp_path)


def test_there_are_enough_and_each_has_a_name_of_its_own() -> None:
    assert len(TASKS) >= 20
    assert len({task.name for task in TASKS}) == len(TASKS)
