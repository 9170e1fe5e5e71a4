#define _GNU_SOURCE
#include "ptyd/agents/plugin.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/text.h"

#define MARK "// Made by `ptyd enable"

/* A part goes behind those of the message by its id, by which they are sorted. Sessions below
 * another are agents' own. A message that is taken back is removed when the next one is sent. A
 * fork's messages are copies with ids of their own, and nothing says of what: a part says so
 * itself, in what is copied with it. That is read while the message is there: when a fork is first
 * heard of, and when messages of it are about to be taken back. */
static const char format[] = MARK
    " %s`; `ptyd disable %s` removes it.\n"
    "import { spawnSync } from 'node:child_process'\n"
    "\n"
    "const context = (session_id, turn_id, more) => {\n"
    "  const event = JSON.stringify({ session_id, turn_id, ...more })\n"
    "  const options = { input: event, encoding: 'utf8', timeout: 5000 }\n"
    "  const { stdout } = spawnSync(%s, ['hook', '%s'], options)\n"
    "  return stdout ? JSON.parse(stdout).additionalContext : ''\n"
    "}\n"
    "\n"
    "const turns = new Map()\n"
    "const toldIn = async (client, id) => {\n"
    "  const { data } = await client.session.messages({ path: { id } })\n"
    "  return data?.flatMap(({ info, parts }) => {\n"
    "    const told = parts.flatMap((p) => p.metadata?.ptyd ?? [])\n"
    "    for (const { turn_id } of told) turns.set(info.id, turn_id)\n"
    "    return told\n"
    "  })\n"
    "}\n"
    "\n"
    "const looked = new Set()\n"
    "const forkedFrom = async (client, id) => {\n"
    "  if (looked.has(id)) return\n"
    "  const told = await toldIn(client, id)\n"
    "  looked.add(id)\n"
    "  return told?.at(-1)?.session_id === id ? undefined : told?.at(-1)\n"
    "}\n"
    "\n"
    "export const ptyd = async ({ client, directory }) => ({\n"
    "  'chat.message': async ({ sessionID }, { message, parts }) => {\n"
    "    try {\n"
    "      const { data } = await client.session.get({ path: { id: sessionID } })\n"
    "      if (data?.parentID) return\n"
    "      const forked_from = await forkedFrom(client, sessionID).catch(() => undefined)\n"
    "      const text = context(sessionID, message.id, { cwd: directory, forked_from })\n"
    "      const id = `${parts.at(-1)?.id ?? 'prt_'}p`\n"
    "      const metadata = { ptyd: { session_id: sessionID, turn_id: message.id } }\n"
    "      const part = { id, sessionID, messageID: message.id, type: 'text', synthetic: true }\n"
    "      if (text) parts.push({ ...part, metadata, text })\n"
    "    } catch {\n"
    "      // the user's message goes on without\n"
    "    }\n"
    "  },\n"
    "  event: async ({ event: { type, properties } }) => {\n"
    "    const { info, sessionID, messageID } = properties ?? {}\n"
    "    if (type === 'session.updated' && info?.revert)\n"
    "      await toldIn(client, info.id).catch(() => undefined)\n"
    "    if (type === 'message.removed')\n"
    "      context(sessionID, turns.get(messageID) ?? messageID, { hook_event_name: type })\n"
    "  },\n"
    "})\n";

char *plugin_text(const char *program, const char *name)
{
    json_t *string = json_string(program); /* JSON's strings are JavaScript's */
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    char *text = text_format(format, name, name, quoted ? quoted : "'ptyd'", name);
    json_decref(string);
    free(quoted);
    return text;
}

/* The file's text, a new string; NULL with *ret_error where there is none that can be read. */
static char *read_text(const char *path, int *ret_error)
{
    struct bytes text = {0};
    *ret_error = file_read_regular(path, LIMIT_SETTINGS_BYTES, &text);
    if (*ret_error < 0) {
        bytes_finish(&text);
        return NULL;
    }
    return text.data ? text.data : text_copy("");
}

static bool is_marked(const char *text)
{
    return text && !strncmp(text, MARK, strlen(MARK));
}

bool plugin_is_ours(const char *path)
{
    int ignored;
    char *text = read_text(path, &ignored);
    bool ours = is_marked(text);
    free(text);
    return ours;
}

int plugin_add(const char *path, const char *program, const char *name)
{
    int result;
    char *there = read_text(path, &result), *text = plugin_text(program, name);
    char *directory = paths_parent(path);
    if (there && !strcmp(there, text)) {
        result = 0;
    } else if (there && !is_marked(there)) {
        result = -EEXIST;
    } else if (there || result == -ENOENT) {
        result = file_make_directory(directory);
        result = result < 0 ? result : file_replace_kept(path, text, strlen(text));
        result = result < 0 ? result : 1;
    }
    free(there);
    free(text);
    free(directory);
    return result;
}

int plugin_remove(const char *path)
{
    int result;
    char *there = read_text(path, &result);
    if (there)
        result = !is_marked(there) ? -EEXIST : unlink(path) < 0 ? -errno : 1;
    free(there);
    return result == -ENOENT ? 0 : result;
}
