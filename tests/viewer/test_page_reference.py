"""The description of the API that people read."""

from browsing import needs_chromium


@needs_chromium
def test_every_operation_is_described(page, server):
    page.goto(server.url)
    page.get_by_role("link", name="API").click()
    page.wait_for_selector("#operations section")
    titles = page.locator("#operations h2").all_text_contents()
    assert {"POST /api/act", "POST /api/sessions", "GET /api/walk", "GET /api/walk/map.svg", "StepEvent"} <= set(titles)
    act = page.locator("section", has_text="POST /api/act")
    assert act.locator("tr").all_inner_texts() == [
        "session\tstring\trequired",
        "action\tinteger or null\t",
        "sight\tSight or null\t",
    ]
    assert "Answers with Acted." in act.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
