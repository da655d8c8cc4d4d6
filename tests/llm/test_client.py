"""Asking an endpoint: what can go wrong between here and a model."""

import json
import os
import threading
import time

import pytest
from model_server import DROP, completion

from mtvm.errors import InputError
from mtvm.llm.cache import AnswerCache, Reply
from mtvm.llm.client import AnswerError, Endpoint
from mtvm.llm.costs import Budget, BudgetError, Price, read_prices

ASKED = [{"role": "system", "content": "s"}, {"role": "user", "content": "u" * 400}]
FORM = {"type": "object", "properties": {"action": {"enum": ["1", "stop"]}}}
PRICE = Price(1.0, 10.0)
KEY = "sk-SECRET-0123456789"


@pytest.fixture
def endpoint(clock):
    def make(server, **options):
        return Endpoint("m", server.api, **{"price": PRICE, "clock": clock} | options)

    return make


def test_a_good_answer_with_its_tokens_and_cost(serve, endpoint):
    server = serve("hello")
    reply, cost = endpoint(server).ask(ASKED, FORM)
    assert reply == ("hello", 100, 10)
    assert cost == pytest.approx((100 * 1 + 10 * 10) / 1e6)
    (body,) = server.bodies
    assert (body["model"], body["temperature"], body["messages"]) == ("m", 0, ASKED)
    assert body["response_format"]["json_schema"]["schema"] == FORM


def test_tokens_are_estimated_where_the_server_does_not_count(serve, endpoint):
    content = json.dumps({"choices": [{"message": {"content": "x" * 40}}], "usage": {"prompt_tokens": -3}}).encode()
    reply, _ = endpoint(serve(lambda number, body: (200, {}, content))).ask(ASKED, FORM)
    assert reply[1:] == (101, 10)


def test_what_was_answered_is_never_asked_again(serve, endpoint):
    server = serve("hello")
    first = endpoint(server)
    assert first.ask(ASKED, FORM) == endpoint(server, budget=Budget(0.0)).ask(ASKED, FORM)
    assert len(server.bodies) == 1
    endpoint(server).ask([*ASKED, {"role": "user", "content": "more"}], FORM)
    assert len(server.bodies) == 2
    assert first.spent == pytest.approx(0.0002)


def test_a_damaged_answer_on_disk_is_asked_for_again(serve, endpoint, tmp_path):
    server = serve("hello")
    cache = AnswerCache(tmp_path / "answers")
    endpoint(server, cache=cache).ask(ASKED, FORM)
    (file,) = (tmp_path / "answers").rglob("*.json")
    counted = ', "prompt_tokens": 1, "answer_tokens": 1}'
    half, endless = '{"text": "\\ud800"' + counted, '{"text": "x"' + counted[:-1] + "0" * 400 + "}"
    large = '{"text": "x"' + counted + " " * 2**23
    for content in ("{", '{"text": 3' + counted, "[]", "[" * 100_000, half, endless, large):
        file.write_text(content)
        assert endpoint(server, cache=cache).ask(ASKED, FORM)[0].text == "hello"
    assert len(server.bodies) == 8


def test_a_pipe_among_the_answers_is_not_waited_for(tmp_path):
    cache = AnswerCache(tmp_path)
    cache.keep("asked", Reply("hello", 1, 1))
    (file,) = tmp_path.rglob("*.json")
    file.unlink()
    os.mkfifo(file)
    assert cache.find("asked") is None


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_waited_for(serve, endpoint, clock, status):
    server = serve(lambda number, body: (200, {}, completion("yes")) if number == 3 else (status, {}, b"busy"))
    assert endpoint(server).ask(ASKED, FORM)[0].text == "yes"
    assert len(clock.waits) == 3
    for wait, usual in zip(clock.waits, (1, 2, 4), strict=True):
        assert 0.75 * usual <= wait <= 1.25 * usual


