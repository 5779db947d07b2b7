"""Finds the functions that fit a request: BM25 over the texts of each, each kind with its weight.

A function is the weighted words of its texts (`_texts`): words are split out of names
(`listForRepo`, `list_for_repo`), shortened to a light stem (`issues`, `creating`), and left out if
requests and descriptions have them everywhere (`the`, `please`). The score of a word in a function
is computed when the index is built; a query adds the scores of its words.

Beside BM25 a word scores by its share of the function's name, and of its name and first sentence
(a cosine): of two functions with the words of a request, the one that says little else is meant.

A request for several things ("find the cheapest and book it") is scored as a whole and clause by
clause, so that the functions of a short clause are found beside those of a long one.

The scores of a word are two arrays: of positions of functions, and of scores.
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import chain, pairwise
from math import log, sqrt
from typing import Final, TypeAlias, cast

from pyfunctools._json import JsonValue, members_of
from pyfunctools.errors import DefinitionError, check_count, wrong_type
from pyfunctools.record.function import Function, contract_of, searched_texts
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.search_texts import SearchTexts, properties_of, property_texts
from pyfunctools.schema.ground.references import defined_name

OtherRanker: TypeAlias = Callable[[str, Sequence[Function]], Iterable[Function]]
"""Another ranker: returns functions for a query, the best first."""

_SATURATION: Final = 1.2
_LENGTH: Final = 0.75
"""The parameters k1 and b of BM25."""
_FULL: Final = 16
"""Words of a text that count fully; those of a longer one share their weight."""
_SHARES: Final = ((1.0, 1), (0.5, 2))
"""The weights of the two cosines, and the number of a function's first texts in each."""
_CLAUSES: Final = 0.5
"""The weight of the best clause, where the whole query has 1."""
_COMPOUND: Final = 0.5
"""The weight of the last word of a compound, where the compound has 1."""
_LONGEST_COMPOUND: Final = 64
"""The characters of a word that are searched for its parts: each part is looked up."""
_FUSED: Final = 60
"""The constant of reciprocal rank fusion (Cormack and others, 2009)."""
_LONGEST_QUERY: Final = 4000
"""The characters of a query that are read."""


WeighedTexts: TypeAlias = list[tuple[float, list[str]]]
"""The words of each text of a function, and the weight of each of these words."""


