/* Rows of the last kind (tools.c): what lets in by an address without a scheme, stores of keys and
 * values whose key tells, files of what was cracked. */
#include "envelope/redact/command.h"

const struct redact_rule redact_more_rules[] = {
    /* `kim:X@host`, without a scheme */
    {"mysqlsh mysql-shell pgcli mycli litecli usql mongosh mongo iredis", "", "", PLACE_AT, 1},
    {"ftp sftp ncftp lftp tnftp", "", "", PLACE_AT, 1},
    {"sql sqlcl sql.exe", "", "", PLACE_SLASH, 1},
    /* Percona's, of a database: h=db1,u=kim,p=X */
    {"pt-online-schema-change pt-table-checksum pt-table-sync pt-archiver pt-query-digest", "",
     "p=", AMONG, 0},
    {"pt-kill pt-heartbeat pt-slave-find pt-slave-delay pt-slave-restart pt-show-grants", "",
     "p=", AMONG, 0},
    {"pt-duplicate-key-checker pt-index-usage pt-deadlock-logger pt-upgrade pt-find", "",
     "p=", AMONG, 0},
    {"pt-mysql-summary pt-summary pt-stalk pt-config-diff pt-variable-advisor pt-fk-error-logger",
     "", "p=", AMONG, 0},
    {"eyaml", "encrypt", "-s", EITHER, 0},
    {"eyaml", "encrypt", "--string", NEXT, 0},
    {"gem", "--key", "", PLACE_RANDOM, 1},
    {"gem", "-k", "", PLACE_RANDOM, 1},
    /* stores of keys and values, whose key is a path that tells */
    {"consul", "put", "", SETTING, 0},
    {"etcdctl", "put", "", SETTING, 0},
    {"etcdctl", "set", "", SETTING, 0},
    {"etcdctl", "mk", "", SETTING, 0},
    {"etcdctl", "update", "", SETTING, 0},
    {"zkCli.sh zkcli zookeepercli zkCli", "create", "", SETTING, 0},
    {"zkCli.sh zkcli zookeepercli zkCli", "set", "", SETTING, 0},
    {"redis-cli valkey-cli keydb-cli", "setex", "", SETTING, 0},
    {"redis-cli valkey-cli keydb-cli", "hset", "", SETTING, 0},
    {"redis-cli valkey-cli keydb-cli", "getset", "", SETTING, 0},
    {"nats", "put", "", SETTING, 0},
    {"nomad", "put", "", PAIRS, 0},
    {"snapctl", "set", "", PAIRS, 0},
    {"defaults", "write", "", SETTING, 0},
    {"gsettings dconf", "set", "", SETTING, 0},
    {"dconf", "write", "", SETTING, 0},
    {"crudini", "--set", "", SETTING, 0},
    {"augtool", "set", "", SETTING, 0},
    {"occ", "config:system:set", "--value", NEXT, 0},
    {"az", "kv", "--value", NEXT, 0},
    /* what was cracked, and what it was */
    {"hashcat", "potfile:", "", PLACE_USER, 1},
    {"hashcat.potfile john.pot hashcat.pot potfile", "", "", CRACKED, 0},
    {"client", "server", "", WORD, 3}, /* the heading of chap-secrets */
    {"heroku", "auth:token", "", FIRST, 0},
    /* what replaces a placeholder in a file */
    {"sed gsed perl ssed", "", "", REPLACED, 0},
    /* here-strings of what asks for a secret, and into a file whose name says what it holds */
    {"az cf oc argocd heroku npm fly flyctl ibmcloud", "login", "<<<", EITHER, 0},
    {"cat tee dd install sponge", "", "", WRITTEN, 0},
    {"secret-tool", "store", "<<<", EITHER, 0},
    {"read", "pass", "<<<", EITHER, 0},
    {"read", "password", "<<<", EITHER, 0},
    {"read", "passphrase", "<<<", EITHER, 0},
    {"read", "secret", "<<<", EITHER, 0},
    {"read", "token", "<<<", EITHER, 0},
    /* by a name or a place, of whatever it is made */
    {"adb am", "--es", "", SETTING, 0},
    {"puppet", "set", "", SETTING, 0},
    {"samba-tool", "create", "", PLACE_BESIDE, 2},
    {"mc mcli", "host", "", PLACE, 5},
    {"curlftpfs", "", "", PLACE_AT, 1},
    /* Redis', at its prompt */
    {"SET SETNX GETSET HSET SETEX set setnx hset setex", "", "", SETTING, 6379},
    {"postmap", "-q", "", COLON, 0},
    {".logon .LOGON .Logon", "", "", PLACE_COMMA, 1}, /* Teradata's bteq and its like */
};

const int redact_more_rule_count = sizeof redact_more_rules / sizeof *redact_more_rules;
