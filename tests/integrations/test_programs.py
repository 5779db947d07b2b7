"""A program of a model calls functions as the model itself would."""

import asyncio
import logging
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any

import pytest

from pyfunctools import (
    Controller,
    DefinitionError,
    Function,
    Human,
    MissingExtraError,
    Outcome,
    ProgramLimits,
    Retry,
    function,
)

pytest.importorskip("pydantic_monty")


class Shop:
    """A shop, which writes down what was done."""

    def __init__(self) -> None:
        self.did: list[Any] = []
        self.meeting = asyncio.Barrier(3)

    @function(read_only=True)
    def orders(self, customer: str = "Ada") -> list[dict[str, Any]]:
        """List the orders of a customer."""
        return [{"id": n, "total": 2.5 * n, "customer": customer} for n in (1, 2, 3)]

    @function
    def refund(self, order: int, amount: float, tags: list[str] | None = None) -> str:
        """Refund an order."""
        self.did.append((order, amount, tags))
        return f"refunded {order}"

    @function(name="sum")
    def total(self, values: list[float]) -> float:
        """Add numbers."""
        return sum(values)

    @function
    def fail(self, text: str) -> None:
        """Fail."""
        raise ValueError(text)

    @function
    def retry(self) -> None:
        """Ask for another try."""
        raise Retry("Try it tomorrow.")

    @function
    async def meet(self, number: int) -> int:
        """Return when three are there."""
        await self.meeting.wait()
        return number

    @function
    def pay(self, pin: Human[str], amount: float = 1.0) -> str:
        """Pay."""
        return "paid"


@pytest.fixture
def shop() -> Shop:
    return Shop()


def run(shop: Any, code: str, limits: ProgramLimits | None = None, **options: Any) -> Outcome:
    programs = Controller.from_object(shop).programs(limits=limits)
    return programs.call("run_program", {"code": code}, **options)


def test_a_program_calls_functions_and_returns_its_last_value(shop: Shop) -> None:
    outcome = run(
        shop,
        """
import asyncio

async def both(order):
    return await asyncio.gather(refund(order=order["id"], amount=1), orders(customer="Bob"))

found = await orders()
print(len(found), "orders")
done = [await both(order) for order in found if order["total"] > 3]
{"total": sum(o["total"] for o in found), "done": [d[0] for d in done], "first": done[0][1][0]}
""",
    )
    value = {
        "total": 15.0,
        "done": ["refunded 2", "refunded 3"],
        "first": {"id": 1, "total": 2.5, "customer": "Bob"},
    }
    assert outcome.value == value
    assert outcome.text.startswith('3 orders\n{"total": 15.0, "done": ["refunded 2"')
    assert outcome.ok
    assert outcome.function == "run_program"
    named = ["orders", "refund", "orders", "refund", "orders"]
    assert [each.function for each in outcome.calls] == named
    assert outcome.calls[1].arguments == {"order": 2, "amount": 1}
    assert outcome.calls[1].outcome.value == "refunded 2"
    assert len({each.call_id for each in outcome.calls}) == 5
    assert shop.did == [(2, 1.0, None), (3, 1.0, None)]


def test_a_program_that_shows_nothing_is_told_so(shop: Shop) -> None:
    assert run(shop, "1").text == "1"
    assert run(shop, '"two\\nlines"').text == "two\nlines"
    assert "print" in run(shop, "x = 1").text


def test_its_calls_are_repaired_and_a_fence_is_no_part_of_it(shop: Shop) -> None:
    outcome = run(shop, '```python\nawait refund(order="7", amount="2.5", tags="late")\n```')
    assert outcome.value == "refunded 7"
    assert shop.did == [(7, 2.5, ["late"])]
    assert {each.kind for each in outcome.calls[0].outcome.repairs}


