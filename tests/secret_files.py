"""Files that hold keys and passwords, as people leave them in their folders, and files that only look like it.

Made when a test runs: none of this lies in the repository as a file of its own kind, and nothing in it is a real key. Every secret
file has `CANARY` in it, so that whatever was read, kept, sent or shown can be searched for it.
"""

import json
import random
from pathlib import Path

CANARY = "zqxcanary"

_TEXT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def fake(length: int, seed: str = "") -> str:
    """Letters and digits that look like a key; they begin with the canary."""
    chance = random.Random(f"{length}{seed}")
    return CANARY + "".join(chance.choices(_TEXT, k=max(0, length - len(CANARY))))


def block(kind: str, lines: int = 12, *, head: str = "") -> str:
    """An armoured block, such as a private key."""
    body = "\n".join(fake(64, f"{kind}{number}") for number in range(lines))
    return f"-----BEGIN {kind}-----\n{head}{body}\n-----END {kind}-----\n"


KEY = "PRIVATE " + "KEY"  # in two words, so that this file is no key itself
SSH = f"OPENSSH {KEY}"
_ACCOUNT = {
    "type": "service_account",
    "project_id": "shop-1",
    "private_key_id": fake(40),
    "private_key": block(KEY).replace("\n", "\\n"),
    "client_email": "ci@shop-1.example.com",
}
_KUBE = f"""apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority-data: {fake(120)}
    server: https://10.0.0.1:6443
  name: home
users:
- name: admin
  user:
    client-certificate-data: {fake(120, "c")}
    client-key-data: {fake(120, "k")}
"""
_DOCKER = json.dumps({"auths": {"https://index.docker.io/v1/": {"auth": fake(40) + "=="}}}, indent=2)
_STATE = json.dumps(
    {
        "version": 4,
        "terraform_version": "1.9.0",
        "serial": 3,
        "lineage": "0b8b2d0e-1111-2222-3333-444455556666",
        "outputs": {},
        "resources": [{"type": "aws_db_instance", "instances": [{"attributes": {"password": fake(24)}}]}],
    },
    indent=2,
)
_WIREGUARD = f"[Interface]\nAddress = 10.0.0.2/24\nPrivateKey = {fake(43)}=\n\n[Peer]\nPublicKey = {fake(43, 'p')}=\n"
_MAVEN = (
    "<settings>\n  <servers>\n    <server>\n      <id>central</id>\n      <username>ann</username>\n"
    f"      <password>{fake(20)}</password>\n    </server>\n  </servers>\n</settings>\n"
)
_WORDPRESS = (
    f"<?php\ndefine('DB_NAME', 'blog');\ndefine('DB_PASSWORD', '{fake(20)}');\ndefine('AUTH_KEY', '{fake(64)}');\n"
)
_GOOGLE = json.dumps(
    {
        "project_info": {"project_number": "1234567890", "project_id": "shop-1"},
        "client": [{"api_key": [{"current_key": fake(39)}]}],
    },
    indent=2,
)
_PLIST = f"<plist><dict>\n<key>API_KEY</key>\n<string>{fake(39)}</string>\n<key>GOOGLE_APP_ID</key>\n<string>1:2:ios:3</string>\n</dict></plist>\n"
_AWS = f"[default]\naws_access_key_id = AKIA{fake(16).upper()}\naws_secret_access_key = {fake(40)}\n"
_ENV = f"DATABASE_URL=postgres://shop:{fake(16)}@db/shop\nSTRIPE_KEY=sk_live_{fake(24)}\n"
_TFVARS = f'region      = "eu-west-1"\ndb_password = "{fake(20)}"\n'
_NETRC = f"machine api.example.com\n  login ann\n  password {fake(20)}\n"
_VAULT = "$ANSIBLE_VAULT;1.1;AES256\n" + "\n".join(f"{CANARY}{number:064x}" for number in range(6)) + "\n"
_PUTTY = f"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: ann\nPrivate-Lines: 1\n{fake(64)}\n"
_RAILS = f"production:\n  secret_key_base: {fake(128)}\n"
_WEBSITE = json.dumps({"installed": {"client_id": "1.apps.example.com", "client_secret": fake(24)}})
_AUTH = json.dumps({"http-basic": {"repo.example.com": {"username": "ann", "password": fake(20)}}})
_KUBE_SECRET = f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  password: {fake(24)}\n"

