"""The repositories of the tasks. Small: what is shown is the model's mistake, and what becomes of it."""

from __future__ import annotations

from tests.tasks.task import TESTS_PASS, edit, read, run, say

WRONG = "    return price - percent"
RIGHT = "    return price * (100 - percent) / 100"
_PRICE = 'def discounted(price, percent):\n    """The price less a discount."""\n{}\n'
PRICE = _PRICE.format(WRONG)
FIXED = _PRICE.format(RIGHT)
SHOP = {
    "price.py": PRICE,
    "test_price.py": (
        "import unittest\n\nfrom price import discounted\n\n\n"
        "class Discount(unittest.TestCase):\n"
        "    def test_ten_percent(self):\n"
        "        self.assertEqual(discounted(200, 10), 180)\n"
    ),
}
"""A shop whose discount is wrong, and whose test says so."""

MEND = edit("price.py", WRONG, RIGHT)
"""The call that puts the discount right."""
LOOK = read("price.py")
TEST = run(TESTS_PASS)
MENDED = {"price.py": FIXED}
DONE = say("Done: a discount is a share of the price now.")
ASKED = ("The test of the discount fails: find out why, and put it right.",)
PASSED = "OK"
