"""Names of files that hold keys or passwords by convention: one table, from what scanners and ignore templates publish.

A pattern is a file name, or the end of a path where it has a slash; `*` stands for any characters, once in a pattern. Knows no path.
"""

from typing import NamedTuple

CERTAIN = "certain"  # left out unread
UNLESS_PUBLIC = "unless public"  # left out unless it holds public keys or certificates alone
UNLESS_TEMPLATE = "unless template"  # left out unless its values are put in by a program later
IF_SHORT = "if short"  # left out if it is too short to be anything else
WITH_VALUE = "with value"  # left out if it assigns a password, a key or a token


class Rule(NamedTuple):
    """What files of these names are, and how sure that is."""

    sureness: str
    words: str
    patterns: tuple[str, ...]


def _rule(sureness: str, words: str, patterns: str) -> Rule:
    return Rule(sureness, words, tuple(patterns.split()))


TABLE = (
    # --- keys
    _rule(CERTAIN, "a private key of SSH", """id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk id_xmss id_rsa_* id_rsa-* id_rsa.*
        id_dsa_* id_dsa-* id_dsa.* id_ecdsa_* id_ecdsa-* id_ecdsa.* id_ed25519_* id_ed25519-* id_ed25519.* *_id_rsa *_id_dsa
        *_id_ecdsa *_id_ed25519 *_rsa *_ed25519 *_ecdsa *_dsa deploy_key deploy-key deploykey deploy_key_* deploy-key-*
        *_deploy_key *-deploy-key ssh_host_*_key ssh_private_key ssh-private-key identity.ssh *.ppk *.ssh_key vagrant_private_key"""),
    _rule(UNLESS_PUBLIC, "a private key", "*.pem *.key *.keyring privkey privatekey private_key private-key private_key.* privkey.*"),
    _rule(CERTAIN, "a private key", """*.p8 *.pk8 *.agekey *.gpgkey *.privkey *.private otr.private_key secring.gpg secring.pgp secring.kbx
        .gnupg/private-keys-v1.d/* master.key oci_api_key.pem *.pvk *.snk .bitcoin/* wallet.dat *.wallet"""),
    _rule(CERTAIN, "a keystore", """*.p12 *.pfx *.pkcs12 *.jks *.jceks *.bks *.bcfks *.keystore *.truststore *.kdbx *.kdb *.psafe3 *.keychain
        *.keychain-db *.kwallet *.agilekeychain *.opvault *.1pif *.1pux *.enpassdb *.keytab cwallet.sso
        *.sso key3.db key4.db logins.json *.bek *.fve"""),
    # --- settings with values that are secret
    _rule(CERTAIN, "environment variables, which often hold keys", ".env .env.* .env-* .env_* *.env env.local env.production env.prod .secrets .dev.vars .dev.vars.* .env.php"),
    _rule(WITH_VALUE, "environment variables with a key", ".envrc .envrc.* .flaskenv .renviron env.sh setenv.sh .exports .localrc"),
    _rule(CERTAIN, "Terraform variables, which often hold passwords", "terraform.tfvars *.auto.tfvars *.tfvars.json *.auto.tfvars.json secret.tfvars secrets.tfvars"),
    _rule(WITH_VALUE, "Terraform variables with a password", "*.tfvars *.pkrvars.hcl *.auto.pkrvars.hcl"),
    _rule(CERTAIN, "the state of Terraform, which holds passwords", "*.tfstate *.tfstate.* terraform.tfstate* errored.tfstate .terraform.tfstate.lock.info *.tfplan"),
    _rule(CERTAIN, "a login of Terraform", "credentials.tfrc.json .terraformrc terraform.rc"),
    _rule(UNLESS_TEMPLATE, "passwords or keys", """secrets.yml secrets.yaml secrets.json secrets.toml secrets.properties secrets.ini secrets.conf secrets.cfg
        secrets.xml secrets.env secrets.txt secrets.csv secrets.xcconfig secrets.plist secrets.hcl secrets.dec.yaml secret.yml secret.yaml
        secret.json secret.toml secret.properties secret.ini secret.conf secret.key .secrets.yml .secrets.yaml .secrets.toml
        .secrets.json secrets.local.* secrets.prod.* secrets.production.* secrets.dev.* secrets.staging.* secret_key secret-key
        secret_key.txt secret_token.txt *.secret *.secrets *-secrets.json *-secrets.yaml *-secrets.yml *-secrets.toml *_secrets.json
        *_secrets.yaml *_secrets.yml *_secrets.toml"""),
    _rule(UNLESS_TEMPLATE, "credentials", """credentials credentials.json credentials.csv credentials.yml credentials.yaml credentials.toml credentials.ini
        credentials.txt credentials.xml credentials.properties credentials.cfg credentials.conf credentials.db credentials.sbt
        credentials.clj .credentials .credentials.json .credentials.yml creds creds.json creds.txt creds.yml creds.yaml creds.csv
        creds.ini creds.xml *-credentials.json *_credentials.json *-creds.json *_creds.json *-credentials.csv *_credentials.csv
        *-credentials.yml *-credentials.yaml *_accesskeys.csv accesskeys.csv rootkey.csv access_tokens.db service-account.json
        service_account.json serviceaccount.json service-account-*.json service_account_*.json serviceaccountkey.json
        client_secret.json client_secrets.json client_secret_*.json client_secret-*.json gcloud-service-key.json gcp-key.json
        application_default_credentials.json firebase-adminsdk*.json *-firebase-adminsdk-*.json"""),
    _rule(CERTAIN, "passwords", """passwords passwords.txt passwords.csv passwords.xml passwords.json passwords.yml passwords.yaml passwords.xlsx passwords.kdb
        passwords.ini passwords.conf password.txt password.csv password.lst .passwords .password passwd.txt passwd.csv pass.txt pw.txt
        pwd.txt logins.txt logins.csv apikey.txt apikeys.txt api_key.txt api_keys.txt api-key.txt api-keys.txt
        api_key apikey .api_key .apikey access_token.txt .token recovery-codes.txt recovery_codes.txt
        github-recovery-codes.txt *-recovery-codes.txt backup-codes*.txt backup_codes*.txt backupcodes.txt mnemonic.txt
        seed-phrase.txt seed_phrase.txt bitwarden_export*.json bitwarden_export*.csv lastpass*.csv keepass*.csv 1password*.csv
        chrome?passwords.csv *.password *.passwd *.pwd .passwd smbpasswd passwd.client .pine-passfile"""),
    _rule(CERTAIN, "a password of Ansible", """.vault_pass .vault_pass.* .vault-pass .vault-pass.* .vault_password .vault_password.* .vault-password
        .vault-password.* .vaultpass .vaultpassword vault_pass vault_pass.txt vault-pass vault-pass.txt vault_password
        vault_password.txt vault-password vault-password.txt .ansible_vault_pass* ansible_vault_pass* .become_pass* .vault_key"""),
    _rule(CERTAIN, "a token of Vault", ".vault-token vault-token .consul-token vault-keys.json vault-init.json cluster-keys.json unseal-keys.* vault-unseal-keys.* .*_token .*-token .erlang.cookie erlang.cookie"),
    # --- logins of programs
    _rule(CERTAIN, "a login of Kubernetes", "kubeconfig kubeconfig.yaml kubeconfig.yml kubeconfig.json kubeconfig-* kubeconfig_* *.kubeconfig *-kubeconfig *_kubeconfig *-kubeconfig.yaml .kubeconfig *.rkestate kube_config_*.yml kube_config_*.yaml talosconfig .rancher/cli2.json .kube/config .kube/config-* .kube/config.* k3s.yaml"),
    _rule(CERTAIN, "a login of Docker", ".dockercfg .docker/config.json .dockerconfigjson *.dockerconfigjson .containers/auth.json containers/auth.json"),
    _rule(CERTAIN, "a login of a cloud", """.aws/credentials .aws/cli/cache/* .aws/sso/cache/* .azure/accesstokens.json .azure/azureprofile.json .azure/msal_token_cache.*
        .azure/service_principal_* .azure/credentials .azure/tokencache.dat .config/gcloud/* .gcloud/* .gcp/*.json .boto .s3cfg .s3curl
        .passwd-s3fs passwd-s3fs .oci/config .doctl/config.yaml doctl/config.yaml hcloud/cli.toml linode-cli .linode-cli
        .fly/config.yml .netlify/config.json netlify/config.json .vercel/auth.json .cf/config.json .bluemix/config.json
        .aliyun/config.json .databrickscfg .snowsql/config .kaggle/kaggle.json kaggle.json .mc/config.json rclone.conf .rclone.conf
        .huggingface/token huggingface/token .huggingface/stored_tokens .pulumi/credentials.json .config/openstack/clouds.yaml
        .sentryclirc .ibmcloud/config.json .scw/config.yaml scw/config.yaml .tugboat .edgerc .cloudflared/*.json .cloudflared/cert.pem
        *.publishsettings .ossutilconfig .cos.conf .bce/credentials *.azurepubxml heroku.json"""),
    _rule(CERTAIN, "a login of git or of a forge", """.git-credentials git-credentials .config/hub .config/gh/hosts.yml gh/hosts.yml gh/hosts.yaml .config/glab-cli/config.yml
        glab-cli/config.yml .travis/config.yml .circleci/cli.yml .cvspass .tea/config.yml .subversion/auth/* .codeberg_token
        .github_token .gitlab_token .gh_token .bitbucket_token"""),
    _rule(CERTAIN, "a login of a package registry", """.pypirc .m2/settings.xml .m2/settings.xml.* settings-security.xml .cargo/credentials .cargo/credentials.toml .gem/credentials
        .gemcredentials .rubygems/credentials .composer/auth.json composer/auth.json .hex/hex.config .ivy2/.credentials
        .sbt/.credentials .nuget/nuget.config .config/pip/pip.conf .lein/credentials.clj .pub-cache/credentials.json .chef/knife.rb
        .npm/_auth .jfrog/jfrog-cli.conf .jfrog/jfrog-cli.conf.* .clojars .hackage"""),
    _rule(CERTAIN, "a login of a network", """.netrc _netrc netrc .netrc.* .authinfo .curl-auth wg0.conf wg1.conf wg2.conf wg*.conf wireguard.conf .wg-easy/* *.ovpn *.tblk *.nmconnection
        wpa_supplicant.conf wpa_supplicant-*.conf ipsec.secrets chap-secrets pap-secrets .smbcredentials smbcredentials .smbcred *.smbcredentials
        .vnc/passwd *.rdg *.remmina confcons.xml sasl_passwd .msmtprc msmtprc .fetchmailrc .getmail/getmailrc .offlineimaprc .mbsyncrc
        .esmtprc vpn.secrets .openconnect cookies.txt .cookies"""),
    _rule(CERTAIN, "a login of a database", """.pgpass pgpass.conf pgpass .my.cnf .mylogin.cnf .mongorc.js .dbshell .mysql/credentials dbeaver/credentials-config.json
        .dbeaver/credentials-config.json credentials-config.json datasources.local.xml robomongo.json robo3t.json .sqlpass odbc_credentials.ini
        tnsnames_pw.ora"""),
    _rule(CERTAIN, "a login of a file server", "filezilla.xml sitemanager.xml recentservers.xml winscp.ini sftp-config.json .vscode/sftp.json .remote-sync.json .ftpconfig .sftpconfig.json .ftppass webservers.xml ftpsync.settings"),
    _rule(CERTAIN, "passwords of a server", """.htpasswd htpasswd .htdigest htdigest *.htpasswd etc/shadow etc/shadow- etc/gshadow etc/gshadow- shadow- gshadow gshadow- master.passwd
        proftpdpasswd .proftpdpasswd jmxremote.password mgmt-users.properties application-users.properties krb5.secrets
        hudson.util.secret jenkins.plugins.publish_over_ssh.bapsshpublisherplugin.xml ventrilo_srv.ini unattend.xml
        autounattend.xml sysprep.inf"""),
    _rule(CERTAIN, "settings with a database password", "wp-config.php wp-config.inc.php wp-config-local.php wp-config-production.php"),
    _rule(CERTAIN, "keys of an app", "google-services.json googleservice-info.plist agconnect-services.json key.properties keystore.properties signing.properties release-signing.properties"),
    _rule(CERTAIN, "a history of commands", """.bash_history .zsh_history .zhistory .sh_history .ash_history .ksh_history .csh_history .tcsh_history .fish_history fish_history
        .history .histfile .mysql_history .psql_history .sqlite_history .rediscli_history .mongo_history .mongosh_history .influx_history
        .cqlsh_history .hivehistory .beeline_history .python_history .node_repl_history .ts_node_repl_history .irb_history .irb-history
        .pry_history .php_history .psysh_history .rhistory .julia_history .lua_history .ghc_history .gdb_history .octave_hist .spark_history
        .scala_history .jshell_history .ipython_history consolehost_history.txt .nu_history nushell/history.txt .xonsh_history
        .local/share/fish/fish_history .bash_sessions/* .zsh_sessions/* .viminfo .*_history *.bash_history *.zsh_history"""),
    # --- settings that may hold one
    _rule(WITH_VALUE, "settings with a password, a key or a token", """.npmrc .yarnrc .yarnrc.yml settings.xml nuget.config auth.json token.json tokens.json pip.conf pip.ini .condarc
        .bundle/config gradle.properties local.properties local.settings.json connectionstrings.config clouds.yaml clouds.yml
        database.yml database.yaml parameters.yml parameters.yaml configuration.php localsettings.php settings.local.php config.inc.php
        tomcat-users.xml vault.yml vault.yaml odbc.ini .odbc.ini flyway.conf liquibase.properties .hgrc .gitconfig .curlrc .wgetrc .muttrc
        muttrc profiles.yml hosts.ini inventory inventory.ini secret_token.rb *.pubxml *.pubxml.user *.rdp sftp.json deployment-config.json
        *.cscfg config.local.php knife.rb .irssi/config sec.conf hexchat.conf sonar-project.properties docker.env ngrok.yml ngrok.yaml .wakatime.cfg bitcoin.conf
        appsettings.production.json appsettings.local.json appsettings.secrets.json serverless.env.yml secrets/*.yaml secrets/*.yml secrets/*.json
        secrets/*.toml secrets/*.properties *.local.json config.local.*"""),
    _rule(IF_SHORT, "a token", "token tokens token.txt tokens.txt token.key key.txt secret secret.txt license.key"),
)  # fmt: skip
