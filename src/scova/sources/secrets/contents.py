"""Content that is a key, a keystore or a file of credentials by its form, and what of a doubtful name its content tells.

A form is looked for where a program keeps its settings, or in a file of no known kind. Source code and prose may show such things and
talk about them: they count only if the whole file is a key. Opens nothing.
"""

import re
from typing import NamedTuple

from scova.sources.secrets.names import CODE, originals, rule_of, words_of
from scova.sources.secrets.table import CERTAIN, IF_SHORT, UNLESS_PUBLIC, UNLESS_TEMPLATE, Rule

_LOOKED_AT = (
    1 << 15
)  # bytes at the beginning, and as many at the end, in which every form but that of a key shows itself
_KEY_LOOKED_AT = 1 << 20
_VALUES_LOOKED_AT = 1 << 16  # bytes in which settings show whether they assign anything
_HEAD = 8192
_NOTE = 8192  # bytes of a file of no known kind: what is longer and shows a login is a text about it
_FEW_LINES = 3
_SHORT = 1024  # bytes of a file that can hardly be more than one token

_SETTINGS = words_of("""
    json yaml yml toml ini cfg conf config properties xml env plist asc cnf cert crt cer settings rc tfstate tfvars json5 jsonc
    auth cred creds gpg pgp sec secret kubeconfig pem key keyring
""")
_PROSE = words_of("readme license licence copying changelog changes news todo authors install notice")

_BEGIN = rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_IS_KEY = re.compile(
    rb"\s*(?:"
    + _BEGIN
    + rb"|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----|PuTTY-User-Key-File-\d|SSH PRIVATE KEY FILE FORMAT)"
)
_KEY_INSIDE = re.compile(
    _BEGIN + rb"(?:\\[nr]|[\s\"',|>\\+]){0,400}+(?:[A-Za-z-]+: [^\n]*\n\s*){0,8}+[A-Za-z0-9+/=\s\\]{40}"
    rb"|-----BEGIN OpenVPN Static key V1-----\s*[0-9a-zA-Z\s]{32}|AGE-SECRET-KEY-1[0-9A-Za-z]{50}"
)
_KEY_BLOCK = re.compile(_BEGIN + rb".*?(?:-----END|\Z)", re.DOTALL)
_SIGNS_OF_KEY = (b"PRIVATE KEY", b"OpenVPN Static key", b"AGE-SECRET-KEY-1")
_PUBLIC = re.compile(rb"-----BEGIN (?:[A-Z0-9]+ )*(?:CERTIFICATE|PUBLIC KEY(?: BLOCK)?|X509 CRL|CERTIFICATE REQUEST|DH PARAMETERS|EC PARAMETERS|PGP SIGNATURE|PKCS7|CMS)-----")  # fmt: skip
_SSH_PUBLIC = re.compile(rb"\s*(?:ssh-|ecdsa-sha2-|sk-ssh-)[\w@.-]+ [A-Za-z0-9+/=]{32}")
_TEMPLATE = re.compile(rb"\{\{|\{%|<%[=-]?|\$\{|@@\w+@@")

