"""Small repository tasks in which a model goes wrong: `make tasks`."""

import pytest

pytest.register_assert_rewrite("tests.tasks.play")