# By kind: path and content. More than one path of a kind where it has several usual names.
KINDS: dict[str, dict[str, str]] = {
    "ssh rsa": {"home/.ssh/id_rsa": block(SSH)},
    "ssh ed25519": {"home/.ssh/id_ed25519": block(SSH, 4)},
    "ssh ecdsa": {"home/.ssh/id_ecdsa": block(f"EC {KEY}", 4)},
    "ssh dsa": {"home/.ssh/id_dsa": block(f"DSA {KEY}", 8)},
    "ssh of a place": {"ops/id_rsa_prod": block(SSH), "ops/id_ed25519.work": block(SSH, 4)},
    "copy of a key": {"ops/id_rsa.bak": block(SSH), "ops/id_rsa~": block(SSH), "ops/server.key.old": block(KEY)},
    "deploy key": {"ci/deploy_key": block(SSH), "ci/deploy_key_staging": block(SSH)},
    "pem": {"tls/server.pem": block(f"RSA {KEY}"), "tls/chain.pem": block("CERTIFICATE") + block(KEY)},
    "key": {"tls/server.key": block(f"ENCRYPTED {KEY}")},
    "pkcs8": {"tls/AuthKey_1.p8": block(KEY, 3)},
    "putty": {"ops/ann.ppk": _PUTTY},
    "pgp": {"ops/ann.asc": block(f"PGP {KEY} BLOCK"), "ops/exported.gpgkey": block(f"PGP {KEY} BLOCK")},
    "key under another name": {"ops/backup-of-laptop": block(SSH), "notes/mine.txt": block(SSH)},
    "age": {"ops/keys.txt": f"# created: 2024-01-01\nAGE-SECRET-KEY-1{fake(58).upper()}\n"},
    "p12": {"tls/client.p12": fake(400)},
    "pfx": {"tls/client.pfx": fake(400)},
    "jks": {"android/release.jks": fake(400)},
    "keystore": {"android/release.keystore": fake(400)},
    "keepass": {"ops/team.kdbx": fake(400)},
    "kubeconfig": {
        "ops/kubeconfig": _KUBE,
        "home/.kube/config": _KUBE,
        "ops/prod.kubeconfig": _KUBE,
        "ops/k3s.yaml": _KUBE,
    },
    "kubernetes secret": {"deploy/db-secret.yaml": _KUBE_SECRET},
    "docker": {"home/.docker/config.json": _DOCKER},
    "old docker": {"home/.dockercfg": _DOCKER},
    "terraform variables": {"infra/terraform.tfvars": _TFVARS, "infra/prod.tfvars": _TFVARS},
    "automatic variables": {"infra/prod.auto.tfvars": _TFVARS},
    "variables in json": {"infra/prod.tfvars.json": json.dumps({"db_password": fake(20)})},
    "terraform state": {"infra/terraform.tfstate": _STATE, "infra/state.json": _STATE},
    "backup of a state": {"infra/terraform.tfstate.backup": _STATE, "infra/terraform.tfstate.1712.backup": _STATE},
    "terraform login": {"home/.terraform.d/credentials.tfrc.json": json.dumps({"credentials": {"x": fake(20)}})},
    "wireguard": {"net/wg0.conf": _WIREGUARD, "net/office.conf": _WIREGUARD},
    "openvpn": {"net/client.ovpn": f"client\nremote vpn.example.com 1194\n<key>\n{block(KEY)}</key>\n"},
    "passwords": {"passwords.txt": f"ann {fake(12)}\n", "docs/Passwords.TXT": f"ann {fake(12)}\n"},
    "vault password": {"ansible/.vault_pass": fake(32), "ansible/.vault_pass.txt": fake(32)},
    "ansible vault": {"ansible/group_vars/all/vault.yml": _VAULT, "ansible/keys.yaml": _VAULT},
    "vault token": {"home/.vault-token": f"hvs.{fake(24)}"},
    "maven": {"home/.m2/settings.xml": _MAVEN, "ci/maven-settings.xml": _MAVEN},
    "maven master": {"home/.m2/settings-security.xml": f"<settingsSecurity><master>{fake(40)}</master></settingsSecurity>"},
    "wordpress": {"blog/wp-config.php": _WORDPRESS, "blog/wp-config.php.bak": _WORDPRESS},
    "google services": {"app/google-services.json": _GOOGLE},
    "google services of a phone": {"app/GoogleService-Info.plist": _PLIST},
    "service account": {"gcp/shop-1-4f5e6d.json": json.dumps(_ACCOUNT), "gcp/service-account.json": json.dumps(_ACCOUNT)},
    "oauth client": {"gcp/client_secret_12.apps.json": _WEBSITE},
    "gcloud": {
        "home/.config/gcloud/application_default_credentials.json": json.dumps(
            {"type": "authorized_user", "client_secret": fake(24), "refresh_token": fake(60)}
        )
    },
    "bash history": {"home/.bash_history": f"ls\nmysql -uroot -p{fake(12)}\n"},
    "zsh history": {"home/.zsh_history": f": 1700000000:0;export TOKEN={fake(30)}\n"},
    "psql history": {"home/.psql_history": f"alter user ann password '{fake(12)}';\n"},
    "netrc": {"home/.netrc": _NETRC, "home/_netrc": _NETRC},
    "pgpass": {"home/.pgpass": f"db:5432:shop:ann:{fake(16)}\n"},
    "mysql": {"home/.my.cnf": f"[client]\nuser=root\npassword={fake(16)}\n"},
    "npm": {"home/.npmrc": f"//registry.example.com/:_authToken=npm_{fake(36)}\n"},
    "yarn": {"web/.yarnrc.yml": f"npmAuthToken: {fake(36)}\n"},
    "pypi": {"home/.pypirc": f"[pypi]\nusername = __token__\npassword = pypi-{fake(60)}\n"},
    "env": {".env": _ENV, "web/.env.local": _ENV, "web/prod.env": _ENV, "web/.env.production.bak": _ENV},
    "direnv": {"web/.envrc": f"export API_TOKEN={fake(30)}\n"},
    "aws": {"home/.aws/credentials": _AWS, "ci/aws.ini": _AWS},
    "azure": {"home/.azure/accessTokens.json": json.dumps([{"accessToken": fake(60), "refreshToken": fake(60)}])},
    "git": {"home/.git-credentials": f"https://ann:{fake(40)}@github.com\n"},
    "htpasswd": {"web/.htpasswd": f"ann:$apr1$abcdefgh${fake(22)}\n"},
    "shadow": {"image/etc/shadow": f"root:$6$abcdefgh${fake(86)}:19000:0:99999:7:::\n"},
    "secrets": {
        "config/secrets.yml": _RAILS,
        "config/secrets.json": json.dumps({"api": fake(20)}),
        "config/secrets.toml": f'api = "{fake(20)}"\n',
        "config/secrets.properties": f"api={fake(20)}\n",
    },
    "credentials": {"ops/credentials.json": json.dumps({"user": "ann", "password": fake(20)}), "ops/credentials.csv": f"User,Secret\nann,{fake(20)}\n"},
    "rails": {"rails/config/master.key": fake(32)},
    "s3cmd": {"home/.s3cfg": f"[default]\nsecret_key = {fake(40)}\n"},
    "boto": {"home/.boto": f"[Credentials]\ngs_oauth2_refresh_token = {fake(60)}\n"},
    "rclone": {"home/.config/rclone/rclone.conf": f"[drive]\ntype = drive\nclient_secret = {fake(24)}\n"},
    "hub": {"home/.config/hub": f"github.com:\n- user: ann\n  oauth_token: {fake(40)}\n"},
    "gh": {"home/.config/gh/hosts.yml": f"github.com:\n    user: ann\n    oauth_token: gho_{fake(36)}\n"},
    "composer": {"home/.composer/auth.json": _AUTH, "php/auth.json": _AUTH},
    "cargo": {"home/.cargo/credentials.toml": f'[registry]\ntoken = "cio{fake(32)}"\n'},
    "gem": {"home/.gem/credentials": f"---\n:rubygems_api_key: rubygems_{fake(48)}\n"},
    "swap file of an editor": {"web/.env.swp": _ENV, "home/.npmrc.swp": f"//registry.example.com/:_authToken=npm_{fake(36)}\n"},
    "ftp client": {"web/sftp-config.json": json.dumps({"host": "example.com", "user": "ann", "password": fake(16)})},
    "ethereum": {"chain/UTC--2024-01-01T00-00-00Z--0abc": json.dumps({"crypto": {"ciphertext": fake(64), "kdf": "scrypt", "mac": fake(64)}})},
    "wifi": {"net/wpa_supplicant.conf": f'network={{\n  ssid="home"\n  psk="{fake(16)}"\n}}\n'},
    "keyring of a browser": {"export/passwords.csv": f"name,url,username,password\nshop,https://example.com,ann,{fake(12)}\n"},
}  # fmt: skip

