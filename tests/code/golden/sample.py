"""Module doc."""
import os
from typing import (List,
    Dict)

LIMIT: int = 5
a, b = 1, 2

@dataclass(frozen=True)
class Shape(Base, metaclass=ABCMeta):
    """A shape."""
    sides: int = 0
    name = "x"

    def __init__(self, sides):
        self.sides = sides
        self.area = None

    @property
    async def f(self, a, /, b: int = 1, *args: str, c, **kw) -> Dict[str, int]:
        """Does f.

        More."""
        local = 1
        if a and b or c:
            for x in y:
                pass
        def inner(z): return z if z else 0
        return [i for i in a if i]

def g(): pass
if True:
    FLAG = 1
lam = lambda q: q
