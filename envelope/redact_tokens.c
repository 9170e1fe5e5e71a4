/* Shapes that those who issue tokens have published or that their scanners use. A row is a prefix
 * and what follows it. */
#include <string.h>

#include "envelope/redact_private.h"

#define NO_MAX 4096 /* longer ones are no token but data */

static const struct token {
    const char *type, *prefix;
    unsigned set;
    size_t min, max; /* characters behind the prefix */
} tokens[] = {
    {"github-token", "ghp_", CLASS_ALNUM, 36, 255},
    {"github-token", "gho_", CLASS_ALNUM, 36, 255},
    {"github-token", "ghu_", CLASS_ALNUM, 36, 255},
    {"github-token", "ghs_", CLASS_ALNUM, 36, 255},
    {"github-token", "ghr_", CLASS_ALNUM, 36, 255},
    {"github-token", "github_pat_", CLASS_ALNUM | CLASS_UNDER, 22, 255},
    {"gitlab-token", "glpat-", CLASS_WORD | CLASS_DOT, 20, 300},
    {"gitlab-token", "gldt-", CLASS_WORD, 20, 300},
    {"gitlab-token", "glrt-", CLASS_WORD, 20, 300},
    {"gitlab-token", "glptt-", CLASS_WORD, 20, 300},
    {"gitlab-token", "gloas-", CLASS_WORD, 20, 300},
    {"gitlab-token", "glcbt-", CLASS_WORD, 20, 300},
    {"aws-key-id", "AKIA", CLASS_UPPER | CLASS_DIGIT, 16, 16},
    {"aws-key-id", "ASIA", CLASS_UPPER | CLASS_DIGIT, 16, 16},
    {"anthropic-key", "sk-ant-", CLASS_WORD, 20, 255},
    {"openai-key", "sk-proj-", CLASS_WORD, 20, 255},
    {"openai-key", "sk-svcacct-", CLASS_WORD, 20, 255},
    {"openai-key", "sk-admin-", CLASS_WORD, 20, 255},
    {"openrouter-key", "sk-or-v1-", CLASS_WORD, 32, 255},
    {"openai-key", "sk-", CLASS_ALNUM, 32, 64},
    {"google-api-key", "AIza", CLASS_WORD, 35, 35},
    {"google-oauth-token", "ya29.", CLASS_WORD, 20, NO_MAX},
    {"google-oauth-secret", "GOCSPX-", CLASS_WORD, 20, 64},
    {"slack-token", "xoxb-", CLASS_ALNUM | CLASS_DASH, 20, 255},
    {"slack-token", "xoxp-", CLASS_ALNUM | CLASS_DASH, 20, 255},
    {"slack-token", "xoxa-", CLASS_ALNUM | CLASS_DASH, 20, 255},
    {"slack-token", "xoxr-", CLASS_ALNUM | CLASS_DASH, 20, 255},
    {"slack-token", "xoxs-", CLASS_ALNUM | CLASS_DASH, 20, 255},
    {"slack-token", "xoxe-", CLASS_ALNUM | CLASS_DASH, 20, 255},
    {"slack-token", "xapp-", CLASS_ALNUM | CLASS_DASH, 20, 255},
    {"slack-webhook", "hooks.slack.com/services/", CLASS_ALNUM | CLASS_BASE64, 30, 100},
    {"discord-webhook", "discord.com/api/webhooks/", CLASS_WORD | CLASS_BASE64, 40, 200},
    {"stripe-key", "sk_live_", CLASS_ALNUM, 16, 255},
    {"stripe-key", "sk_test_", CLASS_ALNUM, 16, 255},
    {"stripe-key", "rk_live_", CLASS_ALNUM, 16, 255},
    {"stripe-key", "rk_test_", CLASS_ALNUM, 16, 255},
    {"stripe-key", "whsec_", CLASS_ALNUM | CLASS_BASE64, 24, 128},
    {"npm-token", "npm_", CLASS_ALNUM, 36, 36},
    {"pypi-token", "pypi-AgEI", CLASS_WORD, 40, 512},
    {"rubygems-token", "rubygems_", CLASS_DIGIT | CLASS_HEX, 48, 48},
    {"crates-token", "cio", CLASS_ALNUM, 32, 32},
    {"hugging-face-token", "hf_", CLASS_ALNUM, 30, 64},
    {"sendgrid-key", "SG.", CLASS_WORD | CLASS_DOT, 60, 80},
    {"digitalocean-token", "dop_v1_", CLASS_DIGIT | CLASS_HEX, 64, 64},
    {"digitalocean-token", "doo_v1_", CLASS_DIGIT | CLASS_HEX, 64, 64},
    {"digitalocean-token", "dor_v1_", CLASS_DIGIT | CLASS_HEX, 64, 64},
    {"docker-token", "dckr_pat_", CLASS_WORD, 20, 64},
    {"docker-token", "dckr_oat_", CLASS_WORD, 20, 64},
    {"shopify-token", "shpat_", CLASS_ALNUM, 32, 32},
    {"shopify-token", "shpca_", CLASS_ALNUM, 32, 32},
    {"shopify-token", "shppa_", CLASS_ALNUM, 32, 32},
    {"shopify-token", "shpss_", CLASS_ALNUM, 32, 32},
    {"square-token", "sq0atp-", CLASS_WORD, 22, 64},
    {"square-token", "sq0csp-", CLASS_WORD, 43, 64},
    {"twilio-key", "SK", CLASS_DIGIT | CLASS_HEX, 32, 32},
    {"mailgun-key", "key-", CLASS_DIGIT | CLASS_HEX, 32, 32},
    {"vault-token", "hvs.", CLASS_WORD, 24, 255},
    {"vault-token", "hvb.", CLASS_WORD, 24, 512},
    {"databricks-token", "dapi", CLASS_DIGIT | CLASS_HEX, 32, 32},
    {"grafana-token", "glsa_", CLASS_ALNUM | CLASS_UNDER, 32, 64},
    {"grafana-token", "glc_", CLASS_ALNUM | CLASS_BASE64, 32, 400},
    {"new-relic-key", "NRAK-", CLASS_UPPER | CLASS_DIGIT, 27, 27},
    {"postman-key", "PMAK-", CLASS_DIGIT | CLASS_HEX | CLASS_DASH, 50, 64},
    {"doppler-token", "dp.pt.", CLASS_ALNUM, 40, 64},
    {"doppler-token", "dp.st.", CLASS_WORD | CLASS_DOT, 40, 80},
    {"atlassian-token", "ATATT3", CLASS_WORD | CLASS_BASE64, 50, 255},
    {"bitbucket-token", "ATBB", CLASS_ALNUM, 28, 40},
    {"linear-key", "lin_api_", CLASS_ALNUM, 32, 64},
    {"notion-token", "ntn_", CLASS_ALNUM, 40, 64},
    {"notion-token", "secret_", CLASS_ALNUM, 43, 43},
    {"sentry-token", "sntrys_", CLASS_WORD | CLASS_BASE64, 40, 512},
    {"sentry-token", "sntryu_", CLASS_DIGIT | CLASS_HEX, 64, 64},
    {"tailscale-key", "tskey-", CLASS_WORD, 20, 128},
    {"age-key", "AGE-SECRET-KEY-1", CLASS_UPPER | CLASS_DIGIT, 58, 58},
    {"planetscale-token", "pscale_tkn_", CLASS_WORD | CLASS_DOT, 30, 64},
    {"planetscale-password", "pscale_pw_", CLASS_WORD | CLASS_DOT, 30, 64},
    {"figma-token", "figd_", CLASS_WORD, 30, 64},
    {"supabase-token", "sbp_", CLASS_DIGIT | CLASS_HEX, 40, 40},
    {"fly-token", "fo1_", CLASS_WORD, 40, 128},
    {"xai-key", "xai-", CLASS_ALNUM, 40, 128},
    {"groq-key", "gsk_", CLASS_ALNUM, 40, 64},
    {"perplexity-key", "pplx-", CLASS_ALNUM, 40, 64},
    {"replicate-token", "r8_", CLASS_ALNUM, 37, 40},
    {"heroku-key", "HRKU-", CLASS_WORD, 36, 80},
};