def test_the_user_is_told_what_is_waited_for_but_not_each_time(serve, endpoint, capsys, clock):
    server = serve(lambda number, body: (429, {}, b'{"error": {"message": "slow down"}}'))
    with pytest.raises(InputError):
        endpoint(server).ask(ASKED, FORM)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"mtvm: {server.api}: answers with status 429: slow down; asking again in 1 s")
    server.reply = lambda number, body: (200, {}, completion("yes"))
    endpoint(server).ask(ASKED, FORM)
    assert not capsys.readouterr().err


def test_retry_after_is_heeded(serve, endpoint, clock):
    replies = [(429, {"Retry-After": "17"}, b""), (429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, b"")]
    server = serve(lambda number, body: replies[number] if number < 2 else (200, {}, completion("yes")))
    endpoint(server).ask(ASKED, FORM)
    assert clock.waits[0] == 17
    assert clock.waits[1] < 3, "a date that is over"


def test_a_server_that_wants_a_long_rest_is_left_alone(serve, endpoint, clock):
    server = serve(lambda number, body: (429, {"Retry-After": "86400"}, b'{"error": {"message": "quota"}}'))
    with pytest.raises(InputError, match="status 429: quota, and asks to wait for 86400 s"):
        endpoint(server).ask(ASKED, FORM)
    assert not clock.waits


def test_a_server_that_is_down_is_given_up(serve, endpoint, clock):
    server = serve(lambda number, body: (500, {}, b"oops\x1b[31m"))
    with pytest.raises(InputError, match=r"status 500: oops\\x1b\[31m, 6 times in a row"):
        endpoint(server).ask(ASKED, FORM)
    assert len(clock.waits) == 5


def test_a_server_that_goes_away_is_waited_for_and_one_that_never_was_there_is_not(serve, endpoint, clock):
    server = serve(lambda number, body: (200, {"Connection": "close"}, completion("yes")))
    asked = endpoint(server)
    asked.ask(ASKED, FORM)
    server.close()
    with pytest.raises(InputError, match="cannot be reached, 6 times in a row"):
        asked.ask(ASKED[:1], FORM)
    assert len(clock.waits) == 5
    with pytest.raises(InputError, match="is the server running"):
        endpoint(server).ask(ASKED[:1], FORM)
    assert len(clock.waits) == 5


def test_a_dropped_connection_is_tried_again_and_paid_for(serve, endpoint, clock):
    server = serve(lambda number, body: (200, {}, DROP) if number == 0 else (200, {}, completion("yes")))
    asked = endpoint(server)
    assert asked.ask(ASKED, FORM)[0].text == "yes"
    assert len(clock.waits) == 1
    assert asked.spent > 0.01, "nobody knows what the lost answer cost, so it counts with the most that it can"


def test_who_gives_up_waits_no_longer(serve, clock):
    server = serve(lambda number, body: (500, {}, b""))
    asked = Endpoint("m", server.api)  # with a real clock

    def reply(number, body):
        asked.give_up()
        return 500, {"Retry-After": "100"}, b""

    server.reply = reply
    with pytest.raises(InputError, match="status 500"):
        asked.ask(ASKED, FORM)
    assert len(server.bodies) == 1


def test_an_answer_of_10_mb_is_refused_early(serve, endpoint):
    server = serve("x" * 10_000_000)
    with pytest.raises(AnswerError, match="larger than 1 MB"):
        endpoint(server).ask(ASKED, FORM)
    assert len(server.bodies) == 1


