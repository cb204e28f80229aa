import unittest

from .share import split, with_tip


class SplitTest(unittest.TestCase):
    def test_even_bill(self) -> None:
        self.assertEqual(split(900, 3), [300, 300, 300])

    def test_no_cent_is_lost(self) -> None:
        self.assertEqual(split(1000, 3), [334, 333, 333])

    def test_nobody(self) -> None:
        with self.assertRaises(ValueError):
            split(1000, 0)


class TipTest(unittest.TestCase):
    def test_rounds_half_up(self) -> None:
        self.assertEqual(with_tip(1050, 15), 1208)


if __name__ == "__main__":
    unittest.main()