#define TOKEN_COUNT (sizeof tokens / sizeof *tokens)

/* Three base64url parts between dots, the first two JSON objects: `eyJ` is `{"`. */
static bool is_jwt(const char *text, size_t len, size_t at, struct redact_match *ret_match)
{
    size_t part[3], from = at;
    for (int i = 0; i < 3; i++) {
        if (i < 2 && (len - from < 3 || memcmp(text + from, "eyJ", 3)))
            return false;
        part[i] = redact_run(text, len, from, CLASS_WORD);
        from += part[i];
        if (part[i] < 10 || (i < 2 && (from >= len || text[from++] != '.')))
            return false;
    }
    *ret_match = (struct redact_match){at, from, "jwt"};
    return true;
}

/* 8 to 10 digits, a colon, 35 characters of which the first are AA. */
static bool is_telegram(const char *text, size_t len, size_t at, struct redact_match *ret_match)
{
    size_t digits = redact_run(text, len, at, CLASS_DIGIT);
    size_t secret = at + digits + 1;
    if (digits < 8 || digits > 10 || len < secret + 2 || memcmp(text + secret - 1, ":AA", 3) ||
        redact_run(text, len, secret, CLASS_WORD) != 35)
        return false;
    *ret_match = (struct redact_match){at, secret + 35, "telegram-token"};
    return true;
}