_PASSED_ON = rb"""(?!\s|["'](?:["'\s,}]|$)|\$|<|\{|%|\*|null\b|none\b|true\b|false\b|undefined\b|ENC\[)"""
_WEAK = re.compile(
    rb"(?:x+|\.+|your.*|my.*|example.*|sample.*|change.*|replace.*|insert.*|todo|tbd|dummy.*|fake.*|test|password(?:_?here)?|passwd|secret(?:_?(?:key|here))*|tokens?"
    rb"|postgres(?:ql)?|mysql|root|admin(?:istrator)?|user(?:name)?|default|redacted|placeholder.*|none|null|foobar|foo|bar|123456?|env\..*|process\..*|vault_.*|os\..*)",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(
    rb"""(?:passwo?r?d|passwd|[_.-]pass\b|passphrase|passwort|pwd|secret|token|api_?-?key|(?:access|account)_?-?key|private_?-?key|auth_?key|_auth|license_?key
    |credential|connectionstring|_psk)[\w.\])-]{0,40}["']?\s*(?:=>|:=|[=:]|["'>]\s*value=|>)\s*(?:<value>)?"""
    + _PASSED_ON
    + rb"""["']?([^\s"'<>,;{}$]{6,})""",
    re.IGNORECASE | re.VERBOSE,
)
_IN_ADDRESS = re.compile(rb"://[^/\s:@$<{]{1,100}:(?![$<{%*])([^/\s:@]{4,})@")


class _Form(NamedTuple):
    """What a file of this form has: words that tell most files apart at once, then every expression."""

    words: str
    signs: tuple[bytes, ...]
    parts: tuple[re.Pattern[bytes], ...] = ()


def _form(words: str, signs: str, *parts: str) -> _Form:
    return _Form(words, tuple(signs.encode().split()), tuple(re.compile(part.encode(), re.MULTILINE) for part in parts))


_VALUE = (
    r"""["']?(?![<$\{%*]|(?i:xxxx|change|replace|my|your|example|placeholder|redacted|dummy|\.\.\.))[^\s"'<>{}$]{6,}"""
)

_FORMS = (
    _form("the key of a service account", '"service_account" "private_key"', r'"private_key"\s*:\s*"[^"]{40}'),
    _form("a login of Google Cloud", '"authorized_user" "refresh_token"'),
    _form("a client secret", '"client_secret" "client_id"', r'"(?:installed|web)"\s*:', r'"client_secret"\s*:\s*"[^"]{10}'),
    _form("a login of Kubernetes", "client-key-data", r"client-key-data[\"']?\s*:\s*[\"']?[A-Za-z0-9+/=]{20}"),
    _form("a login of Kubernetes", "clusters users", r"^kind[\"']?\s*:\s*[\"']?Config\b", rf"^[ \t]*(?:-[ \t]*)?(?:token|password|id-token|access-token|refresh-token)\s*:\s*{_VALUE}"),
    _form("a secret of Kubernetes", "kind Secret", r"^kind:\s*[\"']?Secret\b", r"^(?:data|stringData):[ \t]*$", r"^[ \t]+[\w./-]+:[ \t]*(?:[A-Za-z0-9+/]{16,}={0,2}\s*$|\|)"),
    _form("a secret of Kubernetes", "kind stringData", r"^kind:\s*[\"']?Secret\b", rf"^stringData:[ \t]*\n[ \t]+[\w./-]+:[ \t]*{_VALUE}"),
    _form("a login of Docker", '"auths"', r'"(?:auth|identitytoken|password)"\s*:\s*"[^"<$]{8}'),
    _form("a login of AWS", "aws_secret_access_key", r"^[ \t]*(?:export )?aws_secret_access_key\s*[=:]\s*[\"']?[A-Za-z0-9/+=]{30}"),
    _form("a login of AWS", "AWS_SECRET_ACCESS_KEY", r"^[ \t]*(?:export )?AWS_SECRET_ACCESS_KEY\s*[=:]\s*[\"']?[A-Za-z0-9/+=]{30}"),
    _form("a login of AWS", '"SecretAccessKey" "AccessKeyId"', r'"SecretAccessKey"\s*:\s*"[^"]{30}'),
    _form("a login of AWS", ",Secret access", r"^[^\n]{0,60}Access key ID,Secret access key"),
    _form("a login of npm", "// :_", rf"^//\S+:(?:_authToken|_password|_auth)\s*=\s*{_VALUE}"),
    _form("a login of npm", "npmAuth", rf"^[ \t]*[\"']?npmAuth(?:Token|Ident)[\"']?\s*:\s*{_VALUE}"),
    _form("a login of a network", "machine login password", r"^[ \t]*machine\s+\S+\s+(?:login|user)\s+\S+\s+(?:account\s+\S+\s+)?password\s+\S+"),
    _form("a key of WireGuard", "PrivateKey [Interface]", r"^[ \t]*PrivateKey\s*=\s*[A-Za-z0-9+/]{40,44}="),
    _form("the state of Terraform, which holds passwords", '"terraform_version" "serial" "lineage"'),
    _form("a login of Maven", "<server <password>", r"<(?:settings|servers)\b", r"<password>\s*[^\s<$][^<]{2,}</password>"),
    _form("the password of Maven", "<settingsSecurity", r"<master>[^<]{8}"),
    _form("passwords of a server", ":$", r"\A(?:[ \t]*(?:#[^\n]*)?\n)*+[^\s:#]{1,64}:(?:\$(?:apr1|1|2[abxy]|5|6|y|argon2\w*)\$[^\s:]{10})"),
    _form("passwords of a server", ":{S", r"\A(?:[ \t]*(?:#[^\n]*)?\n)*+[^\s:#]{1,64}:\{S(?:SHA\d*|HA)\}"),
    _form("passwords of a server", "root:", r"^root:(?:\$[\w]+\$[^:\n]{8,}|[!*]*):\d+:\d*:\d*:\d*:"),
    _form("keys of an app", '"project_info" "current_key"', r'"current_key"\s*:\s*"[^"<]{20}'),
    _form("keys of an app", "<key>API_KEY</key> <key>GOOGLE_APP_ID</key>"),
    _form("a login of a file server", "<FileZilla", r"<Pass\b[^>]{0,200}>[^<]"),
    _form("a wallet", '"ciphertext" "kdf" "mac"', r'"[Cc]rypto"\s*:\s*\{'),
    _form("a login of git", "://", r"\A(?:https?://[^\s:/@]+:[^\s/@$<{]{8,}@\S+(?:\s+|\Z))++\Z"),
    _form("a login of a cloud", "type =", r"^\[[^\]\n]+\]\s*$", rf"^(?:pass|token|client_secret|secret_access_key|key|password2?|service_account_credentials)\s*=\s*{_VALUE}"),
    _form("a login of PyPI", "pypi-AgE", r"^[ \t]*password\s*[=:]\s*pypi-AgE"),
    _form("a login of PyPI", "password [", r"^\[(?:distutils|pypi|testpypi)\]\s*$", rf"^[ \t]*password\s*[=:]\s*{_VALUE}"),
    _form("a login of Cargo", "token", r"^\[(?:registry|registries\.[\w.-]+)\]\s*$", r"^token\s*=\s*[\"'][^\"'<$]{16}"),
    _form("a login of RubyGems", ":rubygems_api_key:"),
    _form("a login of a forge", "oauth_token", r"^[ \t]*oauth_token:\s*[\"']?\w{20}"),
    *(
        _form("a login of Composer", f'"{name}"', rf'"{name}"\s*:\s*\{{\s*"[^"]+"\s*:\s*["{{]', r':\s*"[^"\s$<]{12}')
        for name in ("github-oauth", "gitlab-oauth", "gitlab-token", "bitbucket-oauth")
    ),
    _form("a login of Composer", '"http-basic"', r'"password"\s*:\s*"[^"$<]{4}'),
    _form("a login of NuGet", "ClearTextPassword", r"ClearTextPassword[\"']\s+value=[\"'][^\"'%]{6}"),
    _form("a login of Azure", '"accessToken" "refreshToken"', r'"refreshToken"\s*:\s*"[^"]{30}'),
    _form("a login of Azure", "<publishProfile userPWD=", r'userPWD="[^"]{8}'),
    _form("a private key", '"kty"', r'"d"\s*:\s*"[\w-]{30}'),
    _form("passwords of a browser", ",password", r"(?i)\A[^\n]{0,300}\b(?:username|login|email|user|login_username)\b[^\n]{0,300},(?:login_)?password\b[^\n]{0,300}\n[^\n]*,[^\n,]{4}"),
    _form("cookies of a browser", "HTTP Cookie File", r"^(?:#HttpOnly_)?[\w.-]+\t(?:TRUE|FALSE)\t[^\t\n]*\t(?:TRUE|FALSE)\t\d+\t"),
    _form("a password of a network", "network={", r"^[ \t]*(?:psk|password)\s*=\s*\S{6}"),
    _form("a password of a network", "[wifi-security]", r"^psk=\S{6}"),
    _form("a login of a network", "password", r"^password 51:b:[0-9A-Fa-f]{16}"),
    _form("a token of Vault", "hvs.", r"\A\s*hvs\.[\w-]{20,}\s*\Z"),
    _form("a token of Vault", '"root_token"', r'"(?:keys|unseal_keys_b64|keys_base64)"'),
)  # fmt: skip

_MAGIC = {
    b"\xfe\xed\xfe\xed": "a keystore",
    b"\xce\xce\xce\xce": "a keystore",
    b"\x03\xd9\xa2\x9a": "a keystore",
    b"$ANSIBLE_VAULT;": "an encrypted file of Ansible",
    b"openssh-key-v1\0": "a private key",
    b"Salted__": "an encrypted file",
}
_MAGICS = tuple(_MAGIC)


def secret_in(path: str, data: bytes, above: str = "") -> str:
    """What secret this file is, in words; empty when it is none. `above` as for `rule_of`."""
    rule = rule_of(path, above)
    if rule is not None and rule.sureness is CERTAIN:
        return f"{rule.words}, by its name"
    data = _plain(data)
    if data.startswith(_MAGICS):
        return next(f"{words}, by its first bytes" for magic, words in _MAGIC.items() if data.startswith(magic))
    if found := _form_of(path, data):
        return f"{found}, by its content"
    return f"{rule.words}, by its name and content" if rule is not None and _is_confirmed(rule, data) else ""


def _plain(data: bytes) -> bytes:
    """The bytes as ASCII text has them."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data[: 4 * _LOOKED_AT].decode("utf-16", "ignore").encode("utf-8", "ignore")
    return data.removeprefix(b"\xef\xbb\xbf")


def _form_of(path: str, data: bytes) -> str:
    if _IS_KEY.match(data):
        return "a private key"
    kind = _kind(path)
    if kind == "code" or data.startswith(b"#!") or b"\0" in data[:_HEAD]:
        return ""
    text = data[:_KEY_LOOKED_AT]
    holds_key = any(sign in text for sign in _SIGNS_OF_KEY) and _KEY_INSIDE.search(text) is not None
    if holds_key and (kind == "settings" or _is_mostly_key(text)):
        return "a private key"
    is_about_it = not kind and len(data) > _NOTE and not data.lstrip().startswith((b"{", b"["))
    return "" if kind == "prose" or is_about_it else _settings_of(data)


def _settings_of(data: bytes) -> str:
    """Which program's credentials these settings are."""
    head = data if len(data) <= 2 * _LOOKED_AT else data[:_LOOKED_AT] + b"\n" + data[-_LOOKED_AT:]
    head = _without_comments(head)
    for form in _FORMS:
        if all(sign in head for sign in form.signs) and all(_holds(part, head) for part in form.parts):
            return form.words
    return ""


def _holds(part: re.Pattern[bytes], head: bytes) -> bool:
    """Whether an expression is there; one that is about the beginning is not tried anywhere else."""
    return (part.match(head) if rb"\A" in part.pattern[:6] else part.search(head)) is not None


def _without_comments(head: bytes) -> bytes:
    """The same without the comments that XML may have."""
    if b"<!--" not in head:
        return head
    parts, at = [], 0
    while (start := head.find(b"<!--", at)) >= 0 and (end := head.find(b"-->", start)) >= 0:
        parts.append(head[at:start])
        at = end + 3
    return b"".join((*parts, head[at:]))


def _kind(path: str) -> str:
    """Whether this is code, prose, settings or anything else, by the name that it or its original has."""
    name = path.rpartition("/")[2].lower()
    if name.rpartition(".")[2] in CODE:
        return "code"
    kinds = set()
    for plain in originals(name):
        stem, _, suffix = plain.rpartition(".")
        if not stem:
            kinds.add("prose" if suffix in _PROSE else "settings")
        elif suffix in CODE:
            kinds.add("code")
        elif stem in _PROSE:
            kinds.add("prose")
        elif suffix in _SETTINGS:
            kinds.add("settings")
    return next((kind for kind in ("code", "prose", "settings") if kind in kinds), "")


def _is_mostly_key(data: bytes) -> bool:
    """Whether what can be seen of the file is more a key than anything else."""
    if b"AGE-SECRET-KEY-1" in data or b"OpenVPN Static key" in data:
        return len(data) < _LOOKED_AT and data.count(b"\n") < 100
    return 2 * sum(len(block) for block in _KEY_BLOCK.findall(data)) > len(data)


def _is_confirmed(rule: Rule, data: bytes) -> bool:
    """Whether a file of a doubtful name is a secret."""
    if rule.sureness is UNLESS_PUBLIC:
        return not (_PUBLIC.search(data) or _SSH_PUBLIC.match(data))  # a private one beside it was seen before
    if rule.sureness is IF_SHORT:
        return 0 < len(data.strip()) <= _SHORT and data.strip().count(b"\n") < _FEW_LINES
    if rule.sureness is UNLESS_TEMPLATE and not _TEMPLATE.search(data):
        return True
    return _assigns(_without_comments(data[:_VALUES_LOOKED_AT]))


def _assigns(data: bytes) -> bool:
    """Whether a password, a key or a token is given a value that may be a real one."""
    values = (match[1] for expression in (_ASSIGNED, _IN_ADDRESS) for match in expression.finditer(data))
    return any(not _WEAK.fullmatch(value.rstrip(b"\"',;)]")) for value in values)