def test_values_of_python_are_written_as_json(shop: Shop) -> None:
    code = "from decimal import Decimal\nawait sum_(values=(Decimal('1.5'), 2))"
    assert run(shop, code).value == 3.5
    assert run(shop, "await orders(customer=None)").ok


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("await refund(order=1, amount=[2])", "expected number"),
        ('await refund(order=1, amount="two")', "expected number"),
        ("await fail(text='too late')", "ValueError: too late"),
        ("await retry()", "Try it tomorrow."),
    ],
)
def test_a_failure_is_an_exception_with_our_feedback(shop: Shop, code: str, told: str) -> None:
    code = code.replace("[2]", "o[0]")
    caught = (
        f"o = await orders()\ntry:\n    {code}\nexcept RuntimeError as error:\n    print(error)"
    )
    outcome = run(shop, caught)
    assert outcome.ok
    assert told in outcome.text
    assert outcome.calls[-1].outcome.is_error
    uncaught = run(shop, f"o = await orders()\n{code}")
    assert uncaught.reason == "raised"
    assert told in uncaught.text
    assert "line 2" in uncaught.text
    assert "orders (ok)" in uncaught.text
    assert "not undone" in uncaught.text
    assert uncaught.calls[0].function == "orders"
    assert shop.did == []


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ('await pay(pin="0000")', 'line 2: `await pay(pin="0000")`: Argument `pin`'),
        ("await refund(order=1)", "No argument provided for required parameter `amount`"),
        ("await refunds(order=1, amount=1)", "Did you mean `refund`?"),
        ("refund(order=1, amount=1)", "not awaited: write `await`"),
        ("await refund(1, 2)", "Too many positional arguments"),
        ("'a' + 1", "Operator `+`"),
        ("x = = 1", "Expected an expression"),
        ("import requests", "line 2: `import requests`: Cannot resolve imported module `requests`"),
        ("def f():\n    import numpy as np\nawait orders()", "module `numpy`"),
        ("import asyncio\nasyncio.create_task(orders())", "create_task"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_nothing_runs(shop: Shop, code: str, told: str) -> None:
    outcome = run(shop, f"await refund(order=1, amount=1)\n{code}")
    assert (outcome.reason, shop.did, outcome.calls) == ("arguments", [], ())
    assert told in outcome.text
    assert "was not run" in outcome.text
    assert [str(issue.path) for issue in outcome.issues] == ["$input.code"]


@pytest.mark.parametrize(
    "code",
    [
        "await refund(order='1', amount='2.5', tags=('a', 'b'))",
        "await refund(order=1.0, amount=1, tags=['a'] + [str(n) for n in range(2)])",
        "await refund(order=1, amount=True + 1, tags='[\"a\"]')",
        "x = {'order': 1, 'amount': 2}\nawait refund(**x)",
        "f = refund\nawait f(order=1, amount=2)",
        "import asyncio\nawait asyncio.gather(*[refund(order=n, amount=n) for n in range(3)])",
        "import json\nawait asyncio.gather(refund(order=1, amount=2))",
        "async def main():\n    return await refund(order=1, amount=2)\nawait main()",
        "import asyncio\nasync def f():\n    await refund(order=1, amount=2)\nasyncio.run(f())",
        "o = (await orders())[0]\nawait refund(order=o['id'], amount=1, tags=o.get('tags'))",
        "await refund(order=1, amount=max(o['total'] for o in await orders()))",
        "x: int = 1\nawait refund(order=x, amount=x / 2)",
        "await refund(order=1, amount=1, tags=None)",
    ],
)
def test_no_right_program_is_refused(shop: Shop, code: str) -> None:
    outcome = run(shop, code)
    assert outcome.ok, outcome.text
    assert shop.did


def test_a_function_with_a_name_of_python_gets_an_underscore(shop: Shop) -> None:
    programs = Controller.from_object(shop).programs()
    described = programs["run_program"].description
    assert "`sum_` is the function sum." in described
    assert "async def sum_(*, values: list[float]) -> float: 'Add numbers.'; ..." in described
    assert run(shop, "await sum_(values=[1, 2])").value == 3
    assert run(shop, "sum([1, 2])").value == 3


def test_the_stubs_have_only_the_models_side(shop: Shop) -> None:
    described = Controller.from_object(shop).programs()["run_program"].description
    assert "async def pay(*, amount: float = ...)" in described
    assert "pin:" not in described


def test_a_call_that_is_not_awaited_does_not_run_and_is_told(shop: Shop) -> None:
    outcome = run(shop, "x = refund(order=1, amount=1)\n2")
    assert (outcome.value, shop.did, outcome.calls) == (2, [], ())
    assert outcome.text == "2\nNot awaited, so not run: refund."


def test_gather_runs_calls_at_once_and_they_end_together() -> None:
    async def main() -> Outcome:
        programs = Controller.from_object(Shop()).programs()
        code = "import asyncio\nawait asyncio.gather(*[meet(number=n) for n in (1, 2, 3)])"
        return await asyncio.wait_for(programs.acall("run_program", {"code": code}), 60)

    outcome = asyncio.run(main())
    assert outcome.value == [1, 2, 3]


@pytest.mark.parametrize("many", [False, True], ids=["by name", "found by a search"])
def test_a_function_that_is_not_concurrent_runs_alone(many: bool) -> None:
    running: list[int] = []
    most: list[int] = []

    async def step(number: int) -> int:
        """Step."""
        running.append(number)
        await asyncio.sleep(0)
        most.append(len(running))
        running.remove(number)
        return number

    others = [Function.from_schema(name=f"f{n}", parameters=[], handler=str) for n in range(60)]
    alone = Controller.from_functions([function(concurrent=False)(step), *others[: 60 * many]])
    call = "call_function(name='step', arguments={'number': n})" if many else "step(number=n)"
    code = f"import asyncio\nawait asyncio.gather(*[{call} for n in (1, 2, 3)])"
    assert asyncio.run(alone.programs().acall("run_program", {"code": code})).value == [1, 2, 3]
    assert most == [1, 1, 1]


def test_programs_run_in_many_threads_and_loops(shop: Shop) -> None:
    programs = Controller.from_object(shop).programs()
    code = "o = await orders()\nlen(o)"

    def one(number: int) -> object:
        if number % 2:
            return programs.call("run_program", {"code": code}).value
        return asyncio.run(programs.acall("run_program", {"code": code})).value

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(8))) == [3] * 8


