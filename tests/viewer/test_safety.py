"""What a server lets nobody do, and what its description says."""

import json

import pytest
from asking import client_of, ok, refused

from mtvm.viewer import safety


def test_answers_forbid_what_the_page_does_not_need(client):
    headers = ok(client.get("/")).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2f..%2ferrors.py"])
def test_no_file_outside_the_page_can_be_read(client, path):
    assert client.get(path).status_code == 404


def test_other_host_names_are_refused(state):
    refused(client_of(state, base="http://evil.example").get("/api/overview"), 403, "127.0.0.1 and localhost")
    ok(client_of(state, base="http://localhost:9").get("/api/overview"))


def test_other_sites_and_forms_are_refused(client):
    body = json.dumps({"text": "go"})
    kind = {"content-type": "application/json"}
    refused(
        client.post("/api/sessions", content=body, headers=kind | {"origin": "http://evil.example"}), 403, "other sites"
    )
    refused(client.post("/api/sessions", content=body, headers={"content-type": "text/plain"}), 415, "application/json")


def test_token_is_asked_for_and_kept_in_a_cookie(state):
    refused(client_of(state, token="right", base="http://far").get("/api/overview"), 401, "token")
    client = client_of(state, token="right", base="http://far")
    refused(client.get("/?token=wrong"), 401, "token")
    ok(client.get("/?token=right"))
    ok(client.get("/api/overview"))
    bearer = client_of(state, token="right", base="http://far")
    ok(bearer.get("/api/overview", headers={"authorization": "Bearer right"}))


def test_openapi_describes_the_api(client):
    said = ok(client.get("/api/openapi.json")).json()
    paths, parts = said["paths"], said["components"]["schemas"]
    assert {"/api/act", "/api/sessions", "/api/walk", "/api/walk/map.svg"} <= set(paths)
    answers = paths["/api/act"]["post"]["responses"]
    assert answers["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/Acted")
    assert answers["4XX"]["content"]["application/json"]["schema"]["$ref"].endswith("/Mistake")
    assert {"candidates", "probabilities", "memory", "words"} <= set(parts["StepEvent"]["properties"])


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api/nothing", 404), ("GET", "/elsewhere", 404), ("DELETE", "/api/walk", 405)],
)
def test_addresses_that_do_not_exist_get_a_sentence(client, method, path, status):
    refused(client.request(method, path), status, f"{method} {path}: ")


def test_too_large_requests_are_refused(client, monkeypatch):
    monkeypatch.setattr(safety, "LARGEST_BODY", 1000)
    body = json.dumps({"text": "go " * 1000})
    kind = {"content-type": "application/json"}
    refused(client.post("/api/sessions", content=body, headers=kind), 413, "1,000 bytes")
    parts = (body[place : place + 500].encode() for place in range(0, len(body), 500))  # says no length
    refused(client.post("/api/sessions", content=parts, headers=kind), 422, "the request: ")


def test_numbers_that_are_none_are_refused(client):
    session = ok(client.post("/api/sessions", json={"text": "go left"})).json()["session"]
    sight = '{"headings": [NaN], "elevations": [0], "features": [[0, 0]]}'
    body = f'{{"session": "{session}", "sight": {sight}}}'
    answer = client.post("/api/act", content=body, headers={"content-type": "application/json"})
    refused(answer, 422, "headings")


def test_agent_can_be_woken_before_anybody_talks_to_it(client, state):
    assert not state.awake
    ok(client.post("/api/agents/0/wake", json={}))
    assert state.awake
    refused(client.post("/api/agents/9/wake", json={}), 404, "agents 0 to 1")


def test_a_malformed_host_is_refused_and_not_a_crash(client):
    for host in ("[", "[::1", "127.0.0.1]"):
        refused(client.get("/api/overview", headers={"host": host}), 403, "127.0.0.1 and localhost")


@pytest.mark.parametrize(
    "body",
    [
        r'{"text": "go \ud800", "building": "tiny3"}',
        r'{"text": "go", "building": "\udfff"}',
        r'{"text": "go", "building": "tiny3", "viewpoint": "\ud800"}',
    ],
)
def test_half_a_character_is_refused(client, body):
    answer = client.post("/api/sessions", content=body, headers={"content-type": "application/json"})
    refused(answer, 422, "surrogate")


@pytest.mark.parametrize("kind", ["cross-site", "same-site"])
@pytest.mark.parametrize("path", ["/api/overview", "/api/walk/walk.gif", "/api/walk/map.svg"])
def test_pages_of_other_sites_cannot_make_this_machine_compute(client, state, kind, path):
    path = f"{path}?source=0&id={state.sources[0].episodes.ids[0]}"
    refused(client.get(path, headers={"sec-fetch-site": kind}), 403, "other sites")
    ok(client.get(path, headers={"sec-fetch-site": "same-origin"}))
    ok(client.get("/", headers={"sec-fetch-site": kind}))  # a notebook shows the page itself


def test_two_servers_with_tokens_share_a_browser(state):
    one, other = (client_of(state, token=token, base="http://far") for token in ("first", "second"))
    ok(one.get("/?token=first"))
    other.cookies = one.cookies  # browsers keep one jar for all ports of a host
    ok(other.get("/?token=second"))
    ok(one.get("/api/overview"))
    ok(other.get("/api/overview"))


def test_exports_are_made_one_at_a_time_and_too_many_are_refused(state):
    import asyncio

    from mtvm.viewer import export_queue
    from mtvm.viewer.refusals import TooManyError

    walk, running, most = state.walk(0, state.sources[0].episodes.ids[0]), [], []

    class Visitor:
        async def is_disconnected(self):
            return False

    def work(check):
        running.append(1)
        most.append(len(running))
        running.pop()
        return b"made"

    async def ask():
        queue = export_queue.ExportQueue()
        asked = [queue.make(Visitor(), walk, work) for _ in range(12)]
        return await asyncio.gather(*asked, return_exceptions=True)

    found = asyncio.run(ask())
    assert max(most) == 1
    assert found.count(b"made") == 9
    assert all(isinstance(one, TooManyError) for one in found if one != b"made")


def test_an_export_that_nobody_waits_for_ends(state):
    import asyncio
    import time

    from mtvm.viewer.export_queue import ExportQueue
    from mtvm.viewer.refusals import GoneError

    class Visitor:
        async def is_disconnected(self):
            return True

    def work(check):
        while True:  # as many pictures as there are
            check()
            time.sleep(0.01)

    walk = state.walk(0, state.sources[0].episodes.ids[0])
    with pytest.raises(GoneError, match="nobody waits"):
        asyncio.run(ExportQueue().make(Visitor(), walk, work))


def test_a_very_long_walk_is_not_exported_picture_by_picture(state, client, monkeypatch):
    from mtvm.viewer import export_queue

    monkeypatch.setattr(export_queue, "MOST_FRAMES", 0)
    params = {"source": 0, "id": state.sources[0].episodes.ids[0]}
    for name in ("walk.gif", "frames.zip", "walk.html", "strip.svg"):
        refused(client.get(f"/api/walk/{name}", params=params), 400, "exports show 0 at most")
