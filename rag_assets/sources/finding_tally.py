"""Counts the findings of a document by kind and topic, and keeps the first of each topic."""

from collections import Counter

from rag_assets.sources.base import Finding


class FindingTally:
    """The findings of one document, however many there are."""

    def __init__(self, kept: int) -> None:
        """Nothing is counted yet.

        Args:
            kept: How many findings of each topic are kept in full.
        """
        self.counts: Counter[tuple[str, str]] = Counter()
        self.first: list[Finding] = []
        self._kept = kept

    def add(self, finding: Finding) -> bool:
        """Count a finding; whether it is one of those that are kept."""
        topic = finding.kind, finding.topic
        self.counts[topic] += 1
        is_kept = self.counts[topic] <= self._kept
        if is_kept:
            self.first.append(finding)
        return is_kept

    def count(self, kind: str) -> int:
        """How many findings are of a kind."""
        return sum(number for (found, _), number in self.counts.items() if found == kind)