SECRETS = {path: content for files in KINDS.values() for path, content in files.items()}

# What has a name or a word in common with them, and is none.
INNOCENT = {
    "src/secrets.py": "def choose():\n    return 'token'\n",
    "src/test_credentials.py": f'KEY = """{block(KEY, 2)}"""\n\n\ndef test_key():\n    assert KEY\n',
    "src/password.ts": "export const password = (x: string) => x.length > 8;\n",
    "src/keystore.go": "package keystore\n\nfunc Open() error { return nil }\n",
    "src/deploy_key.rb": "class DeployKey\n  def token\n  end\nend\n",
    "src/id_rsa_test.go": f"package x\n\nconst key = `{block(SSH, 2)}`\n",
    "src/credentials.ts": "export type Credentials = { password: string };\n",
    "src/env.py": "def load():\n    return {}\n",
    "src/shadow.css": ".shadow { box-shadow: none }\n",
    "src/locales/en/auth.json": '{"login": "Log in", "password": "Your password"}\n',
    "src/locales/en/credentials.json": '{"title": "Credentials", "token": "Your token"}\n',
    "docs/tokens.md": "# Tokens\n\nA token is sent as `Authorization: Bearer TOKEN`.\n",
    "docs/keys.md": f"# Keys\n\nA private key looks like this:\n\n```\n{block(KEY, 2)}```\n\nNever show yours to anyone else, whoever asks you for it, and keep it in a file that nobody else can read. Make a new one when in doubt.\n",
    "docs/passwords.rst": "Passwords\n=========\n\nChoose a long one.\n",
    "home/.ssh/id_rsa.pub": f"ssh-rsa {fake(200)} ann@laptop\n",
    "home/.ssh/id_ed25519.pub": f"ssh-ed25519 {fake(60)} ann@laptop\n",
    "tls/ca.pem": block("CERTIFICATE"),
    "tls/public.pem": block("PUBLIC KEY", 3),
    "tls/release.asc": block("PGP PUBLIC KEY BLOCK"),
    "tls/archive.key": block("PGP PUBLIC KEY BLOCK"),
    "web/.env.example": "STRIPE_KEY=\nDATABASE_URL=postgres://user:password@localhost/db\n",
    "web/.env.sample": "STRIPE_KEY=\n",
    "web/.env.template": "STRIPE_KEY=\n",
    "web/.env.dist": "STRIPE_KEY=\n",
    "web/.npmrc": "engine-strict=true\nsave-exact=true\n",
    "nix/.envrc": "use flake\nPATH_add bin\n",
    "blog/wp-config-sample.php": "<?php\ndefine('DB_PASSWORD', 'password_here');\n",
    "infra/terraform.tfvars.example": 'db_password = ""\n',
    "infra/modules/sizes.tfvars": 'region = "eu-west-1"\nsize   = "small"\n',
    "deploy/chart/templates/secrets.yaml": "apiVersion: v1\nkind: Secret\ndata:\n  password: {{ .Values.password | b64enc }}\n",
    "deploy/values.yaml": "image: shop\nsecretName: db\nexistingSecret: db-secret\n",
    "ci/settings.xml": "<settings><servers><server><id>x</id><password>${env.PASSWORD}</password></server></servers></settings>\n",
    "config/database.yml": "development:\n  adapter: postgresql\n  password: <%= ENV['DB_PASSWORD'] %>\n",
    "android/local.properties.txt": "the path of the SDK\n",
    ".secrets.baseline": '{"version": "1.5.0", "results": {}}\n',
    "package.json": '{"name": "shop", "scripts": {"token": "node token.js"}}\n',
    "tsconfig.json": '{"compilerOptions": {"strict": true}}\n',
}  # fmt: skip


def plant(root: Path, files: dict[str, str]) -> None:
    """Write these files below a folder."""
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