class SearchIndex:
    """The words of functions, for searches; equal functions make equal results."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self.functions = functions
        self._entries: dict[str, tuple[array[int], array[float]]] = {}
        """The functions with a word, by position in ascending order, and the score of each."""
        stems = dict[str, str]()
        read = [_read(each, stems) for each in functions]
        lasts = _last_words(stems.values())
        counts = Counter(chain.from_iterable(_weights(each, lasts) for each in read))
        rarity = {
            word: log(1 + (len(read) - count + 0.5) / (count + 0.5))
            for word, count in counts.items()
        }
        mean = sum(map(_length, read)) / (len(read) or 1) or 1.0
        for place, texts in enumerate(read):
            norm = _SATURATION * (1 - _LENGTH + _LENGTH * _length(texts) / mean)
            shares = dict[str, float]()
            for share, count in _SHARES:
                words = _weights(texts[:count], lasts)
                size = sqrt(1 + sum(rarity[word] ** 2 for word in words))
                for word in words:
                    shares[word] = shares.get(word, 0.0) + share / size
            for word, weight in _weights(texts, lasts).items():
                rare = rarity[word]
                score = weight * (_SATURATION + 1) / (weight + norm) + rare * shares.get(word, 0.0)
                if (entries := self._entries.get(word)) is None:
                    entries = self._entries[word] = array("I"), array("f")
                entries[0].append(place)
                entries[1].append(rare * score)

    def search(
        self, query: str, limit: int, rank: OtherRanker | None = None
    ) -> tuple[Function, ...]:
        """Return at most `limit` functions that fit a query, the best first.

        With `rank` its order and this one are fused by reciprocal rank.
        """
        if not isinstance(query, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise wrong_type("search(query)", "a text", query, 'Write `search("refund an order")`.')
        check_count("search(limit)", limit)
        if rank is None:
            return tuple(self.functions[place] for place in self._ranked(query, limit))
        fused = dict[str, float]()
        known = {each.name: each for each in self.functions}
        own = [self.functions[place].name for place in self._ranked(query, max(limit, _FUSED))]
        for order in (own, _other_order(rank, query, self.functions)):
            for place, name in enumerate(dict.fromkeys(order)):
                fused[name] = fused.get(name, 0.0) + 1 / (_FUSED + place)
        best = sorted(fused, key=lambda name: -fused[name])
        return tuple(known[name] for name in best if name in known)[:limit]

    def _ranked(self, query: str, limit: int) -> list[int]:
        """Return the positions of the functions that fit a query, the best first."""
        stems = dict[str, str]()
        query = query[:_LONGEST_QUERY]
        scores = self._scored(dict.fromkeys(_stems(query, stems)))
        if not scores:
            return []
        clauses = [dict.fromkeys(_stems(clause, stems)) for clause in _CLAUSE.split(query)]
        clauses = [clause for clause in clauses if len(clause) > 1]
        if len(clauses) > 1:
            best = dict[int, float]()
            for clause in clauses:
                found = self._scored(clause)
                top = max(found.values(), default=1.0)
                for place, score in found.items():
                    if score > best.get(place, 0.0) * top:
                        best[place] = score / top
            scale = _CLAUSES * max(scores.values())
            for place, score in best.items():
                scores[place] = scores.get(place, 0.0) + scale * score
        least = nlargest(limit, scores.values())[-1]
        best_first = sorted((-score, place) for place, score in scores.items() if score >= least)
        return [place for _, place in best_first[:limit]]

    def _scored(self, words: Iterable[str]) -> dict[int, float]:
        """Return the sum of the scores of words, by the position of the function."""
        total = dict[int, float]()
        for entries in filter(None, map(self._entries.get, words)):
            if total:
                for place, score in zip(*entries, strict=True):
                    total[place] = total.get(place, 0.0) + score
            else:
                total = dict(zip(*entries, strict=True))  # much faster
        return total


def _other_order(rank: OtherRanker, query: str, functions: Sequence[Function]) -> list[str]:
    """Return the names of the functions in the order of another ranker."""
    remedy = "Write a function of the query and the functions that returns functions, best first."
    try:
        given = list(cast("Iterable[object]", rank(query, functions)))
    except Exception as error:  # the caller's code may raise anything
        reason = f"The ranker raised {type(error).__name__}: {error}."
        raise DefinitionError("search(rank)", reason, remedy) from error
    names = [each.name for each in given if isinstance(each, Function)]
    if len(names) < len(given):
        raise DefinitionError("search(rank)", "The ranker returned no functions.", remedy)
    return names


def _texts(function: Function) -> Iterator[tuple[float, str]]:
    """Yield the texts of a function, each with the weight of its words."""
    own = searched_texts(function) or _own_texts(function)
    said = "\n".join(line for line in function.description.splitlines() if line[:1] != "@")
    first, *rest = _SENTENCE.split(said.strip(), maxsplit=1)
    second, *rest = _SENTENCE.split("".join(rest).strip(), maxsplit=1)
    yield 4, own.name or function.name
    yield 2, first
    yield 1, second  # behind an operation's summary, the first sentence of its description
    yield 0.7, "".join(rest)
    yield 1, own.path
    yield 1, own.tags or " ".join(function.tags)
    yield 0.5, own.parameters
    yield 0.5, own.descriptions
    yield 0.5, own.values
    yield 0.5, _VERBS.get(own.method, "")
    if own.name and own.name != function.name:
        yield 0.3, function.name
    elif function.title:
        yield 1, function.title


def _own_texts(function: Function) -> SearchTexts:
    """Return the texts of a function whose schemas have them."""
    parameters = contract_of(function).llm
    definitions = members_of(parameters.get("$defs"))

    def follow(schema: JsonValue) -> JsonValue:
        reference = members_of(schema).get("$ref")
        name = defined_name(reference) if isinstance(reference, str) else None
        return schema if name is None else definitions.get(name, schema)

    name = function.origin.name if isinstance(function.origin, RemoteTool) else function.name
    return SearchTexts(name=name, **property_texts(properties_of(parameters, follow), follow))


def _stems(text: str, known: dict[str, str]) -> Iterator[str]:
    """Yield the stems of the words of a text, without words that say nothing."""
    for word in _WORD.findall(text):
        stem = known.get(word)
        if stem is None:
            lower = word.casefold()
            stem = known[word] = "" if lower in _FILLERS else _stem(lower)
        if stem:
            if stem >= _UNSPACED and len(stem) > 2:
                yield from map("".join, pairwise(stem))
            else:
                yield stem


def _read(function: Function, stems: dict[str, str]) -> WeighedTexts:
    texts = ((full, list(_stems(text, stems))) for full, text in _texts(function))
    return [(full * min(1.0, _FULL / (len(words) or 1)), words) for full, words in texts]


def _length(texts: WeighedTexts) -> float:
    return sum(weight * len(words) for weight, words in texts)


def _weights(texts: WeighedTexts, lasts: Mapping[str, str]) -> dict[str, float]:
    """Return the weight of each word of texts, and of the last word of each compound."""
    found = dict[str, float]()
    for weight, words in texts:
        for word in words:
            found[word] = found.get(word, 0.0) + weight
    for word in [word for word in found if word in lasts]:
        last = lasts[word]
        found[last] = max(found.get(last, 0.0), _COMPOUND * found[word])
    return found


def _last_words(words: Iterable[str]) -> dict[str, str]:
    """Return the last word of each compound: a `webhook` is a `hook`."""
    known = frozenset(words)
    return {
        word: word[at:]
        for word in known
        for at in reversed(range(3, min(len(word), _LONGEST_COMPOUND) - 2))
        if word[at:] in known and word[:at] in known and word[:at].isalpha()
    }


def _stem(word: str) -> str:
    """Return a word without the endings of plurals, of verbs, and of nouns made from verbs."""
    if len(word) <= 3 or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("sses") or (word.endswith("es") and word[-3] in "sxzh" and len(word) > 4):
        word = word[:-2]
    elif word[-1] == "s" and word[-2] not in "su":
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    for ending in ("ion", "er", "or"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word


_WORD: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n")
_CLAUSE: Final = re.compile(r"[.;?!,\n]\s+|\b(?:and|then|also)\b")
_UNSPACED: Final = "\u3040"
"""From this character on, scripts are written without spaces: their words are pairs of letters."""
_VERBS: Final = {
    "GET": "get list fetch retrieve show read",
    "POST": "create add new send post",
    "PUT": "update set replace change",
    "PATCH": "update edit change modify",
    "DELETE": "delete remove",
}
"""What people call the methods of HTTP."""
_FILLERS: Final = frozenset(
    """
    a about above after again all also always am an and any anything are as at available based be
    because been before being below between both but by can cannot certain corresponding could
    current details did do does doing don down during e each etc everything few find following for
    from further g give given had has have having he hello help her here hers hi him his how i if
    in information interested into is it its itself just know let like ll looking lot m make many
    may me might more most much must my need new no nor not now of off on once one only or other
    our out over own particular please possible provide provided really related respective s same
    several shall she should single so some someone something specific specified specify such sure
    t tell than thank thanks that the their them then there these they this those through to too
    under until up us use used using various ve very via want wanted was we were what when where
    which while who whom why will with would you your
    """.split()  # noqa: SIM905 - readable
)
"""Words of any request and any description."""
