"""The line of a question in which an answer is typed, or a rule: what ends it, and what comes of it."""

from __future__ import annotations

from textual.events import Key
from textual.widgets import Input

from xun.frontends.tui.focus import has_keys
from xun.frontends.tui.question.box import QuestionBox
from xun.frontends.tui.question.describe import Shown
from xun.frontends.tui.question.editor import ReachOf, RuleEditor
from xun.frontends.tui.question.rule import Edited
from xun.policy.decision import Answer


class QuestionEntry(QuestionBox):
    """A question whose answer may have to be typed. `reach` tells what a rule would let pass, to edit it by."""

    def __init__(self, shown: Shown, reach: ReachOf | None) -> None:
        super().__init__(shown)
        self._editor = RuleEditor(self, reach, self._draw)

    def take(self) -> None:
        """Take the keys; from the line, back to the answers."""
        raise NotImplementedError

    def _give(self, answer: Answer) -> None:
        raise NotImplementedError

    @property
    def secret(self) -> bool:
        """Whether a secret is being typed, or waits to be."""
        return self._entry is not None and self._entry.entry == "secret"

    @property
    def typing(self) -> bool:
        """Whether a reason, own words or a secret are being typed."""
        return self._entry is not None and has_keys(self._line)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look up what the rule that is being edited comes to."""
        event.stop()
        if self._editor:
            self._editor.look(event.value)

    async def _keep(self, text: str) -> None:
        kept = await self._editor.keep(text)
        if isinstance(kept, Answer):
            self._give(kept)
        elif kept is not None:
            self._line.put(kept)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The reason, or the own words, are complete."""
        event.stop()
        choice, text = self._entry, event.value.strip()
        if self._editor:
            self.run_worker(self._keep(text), group="keep")
            return
        if choice is None or (choice.entry != "reason" and not text):
            return
        self._line.empty()
        self._give(Answer.no(text or None) if choice.entry == "reason" else Answer.say(text))

    def key_escape(self, event: Key) -> None:
        """Leave the line for a reason without answering."""
        if self._entry is not None:
            event.stop()
            if self._mark.menu.at_once:  # nobody came from its answers
                self._give(Answer.no())
            else:
                self.take()

    def clear_entry(self) -> bool:
        """Empty the line that is being typed, or leave it where it is empty. False where none is."""
        if not self.typing:
            return False
        if self._line.value:
            self._line.value = ""
        else:
            self.take()
        return True

    def _edited(self, width: int) -> Edited | None:
        return self._editor.rows(width)

    def _close_entry(self) -> None:
        self._entry = None
        self._editor.close()
        self.remove_class("-typing")
