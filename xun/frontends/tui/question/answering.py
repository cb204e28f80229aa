"""Keys as answers: which one is marked, held or given, and what is not in view yet."""

from __future__ import annotations

import time

from textual.events import Key, Paste

from xun.frontends.tui.question.choices import Choice
from xun.frontends.tui.question.describe import Shown
from xun.frontends.tui.question.editor import ReachOf
from xun.frontends.tui.question.entering import QuestionEntry
from xun.frontends.tui.question.held import Held
from xun.frontends.tui.question.mark import LOOK
from xun.frontends.tui.question.quiet import GRACE
from xun.policy.decision import Answer


class QuestionAnswers(QuestionEntry):
    """A question that is answered by keys, of which none may be an answer by a slip."""

    def __init__(self, shown: Shown, reach: ReachOf | None) -> None:
        super().__init__(shown, reach)
        self._held = Held(self, self._counted)
        self._missed = ""  # the key that came too early
        self._escaped = float("-inf")  # when an Esc said no, or one came right after that and was not taken
        self._said_so = True

    def _hand_on(self, *events: Key | Paste) -> None:
        """Give what is held, and `events`, to the prompt."""
        raise NotImplementedError

    def _leave(self) -> None:
        """Go back to the prompt."""
        raise NotImplementedError

    def _title(self) -> None:
        """Tell what is asked, above it."""
        raise NotImplementedError

    def _take_back(self) -> list[Key]:
        """What is held answers nothing, and what it moved stands where it stood."""
        keys, self._missed = self._held.drop(), ""
        if keys:
            self._mark.go_back()
            self._draw()
        return keys

    def _settle(self) -> None:
        """Something else is done: what is held answers nothing. A look at the decision that was taken stays."""
        if self._held.keys and not self._held.begun:
            self._held.drop()
        else:
            self._take_back()

    def _command(self, event: Key) -> bool:
        if event.key == "enter" and self._held.keys:
            named = self._held.choice or (self._mark.choice if self._mark.numbered else None)
            if named is None and not self._held.begun:  # it was a look, and this is no answer to it
                self._held.drop()
            elif named is None:  # a letter that answers nothing: with Enter it is no answer either
                self._hand_on()
            else:
                self._held.add(event, named)  # it may end a line of several
            return True
        match event.key:
            case "up" | "down":
                self._settle()
                self._mark.move(1 if event.key == "down" else -1)
                self._draw()
            case "enter":
                self._choose(self._mark.choice)
            case "backspace" if self._mark.filter:
                self._narrow(self._mark.filter[:-1])
            case "escape" if self._mark.filter:
                self._narrow("")
            case "escape":
                if not self._mark.menu.listing:  # another Esc after that of a list interrupts
                    self._escaped, self._said_so = time.monotonic(), False
                self._give(Answer.no())
            case "home" | "end":
                self._settle()
                return self.scroll("end", 1 if event.key == "end" else -1)
            case "tab":
                self._settle()
                self._leave()
            case _:
                return False
        return True

    def follows_no(self) -> bool:
        """Whether an Esc that comes now comes too soon after one that said no to mean anything else."""
        now = time.monotonic()
        if now - self._escaped >= GRACE:
            return False
        self._escaped = now
        return True

    def tell_once(self) -> bool:
        """Whether that is still to be said of the Escs that follow one no."""
        told, self._said_so = self._said_so, True
        return not told

    def _letter(self, event: Key) -> bool:
        """A letter or a digit counts once no other follows: it may begin a sentence."""
        if self._filters(event) or self._begins_line(event):
            return True
        going_on = self._held.begun
        number = self._mark.begun(event.key)
        if going_on and not self._held.goes_on(event.key) and not number:
            return False
        if not self._held.keys:
            self._mark.remember()
        pressed = self._mark.press(event.key)
        if pressed is None:
            return False
        if isinstance(pressed, Choice) and self._unseen(pressed):
            pressed = None  # a yes to what has not been seen is none: it shows the rest first
        elif going_on and not number and self._held.choice is None and event.key == self._held.keys[-1].key:
            pressed = None  # nor is a key that is still held down from showing it
        if isinstance(pressed, Choice) and pressed.entry not in ("", "rule"):
            self._held.drop()
            self._choose(pressed)
            return True
        if isinstance(pressed, Choice):
            self._mark.put(self._mark.menu.choices.index(pressed))
        look = pressed == "moved" and event.key == LOOK  # which decides nothing: what follows is a key of its own
        self._held.add(event, pressed if isinstance(pressed, Choice) else None, look=look)
        self._draw()
        return True

    def _begins_line(self, event: Key) -> bool:
        """Where what is asked about is numbered, a digit opens the line for such numbers, and stands in it."""
        at = self._mark.menu.digits
        if at is None or not event.key.isdecimal() or self._held.begun:
            return False
        self._held.drop()
        self._mark.put(at)
        self._choose(self._mark.choice)
        if self._entry is not None:  # else the rest of what is asked is to be seen first
            self._line.put(event.key)
        return True

    def _filters(self, event: Key) -> bool:
        """In a list, whatever is typed narrows it, but for the digits of a number to begin with."""
        mark, held = self._mark, self._held.keys
        if not mark.menu.listing or not event.is_printable or event.character is None:
            return False
        if event.key.isdecimal() and not mark.filter and (not held or mark.begun(event.key)):
            return False
        self._narrow(mark.filter + "".join(key.character or "" for key in self._take_back()) + event.character)
        return True

    def _narrow(self, text: str) -> None:
        self._mark.narrow(text)
        self._title()
        self._draw()

    def _counted(self, choice: Choice | None) -> None:
        self._draw()
        if choice is not None and self.ready:
            self._choose(choice)

    def _unseen(self, choice: Choice) -> bool:
        """Whether `choice` is a yes to what was not in view as a whole: then the next page is, now."""
        if choice.answer.yes and not self._seen and self._mark.explained:
            self._mark.explained = False  # the card was gone to, past the rest of what is asked
            self._draw()
            return True
        menu = self._mark.menu
        counts = choice.entry in ("", "rule") or (menu.digits is not None and not menu.at_once)
        return choice.answer.yes and counts and not self._seen and self.scroll_body(self._page())

    def _choose(self, choice: Choice) -> None:
        if self._unseen(choice) or self._mark.nothing:
            return
        rule = choice.entry == "rule" and self._editor.available
        if choice.entry in ("", "rule") and not rule:
            self._give(choice.answer)
            return
        self._entry = choice
        self.add_class("-typing")
        self._line.open(choice.entry, secret=choice.entry == "secret")
        if rule and self._shown is not None:
            self._line.put(self._editor.open(self._shown.ask))
        self._draw()

    def _give(self, answer: Answer) -> None:
        if self._shown is not None and not self._shown.answer.done():
            self._shown.answer.set_result(answer)
