"""Which files hold keys or passwords, by the settings of a user."""

from scova.config import Config
from scova.sources.secrets import SecretRules


def secret_rules(config: Config) -> SecretRules:
    """The rules that these settings make, for any folder."""
    return SecretRules(config.index_secrets, config.allow_secrets)