def test_an_asynchronous_function_runs_in_a_blocking_call() -> None:
    async def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    programs = Controller.from_functions([add]).programs()
    assert programs.call("run_program", {"code": "await add(a=1, b=2)"}).value == 3


def test_a_cancelled_program_ends(shop: Shop) -> None:
    async def main() -> None:
        programs = Controller.from_object(shop).programs()
        call = asyncio.create_task(programs.acall("run_program", {"code": "await meet(number=1)"}))
        while not shop.meeting.n_waiting:
            await asyncio.sleep(0.001)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert shop.meeting.n_waiting == 0
        assert (await programs.acall("run_program", {"code": "1"})).value == 1

    asyncio.run(main())


def test_each_call_is_logged_and_no_value_is(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "pyfunctools.calls"):
        run(shop, 'await orders(customer="Cleo-7")')
    named = [vars(record)["function"] for record in caplog.records]
    assert named == ["orders", "run_program"]
    assert "Cleo-7" not in caplog.text


def test_context_reaches_the_calls_and_settings_hold() -> None:
    def who(context: Any) -> str:
        """Tell who it is."""
        return str(context)

    made = Function.from_schema(name="who", parameters=[], handler=who)
    programs = Controller.from_functions([made]).programs()
    assert programs.call("run_program", {"code": "await who()"}, context="Ada").value == "Ada"


