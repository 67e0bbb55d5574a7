"""Embeddings, journalled by model and text, so that no text is embedded twice in a run."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tutorscope.models.speakers import Speaker, require_named
from tutorscope.runs.lines import append_lines, read_lines
from tutorscope.runs.stages import fingerprint

if TYPE_CHECKING:
    import numpy as np


class VectorJournal:
    """A run's embeddings: ``calls/embeddings/MODEL.jsonl``, one line a text.

    Parameters
    ----------
    calls : Path
        The run's ``calls/``.
    """

    def __init__(self, calls: Path) -> None:
        self._folder = calls / "embeddings"
        self._known: dict[str, dict[str, np.ndarray]] = {}

    async def embed(self, speaker: Speaker, texts: Sequence[str]) -> np.ndarray:
        """Embed texts, asking the model only for those that the journal does not hold.

        Returns
        -------
        numpy.ndarray
            Shape (len(texts), dimensions), float32.
        """
        import numpy as np

        path = self._folder / f"{fingerprint(dict(speaker.identity))}.jsonl"
        if str(path) not in self._known:
            self._known[str(path)] = _read(path)
        known = self._known[str(path)]
        names = [_name(text) for text in texts]
        missing = {name: text for name, text in zip(names, texts, strict=True) if name not in known}
        if missing:
            from tutorscope.models.embedders import embedder

            require_named(speaker)
            headers = [f"{header}=env:{variable}" for header, variable in speaker.headers]
            made = await embedder(speaker.spec, headers).embed(list(missing.values()))
            vectors = np.asarray(made, dtype=np.float32)
            self._append(path, speaker, dict(zip(missing, vectors, strict=True)))
            known.update(zip(missing, vectors, strict=True))
        return np.stack([known[name] for name in names]) if names else np.zeros((0, 0), dtype=np.float32)

    def _append(self, path: Path, speaker: Speaker, vectors: dict[str, np.ndarray]) -> None:
        append_lines(
            path,
            (
                {"model": speaker.name, "text": name, "vector": base64.b64encode(vector.tobytes()).decode()}
                for name, vector in vectors.items()
            ),
        )


def _name(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read(path: Path) -> dict[str, np.ndarray]:
    import numpy as np

    return {raw["text"]: np.frombuffer(base64.b64decode(raw["vector"]), dtype=np.float32) for raw in read_lines(path)}
