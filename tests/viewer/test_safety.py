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


def test_other_host_names_are_refused(shown):
    refused(client_of(shown, base="http://evil.example").get("/api/overview"), 403, "127.0.0.1 and localhost")
    ok(client_of(shown, base="http://localhost:9").get("/api/overview"))


def test_other_sites_and_forms_are_refused(client):
    body = json.dumps({"text": "go"})
    kind = {"content-type": "application/json"}
    refused(
        client.post("/api/sessions", content=body, headers=kind | {"origin": "http://evil.example"}), 403, "other sites"
    )
    refused(client.post("/api/sessions", content=body, headers={"content-type": "text/plain"}), 415, "application/json")


def test_token_is_asked_for_and_kept_in_a_cookie(shown):
    refused(client_of(shown, token="right", base="http://far").get("/api/overview"), 401, "token")
    client = client_of(shown, token="right", base="http://far")
    refused(client.get("/?token=wrong"), 401, "token")
    ok(client.get("/?token=right"))
    ok(client.get("/api/overview"))
    bearer = client_of(shown, token="right", base="http://far")
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


def test_agent_can_be_woken_before_anybody_talks_to_it(client, shown):
    assert not shown.awake
    ok(client.post("/api/agents/0/wake", json={}))
    assert shown.awake
    refused(client.post("/api/agents/9/wake", json={}), 404, "agents 0 to 1")
