#include "ptyd/core/pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"

void pair_init(struct pair *p, const char *path)
{
    *p = (struct pair){
        .paths = {text_copy(path), text_format("%.*s.copy.json", (int)strlen(path) - 5, path)}};
}

void pair_finish(struct pair *p)
{
    free(p->paths[0]);
    free(p->paths[1]);
    *p = (struct pair){0};
}

static enum pair_state state_of(int error)
{
    return error == -ENOENT                                           ? PAIR_NONE
           : error == -ENOMEM || error == -EMFILE || error == -ENFILE ? PAIR_UNREADABLE
                                                                      : PAIR_DAMAGED;
}

static enum pair_state read_one(const char *path, size_t limit, json_t **ret_object)
{
    struct bytes text = {0};
    struct stat st;
    *ret_object = NULL;
    if (lstat(path, &st) < 0)
        return state_of(-errno);
    if (stat(path, &st) < 0)
        return PAIR_DAMAGED; /* a link to nowhere */
    int result = file_read_regular(path, limit, &text);
    if (result == 0 && text.len)
        *ret_object = seal_load(text.data, text.len);
    bytes_finish(&text);
    return *ret_object ? PAIR_WHOLE : state_of(result);
}

json_t *pair_read(struct pair *p, size_t limit, enum pair_state ret_states[2])
{
    json_t *newest = NULL;
    for (int i = 0; i < 2; i++) {
        json_t *object;
        ret_states[i] = read_one(p->paths[i], limit, &object);
        uint64_t number = (uint64_t)json_number(object, "number", 0);
        if (object && (!newest || number > p->number)) {
            json_decref(newest);
            newest = json_incref(object);
            p->number = number;
        }
        json_decref(object);
    }
    return newest;
}

json_t *pair_open(struct pair *p, size_t limit, struct aside *aside, bool *ret_lost)
{
    enum pair_state states[2];
    json_t *object = pair_read(p, limit, states);
    *ret_lost = !object && (states[0] != PAIR_NONE || states[1] != PAIR_NONE);
    for (int i = 0; i < 2; i++) {
        if (states[i] == PAIR_DAMAGED)
            aside_move(aside, p->paths[i], "is damaged");
        else if (states[i] == PAIR_UNREADABLE)
            aside_note(aside, "%s cannot be read", p->paths[i]);
        else if (states[i] == PAIR_NONE && p->number > 1) /* 1: the writer died between the two */
            aside_note(aside, "%s was gone and comes from %s", p->paths[i], p->paths[!i]);
    }
    if (object && (states[0] != PAIR_WHOLE || states[1] != PAIR_WHOLE))
        pair_write(p, object); /* one that cannot be written is found out at the next */
    return object ? object : json_object();
}

char *pair_text(struct pair *p, json_t *object)
{
    json_object_set_new(object, "number", json_integer((json_int_t)++p->number));
    return seal_dump(object);
}

int pair_write(struct pair *p, json_t *object)
{
    char *text = pair_text(p, object);
    int result = text ? 0 : -ENOMEM;
    for (int i = 0; text && i < 2; i++) {
        int one = file_replace(p->paths[i], text, strlen(text));
        result = one < 0 ? one : result;
    }
    free(text);
    return result;
}
