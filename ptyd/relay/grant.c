/* What stands in a token is NATS's (https://github.com/nats-io/jwt, version 2): -1 is no limit, and
 * what is left out is allowed nothing. */
#include "ptyd/relay/grant.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "ptyd/core/json.h"
#include "ptyd/relay/keys.h"

#define SECOND_NS    1000000000LL
#define TOKEN_BEGINS "-----BEGIN NATS USER JWT-----"
#define TOKEN_ENDS   "------END NATS USER JWT------"

/* A token of `nats`, which is stolen; `until_s` 0 for none. New string. */
static char *sign(const struct keys_signer *signer, const char *subject, const char *name,
                  int64_t until_s, json_t *nats)
{
    unsigned char random[16];
    char id[2 * sizeof random + 1];
    keys_random(random, sizeof random);
    keys_hex(random, sizeof random, id);
    json_object_set_new(nats, "version", json_integer(2));
    json_t *claims =
        json_pack("{s:s, s:I, s:s, s:s, s:s, s:o}", "jti", id, "iat", (json_int_t)time(NULL), "iss",
                  signer->public, "name", name, "sub", subject, "nats", nats);
    if (until_s)
        json_object_set_new(claims, "exp", json_integer(until_s));
    char *text = json_dumps(claims, JSON_COMPACT);
    if (!text)
        memory_end();
    char *token = keys_token(signer, text);
    free(text);
    json_decref(claims);
    return token;
}

/* ---- the server's part ---- */

/* What the account of the hosts takes from the one that has JetStream. */
static json_t *imports_from(const char *account)
{
    const struct roles_service *service;
    json_t *imports = json_array();
    for (size_t i = 0; (service = roles_service(i)); i++)
        json_array_append_new(imports,
                              json_pack("{s:s, s:s, s:s, s:s*, s:s}", "name", service->subject,
                                        "subject", service->subject, "account", account,
                                        "local_subject", service->local, "type", "service"));
    return imports;
}

static json_t *exports(void)
{
    return json_pack("[{s:s, s:s, s:s, s:s, s:I}]", "name", "hub", "subject", ROLES_EXPORT, "type",
                     "service", "response_type", "Stream", "response_threshold",
                     (json_int_t)ROLES_ANSWER_S * SECOND_NS);
}

/* Steals imports and exports, NULL for none. */
static char *account(const struct keys_signer *operator, const struct keys_signer * of,
                     const char *name, int stored, json_t *taken, json_t *given)
{
    json_t *limits = json_pack("{s:i, s:i, s:i, s:i, s:i, s:b, s:i, s:i, s:i, s:i, s:i, s:i}",
                               "subs", -1, "data", -1, "payload", -1, "imports", -1, "exports", -1,
                               "wildcards", 1, "conn", -1, "leaf", -1, "mem_storage", stored,
                               "disk_storage", stored, "streams", stored, "consumer", stored);
    return sign(operator, of->public, name, 0,
                json_pack("{s:s, s:o, s:{s:{}, s:{}}, s:o*, s:o*}", "type", "account", "limits",
                          limits, "default_permissions", "pub", "sub", "imports", taken, "exports",
                          given));
}

void grant_print(const char *seed, struct bytes *out)
{
    struct keys_signer jetstream, hosts, system, operator;
    keys_signer(seed, KEYS_ACCOUNT, &jetstream);
    keys_signer(seed, KEYS_HOSTS, &hosts);
    keys_signer(seed, KEYS_SYSTEM, &system);
    keys_signer(seed, KEYS_OPERATOR, &operator);
    char *own = sign(&operator, operator.public, "ptyd", 0,
                     json_pack("{s:s, s:s}", "type", "operator", "system_account", system.public));
    char *of_jetstream = account(&operator, & jetstream, "PTYD", -1, NULL, exports());
    char *of_hosts = account(&operator, & hosts, "HOSTS", 0, imports_from(jetstream.public), NULL);
    char *of_system = account(&operator, & system, "SYS", 0, NULL, NULL);
    bytes_printf(out,
                 "# whoever shows a token that the owner signed: `ptyd relay hub --creds OWNER-KEY-"
                 "FILE --grant ID`\n"
                 "operator: %s\nsystem_account: %s\nresolver: MEMORY\n"
                 "resolver_preload: {\n  %s: %s\n  %s: %s\n  %s: %s\n}\n",
                 own, system.public, jetstream.public, of_jetstream, hosts.public, of_hosts,
                 system.public, of_system);
    free(own);
    free(of_jetstream);
    free(of_hosts);
    free(of_system);
}

/* ---- a host's part ---- */

static json_t *user_of(const struct roles *plan, const char *host_id, bool publishes_only)
{
    json_t *user = json_pack("{s:s, s:{}, s:{}, s:i, s:i, s:i}", "type", "user", "pub", "sub",
                             "subs", -1, "data", -1, "payload", -1);
    if (!strcmp(host_id, GRANT_OWNER))
        return user;
    json_t *may = roles_permissions(plan, host_id, publishes_only);
    json_object_set(user, "pub", json_object_get(may, "publish"));
    json_object_set(user, "sub", json_object_get(may, "subscribe"));
    json_decref(may);
    return user;
}

void grant_credentials(const struct roles *plan, const char *seed, const char *host_id,
                       bool publishes_only, int64_t until_s, struct bytes *out)
{
    struct keys_signer of;
    char own[KEYS_SEED_SIZE], public[KEYS_PUBLIC_SIZE];
    keys_signer(seed, strcmp(host_id, GRANT_OWNER) ? KEYS_HOSTS : KEYS_ACCOUNT, &of);
    keys_new_seed(own);
    keys_public(own, public);
    char *token = sign(&of, public, host_id, until_s, user_of(plan, host_id, publishes_only));
    bytes_printf(out,
                 TOKEN_BEGINS "\n%s\n" TOKEN_ENDS "\n\n"
                              "-----BEGIN USER NKEY SEED-----\n%s\n"
                              "------END USER NKEY SEED------\n",
                 token, own);
    free(token);
}

json_t *grant_read(const char *credentials)
{
    const char *token = strstr(credentials, TOKEN_BEGINS);
    if (!token)
        return NULL;
    token += strlen(TOKEN_BEGINS);
    token += strspn(token, "\r\n");
    char *text = keys_claims(token, strcspn(token, "\r\n"));
    json_t *claims = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return claims;
}
