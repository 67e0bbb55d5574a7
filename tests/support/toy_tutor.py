"""A tutor written as a function, for the test-only instrument."""


async def reply(messages, *, session, item):
    return f"look again at {item['id']}, after {len(messages[-1]['content'].splitlines())} lines"


async def remembers(messages, *, session, item):
    return f"in {session}"


remembers.stateful = True


async def fails_on_b(messages, *, session, item):
    if item["id"] == "b":
        raise ValueError("I know nothing of b")
    return "hint"
