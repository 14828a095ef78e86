"""Evaluation: how well search does on a person's own repository, by questions whose answers the repository itself knows."""

from scova.evaluation.evaluate import Options, evaluate
from scova.evaluation.question import Kind
from scova.evaluation.result import Evaluation
from scova.evaluation.systems import Chosen

__all__ = ["Chosen", "Evaluation", "Kind", "Options", "evaluate"]