def test_a_packed_answer_is_refused(serve, endpoint):
    server = serve(lambda number, body: (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b"))
    with pytest.raises(AnswerError, match="packed"):
        endpoint(server).ask(ASKED, FORM)
    assert server.headers[0]["Accept-Encoding"] == "identity"


def test_an_answer_that_takes_too_long_is_refused(serve, hasty_clock, endpoint):
    server = serve("slow")
    asked = endpoint(server, clock=hasty_clock)
    with pytest.raises(AnswerError, match="took longer than 300 s"):
        asked.ask(ASKED, FORM)


@pytest.mark.parametrize(
    "content",
    [b"<html>", b"[]", b'{"choices": []}', b'{"choices": [{"message": null}]}', b"[" * 100_000, b'{"choices": 3}'],
    ids=lambda content: content[:20].decode(),
)
def test_garbage_is_no_answer(serve, endpoint, content):
    with pytest.raises(AnswerError, match="did not send a chat completion"):
        endpoint(serve(lambda number, body: (200, {}, content))).ask(ASKED, FORM)


def test_parameters_that_the_server_does_not_know_are_left_out(serve, endpoint, clock):
    def reply(number, body):
        for name in ("response_format", "temperature", "max_tokens"):
            if name in body:
                return 400, {}, json.dumps({"error": {"message": f"unsupported: {name}"}}).encode()
        return 200, {}, completion("yes")

    server = serve(reply)
    asked = endpoint(server)
    asked.ask(ASKED, FORM)
    asked.ask(ASKED[:1], FORM)
    assert len(server.bodies) == 5, "it is remembered what this server does not know"
    assert set(server.bodies[-1]) == {"model", "messages", "max_completion_tokens"}
    assert set(clock.waits) == {0.0}


def test_other_refusals_are_told_at_once(serve, endpoint, clock):
    server = serve(lambda number, body: (404, {}, b'{"error": {"message": "model m not found"}}'))
    with pytest.raises(InputError, match="status 404: model m not found"):
        endpoint(server).ask(ASKED, FORM)
    assert not clock.waits


def test_an_address_without_its_end_is_noticed(serve, endpoint):
    server = serve(lambda number, body: (404, {}, b"page not found"))
    with pytest.raises(InputError, match=r"status 404: page not found\.$"):
        endpoint(server).ask(ASKED, FORM)
    server.api = server.api.removesuffix("/v1")
    with pytest.raises(InputError, match="status 404: page not found; most addresses end with /v1"):
        endpoint(server).ask(ASKED, FORM)


def test_a_redirection_is_not_followed(serve, endpoint):
    other = serve("secret")
    server = serve(lambda number, body: (307, {"Location": f"{other.api}/chat/completions"}, b""))
    with pytest.raises(InputError, match="status 307"):
        endpoint(server).ask(ASKED, FORM)
    assert not other.bodies


# Money


@pytest.mark.parametrize(("tokens", "answered"), [(1000, 2), (400, 4)])
def test_the_budget_is_kept_by_questions_at_the_same_time(serve, endpoint, tokens, answered):
    """An answer can cost a cent, so that there is money for two at first, and for as many more as these leave over."""
    gate, refused, done = threading.Event(), [], []

    def reply(number, body):
        assert gate.wait(60)
        return 200, {}, completion("yes", 100, tokens)

    server, budget = serve(reply), Budget(0.025)
    asked = endpoint(server, budget=budget)

    def ask(number):
        try:
            done.append(asked.ask([{"role": "user", "content": str(number)}], FORM)[1])
        except BudgetError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    while len(server.bodies) < 2:
        time.sleep(0.01)
    time.sleep(0.2)
    assert (len(server.bodies), refused) == (2, [])
    gate.set()
    for thread in threads:
        thread.join(60)
    assert len(server.bodies) == len(done) == answered
    assert budget.spent == pytest.approx(answered * (tokens + 10) * 1e-5)
    assert len(refused) == 5 - answered
    assert all(f"${budget.spent:.4f} were spent" in said for said in refused)


def test_what_is_set_aside_follows_what_the_server_counts(serve, endpoint):
    """A picture is 765 tokens by the estimate, and ten times as many for some models."""
    server, budget = serve(lambda number, body: (200, {}, completion("yes", 5050, 10))), Budget(0.05)
    asked = endpoint(server, budget=budget)  # whose prompt is 101 tokens by the estimate: $0.0101 and then $0.0151
    for number in range(20):
        try:
            asked.ask([*ASKED[:1], {"role": "user", "content": f"{number:400d}"}], FORM)
        except BudgetError:
            break
    assert budget.spent <= 0.05
    assert len(server.bodies) == 7, "an eighth might have cost more than is left"


def test_without_a_price_no_budget_can_be_kept(serve, clock):
    with pytest.raises(InputError, match="what m costs is not known, so --max-cost cannot be kept"):
        Endpoint("m", "https://api.example.org/v1", key="k", budget=Budget(1.0), clock=clock)
    assert Endpoint("m", "https://api.example.org/v1", key="k").price is None
    assert Endpoint("m", "http://localhost:1/v1").price == Price(0, 0)


@pytest.mark.parametrize("most", [-1.0, float("nan"), float("inf")])
def test_a_budget_is_a_number_of_dollars(most):
    with pytest.raises(InputError, match="--max-cost is a number of dollars"):
        Budget(most)


def test_prices_are_a_file(tmp_path):
    assert read_prices()["gpt-4o-mini"].of(1e6, 1e6) == pytest.approx(0.75)
    path = tmp_path / "prices.json"
    path.write_text('{"models": {"mine": {"prompt": 1, "answer": 2}}}')
    assert read_prices(path) == {"mine": Price(1, 2)}
    for content in ("[]", '{"models": {"m": 3}}', '{"models": {"m": {"prompt": -1, "answer": 2}}}', "{"):
        path.write_text(content)
        with pytest.raises(InputError, match=r"prices\.json"):
            read_prices(path)


# Keys


def test_the_key_goes_into_one_header_and_nowhere_else(serve, endpoint, monkeypatch, tmp_path):
    monkeypatch.setenv("MTVM_LLM_KEY", KEY)
    server = serve(f"your key is {KEY}")
    asked = endpoint(server)
    reply, _ = asked.ask(ASKED, FORM)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert reply.text == "your key is [key]"
    assert KEY not in repr(asked)
    files = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(KEY in content for content in files)


@pytest.mark.parametrize("status", [401, 403, 400, 404, 500])
def test_no_error_says_the_key(serve, endpoint, monkeypatch, caplog, capsys, status):
    caplog.set_level(0)
    monkeypatch.setenv("MTVM_LLM_KEY", KEY)
    server = serve(lambda number, body: (status, {}, f'{{"error": {{"message": "bad key {KEY}"}}}}'.encode()))
    with pytest.raises(InputError) as caught:
        endpoint(server).ask(ASKED, FORM)
    assert KEY not in str(caught.value) + caplog.text + "".join(capsys.readouterr())
    if status in (401, 403):
        assert "refuses the key of $MTVM_LLM_KEY" in str(caught.value)
        assert "bad key" not in str(caught.value)


def test_keys_are_sent_only_where_they_belong(serve, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert "Authorization" not in Endpoint("m", "http://localhost:1/v1")._client.headers
    assert "Authorization" not in Endpoint("m", "https://example.org/v1")._client.headers
    assert Endpoint("m", "https://api.openai.com/v1")._client.headers["Authorization"] == f"Bearer {KEY}"
    monkeypatch.setenv("MTVM_LLM_KEY", KEY)
    with pytest.raises(InputError, match="without encryption") as caught:
        Endpoint("m", "http://example.org/v1")
    assert KEY not in str(caught.value)
    monkeypatch.setenv("MTVM_LLM_KEY", "a\nb")
    with pytest.raises(InputError, match=r"\$MTVM_LLM_KEY: the key holds characters"):
        Endpoint("m", "https://example.org/v1")


@pytest.mark.parametrize(
    "api",
    [
        *("https://user:sk-1@example.org/v1", "https://example.org/v1?key=sk-1", "ftp://example.org"),
        *("localhost:11434", "http://[::1", "", "http://"),
    ],
)
def test_addresses_that_are_none_are_refused_without_repeating_keys(serve, api):
    with pytest.raises(InputError, match="--api") as caught:
        Endpoint("m", api)
    assert "sk-1" not in str(caught.value)