def test_many_functions_are_found_by_a_program_or_before_it() -> None:
    def made(number: int) -> Function:
        return Function.from_schema(
            name=f"animal_{number}",
            description=f"Return the animal {'tiger' if number == 33 else 'mouse'} {number}.",
            parameters=[],
            handler=lambda: number,
        )

    programs = Controller.from_functions([made(n) for n in range(60)]).programs()
    assert [each.name for each in programs] == ["run_program", "find_functions"]
    assert "animal_" not in programs["run_program"].description
    assert "animal_33" in programs.call("find_functions", {"query": "tiger"}).text
    code = """
found = await find_functions(query="tiger")
name = found.split("(")[0].split()[-1]
[name, await call_function(name=name, arguments={}), await animal_5()]
"""
    outcome = programs.call("run_program", {"code": code})
    assert outcome.value == ["animal_33", 33, 5]
    named = [each.outcome.function for each in outcome.calls]
    assert named == ["find_functions", "animal_33", "animal_5"]


def test_a_copy_in_another_process_runs_programs() -> None:
    programs = pickle.loads(pickle.dumps(Controller.from_functions([len_of]).programs()))
    assert programs.call("run_program", {"code": "await len_of(text='abc')"}).value == 3


def len_of(text: str) -> int:
    """Measure."""
    return len(text)


def test_after_closing_nothing_runs() -> None:
    with Controller.from_functions([len_of]).programs() as programs:
        pass
    assert programs.call("run_program", {"code": "1"}).reason == "transport"


def test_wrong_limits_are_refused() -> None:
    shop = Controller.from_functions([len_of])
    with pytest.raises(DefinitionError, match="ProgramLimits"):
        shop.programs(limits=10)  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match="calls"):
        ProgramLimits(calls=-1)


def test_without_its_controller_the_function_says_what_to_do() -> None:
    programs = Controller.from_functions([len_of]).programs()
    taken = Controller.from_functions(list(programs.functions))
    outcome = taken.call("run_program", {"code": "1"})
    assert outcome.is_error
    assert "controller.programs()" in outcome.text


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in [each for each in sys.modules if each.startswith("pyfunctools.integrations.progr")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    with pytest.raises(MissingExtraError, match="programs"):
        Controller.from_functions([len_of]).programs()


# What a program cannot do.


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.environ['PATH']",
        "import os\nos.getenv('PATH')",
        "open('/etc/passwd').read()",
        "open('out', 'w').write('a')",
        "from pathlib import Path\nPath('/etc/passwd').read_text()",
        "import os\nos.listdir('/')",
        "import subprocess",
        "import socket",
        "import ctypes",
        "().__class__.__bases__[0].__subclasses__()",
        "orders.__globals__",
        "__builtins__",
        "globals()",
        "exec('import os\\nos.listdir(\"/\")')",
        "eval('open(\"/etc/passwd\").read()')",
        "import time\ntime.sleep(60)",
    ],
)
def test_no_way_leads_out_of_the_sandbox(shop: Shop, code: str) -> None:
    outcome = run(shop, code)
    assert outcome.is_error, outcome.text
    for told in (os.environ["PATH"], "root:"):
        assert told not in outcome.text


# Limits.


@pytest.mark.parametrize(
    ("limits", "code", "right", "name"),
    [
        (ProgramLimits(calls=3), "[await orders() for n in range(N)]", 3, "calls=3"),
        (ProgramLimits(output=10), "print('a' * N, end='')", 10, "output=10"),
        (ProgramLimits(depth=20), "def f(n):\n    n and f(n - 1)\nf(N)", 19, "depth=20"),
        (ProgramLimits(memory=16 << 20), "len([0] * (N * 100_000))", 1, "memory=16777216"),
    ],
)
def test_a_program_at_its_limit_runs_and_one_beyond_is_stopped(
    shop: Shop, limits: ProgramLimits, code: str, right: int, name: str
) -> None:
    assert run(shop, code.replace("N", str(right)), limits).ok
    one_more = 20 if limits.memory == 16 << 20 else right + 1
    outcome = run(shop, code.replace("N", str(one_more)), limits)
    assert outcome.reason == "raised"
    assert f"at its limit {name}." in outcome.text
    assert ("not undone: orders (ok) x 3." in outcome.text) is bool(outcome.calls)


