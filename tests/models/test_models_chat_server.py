"""The test server itself: other tests count on its log."""

import json
import urllib.request

from support.chat_server import ChatServer, asked, server_process, short_reply


def _post(url: str, body: dict) -> dict:
    request = urllib.request.Request(
        url + "/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def test_server_replies_and_logs_each_request():
    body = {"model": "m", "messages": [{"role": "user", "content": "two words"}]}
    with ChatServer() as server:
        reply = _post(server.url, body)
        assert server.bodies == [body]
    assert reply["choices"][0]["message"]["content"] == short_reply(body["messages"])
    assert reply["usage"] == {"prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4}


def test_server_runs_in_its_own_process(tmp_path):
    answer = tmp_path / "answer.py"
    answer.write_text("def say(messages):\n    return messages[-1]['content'].upper()\n", encoding="utf-8")
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    with server_process(log=tmp_path / "asked.jsonl", reply=f"{answer}:say") as url:
        assert _post(url, body)["choices"][0]["message"]["content"] == "HELLO"
    assert [entry["body"] for entry in asked(tmp_path / "asked.jsonl")] == [body]
