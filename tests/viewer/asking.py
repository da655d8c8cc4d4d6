"""Asking a server, for the tests of its answers."""

from fastapi.testclient import TestClient

from mtvm.viewer.server import make_app

LOCAL = "http://127.0.0.1"


def client_of(state, token=None, base=LOCAL):
    return TestClient(make_app(state, token), base_url=base, raise_server_exceptions=False)


def ok(answer):
    assert answer.status_code == 200, answer.text
    return answer


def refused(answer, status, said):
    assert answer.status_code == status, answer.text
    assert said in answer.json()["error"]


def begin(client, **changes):
    building = client.get("/api/overview").json()["agents"][0]["buildings"][0]
    return ok(client.post("/api/sessions", json={"text": "go left and stop.", "building": building} | changes)).json()