def test_a_request_that_was_not_sent_is_no_call_that_has_run() -> None:
    document = {"openapi": "3.1.0", "info": {"title": "x", "version": "1"}}
    paths = {"/a": {"get": {"responses": {"200": {"description": "ok"}}}}}
    api = Controller.from_openapi({**document, "paths": paths}, server="http://127.0.0.1:1")
    outcome = api.programs().call("run_program", {"code": "await a_get()"})
    assert [each.outcome.reason for each in outcome.calls] == ["transport"]
    assert "None of its calls has run." in outcome.text


def test_programs_that_were_closed_can_be_entered_again(shop: Shop) -> None:
    controller = Controller.from_object(shop)
    programs = controller.programs()
    programs.close()
    assert programs.call("run_program", {"code": "await orders()"}).reason == "transport"
    assert controller.call("orders").ok
    with programs:
        assert programs.call("run_program", {"code": "await orders()"}).ok


@pytest.mark.parametrize("caught", [False, True])
def test_a_program_that_computes_too_long_is_stopped(shop: Shop, caught: bool) -> None:
    loop = "while True: pass" if not caught else _CAUGHT
    outcome = run(shop, f"await orders()\n{loop}", ProgramLimits(seconds=1))
    assert outcome.reason == "deadline"
    assert "seconds=1" in outcome.text
    assert [each.function for each in outcome.calls] == ["orders"]


_CAUGHT = "try:\n    while True: pass\nexcept BaseException: pass"


def test_seconds_count_over_all_stops(shop: Shop) -> None:
    code = "while True:\n    await orders()\n    for n in range(20_000): n += 1"
    outcome = run(shop, code, ProgramLimits(seconds=1, calls=100_000))
    assert outcome.reason == "deadline"
    assert outcome.calls


def test_seconds_do_not_count_while_calls_run() -> None:
    def compute() -> float:
        """Compute."""
        started = perf_counter()
        while perf_counter() < started + 1.1:
            pass
        return perf_counter() - started

    programs = Controller.from_functions([compute]).programs(limits=ProgramLimits(seconds=1))
    assert programs.call("run_program", {"code": "await compute()"}).ok


@pytest.mark.parametrize(
    "code",
    [
        "x = []\nfor i in range(100_000): x = [x]\nx",
        "x = []\nx.append(x)\nx",
        "x = []\nfor i in range(5_000): x = [x]\nawait sum_(values=x)",
        "class P:\n    x = 1\n[P(), {1}, b'a', len]",
        "print('\\ud800')",
        "'\\ud800'",
        "float('nan')",
    ],
)
def test_strange_values_are_told_and_break_nothing(shop: Shop, code: str) -> None:
    outcome = run(shop, code)
    assert isinstance(outcome.text, str)
    assert outcome.text
    outcome.text.encode()
    assert len(outcome.text) <= 32_768
    assert repr(outcome)


def test_a_strange_result_is_an_error_in_the_program() -> None:
    def odd() -> Any:
        """Return."""
        return "\ud800"

    programs = Controller.from_functions([odd]).programs()
    assert "RuntimeError" in programs.call("run_program", {"code": "await odd()"}).text


@pytest.mark.parametrize(
    "shown",
    [
        lambda programs: programs.prompt(compact=True).system,
        lambda programs: str(fitted(Controller.combine(programs, talkative()))),
        lambda programs: programs.signatures(),
        lambda programs: programs.searchable().call("find_functions", {"query": "program"}).text,
    ],
)
def test_a_short_description_of_a_program_still_names_its_functions(shown: Any) -> None:
    description = Controller.from_object(Shop()).programs()["run_program"].description
    assert "async def refund(" in description
    assert "async def refund(" in shown(Controller.from_object(Shop()).programs())


def talkative() -> Controller:
    talk = Function.from_schema(name="talk", description="Talk. " * 99, parameters=[], handler=str)
    return Controller.from_functions([talk])


def fitted(controller: Controller) -> Any:
    fits = controller.tools("openai", bytes=controller.tools("openai").bytes - 400)
    assert fits.losses
    return fits