/* An id, a time and a signature in base64url. */
static bool is_discord(const char *text, size_t len, size_t at, struct redact_match *ret_match)
{
    size_t id = redact_run(text, len, at, CLASS_WORD);
    size_t time = at + id + 1, signature = time + 7;
    if (!strchr("MNO", text[at]) || id < 24 || id > 26 || len < signature + 27 ||
        text[time - 1] != '.' || redact_run(text, len, time, CLASS_WORD) != 6 ||
        text[signature - 1] != '.')
        return false;
    size_t run = redact_run(text, len, signature, CLASS_WORD);
    if (run < 27 || run > 38)
        return false;
    *ret_match = (struct redact_match){at, signature + run, "discord-token"};
    return true;
}

/* `Bearer` and `Basic` in a header; the word stays. */
static bool is_header(const char *text, size_t len, size_t at, struct redact_match *ret_match)
{
    static const char *const words[] = {"Bearer ", "bearer ", "Authorization: Basic ",
                                        "authorization: basic "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t word = strlen(words[i]);
        if (len - at < word || memcmp(text + at, words[i], word))
            continue;
        size_t run = redact_run(text, len, at + word, CLASS_WORD | CLASS_DOT | CLASS_BASE64);
        if (run < (i < 2 ? 16 : 8))
            return false;
        *ret_match = (struct redact_match){at + word, at + word + run, "authorization"};
        return true;
    }
    return false;
}

static bool is_listed(const char *text, size_t len, size_t at, struct redact_match *ret_match)
{
    for (size_t i = 0; i < TOKEN_COUNT; i++) {
        const struct token *t = &tokens[i];
        size_t prefix = strlen(t->prefix);
        if (text[at] != t->prefix[0] || len - at < prefix || memcmp(text + at, t->prefix, prefix))
            continue;
        size_t run = redact_run(text, len, at + prefix, t->set);
        bool ends = at + prefix + run == len || !redact_in(text[at + prefix + run], CLASS_ALNUM);
        if (run >= t->min && run <= t->max && ends) {
            *ret_match = (struct redact_match){at, at + prefix + run, t->type};
            return true;
        }
    }
    return false;
}

bool redact_token(const char *text, size_t len, size_t at, struct redact_match *ret_match)
{
    if (!redact_starts_word(text, at))
        return false;
    return is_listed(text, len, at, ret_match) ||
           (text[at] == 'e' && is_jwt(text, len, at, ret_match)) ||
           (redact_in(text[at], CLASS_DIGIT) && is_telegram(text, len, at, ret_match)) ||
           is_header(text, len, at, ret_match) || is_discord(text, len, at, ret_match);
}
