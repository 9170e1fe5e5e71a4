/* One thread, which polls the hub's queue, the files and its signals; connecting and asking the
 * daemon wait, each with an end. The terminal waits for none of it: what there is to send stands in
 * files that the daemon writes anyway.
 *
 * Two machines that send as one, because one is a copy of the other's disk, find out by a word that
 * each says to itself at the hub: the one that began later gives way. */
#include "ptyd/relay/relaying.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/local_socket.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/hub.h"
#include "ptyd/relay/in.h"
#include "ptyd/relay/out.h"
#include "ptyd/relay/presence.h"
#include "ptyd/relay/serve.h"
#include "ptyd/relay/spool.h"
#include "ptyd/relay/subject.h"
#include "ptyd/relay/unsent.h"

#define AGAIN_LEAST_MS 100   /* between two tries to connect, at first */
#define LOOK_MS        30000 /* all files are looked at that often */
#define TELL_MS        1000  /* what runs is told others at most that often */
#define KEEP_MS        500   /* how far it is is written that often */
#define HEAR_MS        500   /* in which another machine has answered that it is this host, too */
#define HEAR_MOST      64    /* messages that are heard before what is due is done */

struct relay {
    const struct setup *settings;
    const struct identity *identity;
    char *status_path, *user; /* the latter as a token */
    char instance[2 * 8 + 1];
    int64_t since_ms; /* wall clock */
    struct hub *hub;
    struct spool *spool;
    struct conf_file *conf;
    struct out out;
    struct in in;
    struct unsent_way unsent;
    int signals;
    int settings_fd;          /* readable when files beside relay.json changed; -1 */
    struct setup_stamp stamp; /* of the settings that it goes by */
    bool ends, anew;
    bool gives_way;                        /* another machine was there before */
    int64_t yields_until;                  /* monotonic: it is gone if it says nothing until then */
    json_t *sessions;                      /* as others were told of them last */
    bool news;                             /* something may have changed in them since */
    int64_t connected_ms;                  /* wall clock; 0: not */
    int64_t lost_ms;                       /* likewise: since when it is not; 0: it is */
    int64_t speaks_at;                     /* monotonic: until then it is heard who else does */
    int64_t connect_at, again_ms;          /* monotonic */
    int64_t look_at, keep_at, presence_at; /* monotonic */
    bool moved;                            /* something happened since its state was written */
    json_t *written;                       /* the status as it stands in the file */
};

/* ---- what it says of itself ---- */

static json_t *status_of(const struct relay *r)
{
    const struct out *o = &r->out;
    const struct in *in = &r->in;
    const char *sealed = *r->settings->sealing.id ? r->settings->sealing.id : NULL;
    return json_pack("{s:i, s:I, s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b, "
                     "s:s?, s:I, s:I, s:s?, s:I, s:O, s:s?, s:I, s:I, s:I}",
                     "pid", (int)getpid(), "since_ms", (json_int_t)r->since_ms, "host_id",
                     r->identity->host_id, "url", r->settings->url, "connected",
                     hub_is_connected(r->hub), "connected_ms", (json_int_t)r->connected_ms, "sent",
                     (json_int_t)o->sent, "unacked", (json_int_t)o->unacked, "taken",
                     (json_int_t)in->taken, "known", (json_int_t)in->known, "clashes",
                     (json_int_t)in->clashes, "refused", (json_int_t)in->refused, "suppressed",
                     (json_int_t)o->suppressed, "waits", in->waits, "gives_way", r->gives_way,
                     "error", o->error, "error_ms", (json_int_t)o->error_ms, "lost_ms",
                     (json_int_t)r->lost_ms, "stuck", o->stuck, "stuck_ms", (json_int_t)o->stuck_ms,
                     "hosts", in->hosts, "sealed", sealed, "unsealed", (json_int_t)in->unsealed,
                     "unopened", (json_int_t)in->unopened, "oversize", (json_int_t)o->oversize);
}

static void keep(struct relay *r, bool clean)
{
    spool_keep(r->spool, clean);
    json_t *status = status_of(r);
    if (!json_equal(status, r->written)) {
        json_replace_file(r->status_path, status);
        json_decref(r->written);
        r->written = json_deep_copy(status);
    }
    json_decref(status);
    r->keep_at = clock_monotonic_ms() + KEEP_MS;
    r->moved = false;
}

static char *status_path(const char *state)
{
    return text_format("%s/relay/status.json", state);
}

json_t *relaying_status(const char *state)
{
    struct bytes text = {0};
    char *path = status_path(state);
    json_t *status = file_read_regular(path, LIMIT_META_BYTES, &text) == 0 && text.data
                         ? json_loadb(text.data, text.len, 0, NULL)
                         : NULL;
    bytes_finish(&text);
    free(path);
    return status;
}

static char *lock_path(const char *state)
{
    return text_format("%s/relay/lock", state);
}

long relaying_pid(const char *state)
{
    struct bytes text = {0};
    char *path = lock_path(state);
    int fd = file_open_regular(path);
    bool is_locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0;
    long pid = 0;
    if (is_locked && file_read_regular(path, LIMIT_RELAY_FILE_BYTES, &text) == 0 && text.data)
        pid = strtol(text.data, NULL, 10);
    if (fd >= 0)
        close(fd);
    bytes_finish(&text);
    free(path);
    return pid;
}

/* ---- what is heard ---- */

static void publish_text(struct relay *r, const char *subject, const char *text)
{
    hub_publish(r->hub, subject, NULL, NULL, text, strlen(text));
}

/* Sealed, where this host seals: as what is said under `about`, and that id. Steals `value`. */
static void publish_json(struct relay *r, const char *subject, const char *about, const char *id,
                         json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    char *sealed = sealing_close(&r->settings->sealing, about, id, text ? text : "{}");
    publish_text(r, subject, sealed);
    free(sealed);
    free(text);
    json_decref(value);
}

/* Only who has this host's key can say it. */
static void sign_hello(const struct relay *r, const char *op, const char *instance,
                       int64_t since_ms, char ret_mac[KEYS_ID_SIZE])
{
    char *text = text_format("%s/%s/%lld", op, instance, (long long)since_ms);
    keys_mac(r->identity->key, text, ret_mac);
    free(text);
}

/* It is proved by its MAC, and never sealed: a copy of this host may have another key. `op`: hello,
 * or bye. */
static void say_hello(struct relay *r, const char *op)
{
    char mac[KEYS_ID_SIZE], *subject = subject_requests(r->user, r->identity->host_id);
    sign_hello(r, op, r->instance, r->since_ms, mac);
    char *text =
        text_format("{\"v\":1,\"op\":\"%s\",\"instance\":\"%s\",\"since_ms\":%lld,\"mac\":\"%s\"}",
                    op, r->instance, (long long)r->since_ms, mac);
    if (!r->settings->publish_only)
        publish_text(r, subject, text);
    free(text);
    free(subject);
}

/* A daemon that would end, for nothing lives there, is not kept by our asking: what ended stays so
 * until something is heard of its files. */
static void look_at_sessions(struct relay *r, bool gone)
{
    if (!gone && !r->news && !presence_lives(r->sessions))
        return;
    json_decref(r->sessions);
    r->sessions = gone ? json_array() : presence_sessions();
    r->news = false;
}

static void say_presence(struct relay *r, bool gone)
{
    char *bucket = subject_presence(r->user);
    char *subject = text_format("$KV.%s.%s", bucket, r->identity->host_id);
    r->presence_at = clock_monotonic_ms() + PRESENCE_MS;
    if (!r->settings->publish_only && !r->gives_way) {
        in_ask_time(&r->in);
        look_at_sessions(r, gone);
        publish_json(r, subject, subject, "",
                     presence_json(r->settings, r->identity, r->since_ms, gone, r->sessions));
    }
    free(subject);
    free(bucket);
}

/* The other is gone, or has been silent for so long that it is. */
static void yield_no_more(struct relay *r)
{
    say("relay: the other machine that sent as this host is gone; this one sends again");
    r->gives_way = false;
    r->presence_at = 0;
    in_lost(&r->in); /* what it holds may be the other's by now */
}

static void hear_hello(struct relay *r, const char *op, const json_t *hello)
{
    const char *instance = json_text(hello, "instance", "");
    int64_t since = json_number(hello, "since_ms", 0);
    int order = strcmp(instance, r->instance);
    char mac[KEYS_ID_SIZE];
    sign_hello(r, op, instance, since, mac);
    if (!order || strcmp(mac, json_text(hello, "mac", "")) != 0)
        return;
    bool later = since < r->since_ms || (since == r->since_ms && order < 0);
    if (!strcmp(op, "bye")) {
        if (r->gives_way && later)
            yield_no_more(r);
        return;
    }
    if (later)
        r->yields_until = clock_monotonic_ms() + 3 * PRESENCE_MS;
    if (r->gives_way)
        return;
    out_fail(&r->out,
             "another machine sends as this host (%s): one is a copy of the other; `ptyd "
             "relay enable --new-host` on one of them makes them two%s",
             r->identity->host_id,
             later ? "; this one, which began later, sends nothing while the other does" : "");
    r->gives_way = later;
    if (later)
        in_lost(&r->in);
    else
        say_hello(r, "hello");
}

static const char *why_unheard(const struct relay *r, enum sealing_found found)
{
    return found == SEALING_UNSEALED   ? "that host believes what is sealed alone"
           : !*r->settings->sealing.id ? "that host has no key for what is sealed"
                                       : "that host cannot open this: its key is another";
}

static void hear_request(struct relay *r, const struct hub_message *m)
{
    json_t *request = NULL, *plain = json_loadb(m->data, m->len, 0, NULL);
    enum sealing_found found =
        sealing_open(&r->settings->sealing, m->subject, "request", m->data, m->len, &request);
    bool answers = subject_is_answer(m->reply, r->identity->host_id);
    const char *op = json_text(plain, "op", "");
    if (!strcmp(op, "hello") || !strcmp(op, "bye"))
        hear_hello(r, op, plain);
    else if (answers && found == SEALING_GOOD)
        publish_json(r, m->reply, m->subject, json_text(request, "ask", ""),
                     serve_answer(request, r->settings->outputs));
    else if (answers) {
        char *text = text_format("{\"v\":1,\"error\":\"%s\"}", why_unheard(r, found));
        publish_text(r, m->reply, text);
        free(text);
    }
    json_decref(plain);
    json_decref(request);
}

static void lose(struct relay *r, const char *why)
{
    out_fail(&r->out, "the hub is gone: %s", why);
    hub_disconnect(r->hub);
    out_lost(&r->out);
    unsent_lost(&r->unsent);
    in_lost(&r->in);
    r->connected_ms = 0;
    r->lost_ms = clock_wall_ms();
    r->again_ms = AGAIN_LEAST_MS;
    r->connect_at = clock_monotonic_ms() + r->again_ms;
}

/* Takes the message. Returns whether the connection is as it was. */
static bool hear(struct relay *r, struct hub_message *m)
{
    bool lost = m->kind == HUB_LOST;
    if (m->kind == HUB_MESSAGE && !r->gives_way) {
        in_take(&r->in, m);
        return true;
    }
    if (m->kind == HUB_ANSWER && m->subject[0] == 'p')
        out_answer(&r->out, m);
    else if (m->kind == HUB_ANSWER && m->subject[0] == 'g')
        in_answer(&r->in, m);
    else if (m->kind == HUB_ANSWER && m->subject[0] == 'i')
        in_state(&r->in, m);
    else if (m->kind == HUB_ANSWER && m->subject[0] == 't')
        in_time(&r->in, m);
    else if (m->kind == HUB_ANSWER && m->subject[0] == 'u')
        unsent_answer(&r->unsent, m);
    else if (m->kind == HUB_REQUEST)
        hear_request(r, m);
    else if (m->kind == HUB_REFUSED)
        out_fail(&r->out, "the hub does not allow this: %s", m->data);
    if (lost)
        lose(r, m->data);
    hub_message_free(m);
    return !lost;
}

/* ---- its settings ---- */

/* Where it cannot be watched it is looked at every now and then all the same. */
static int watch_settings(void)
{
    char *path = setup_path(), *directory = paths_parent(path);
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd >= 0)
        inotify_add_watch(fd, directory, IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_ONLYDIR);
    free(directory);
    free(path);
    return fd;
}

/* What `enable` said last counts for who runs, too. */
static void look_at_settings(struct relay *r)
{
    char news[4096];
    while (r->settings_fd >= 0 && read(r->settings_fd, news, sizeof news) > 0)
        ;
    r->anew = r->anew || !setup_is_stamped(r->stamp);
    r->ends = r->ends || r->anew;
}

/* ---- the loop ---- */

static void connect_hub(struct relay *r, int64_t now)
{
    if (hub_is_connected(r->hub) || now < r->connect_at)
        return;
    char *why = hub_connect(r->hub);
    if (why) {
        out_fail(&r->out, "cannot reach the hub %s: %s", r->settings->url, why);
        r->again_ms =
            r->again_ms * 2 < LIMIT_RELAY_AGAIN_MS ? r->again_ms * 2 : LIMIT_RELAY_AGAIN_MS;
        r->connect_at = clock_monotonic_ms() + r->again_ms;
        free(why);
        return;
    }
    r->connected_ms = clock_wall_ms();
    r->lost_ms = 0;
    r->moved = true;
    r->again_ms = AGAIN_LEAST_MS;
    say("relay: connected to %s as %s (%s)", r->settings->url, r->settings->host,
        r->identity->host_id);
    r->presence_at = 0;
    /* Who sends as this host, too, could not be heard meanwhile, and answers what is said now. */
    r->yields_until = clock_monotonic_ms() + 3 * PRESENCE_MS;
    r->speaks_at = r->settings->publish_only ? 0 : clock_monotonic_ms() + HEAR_MS;
}

/* Does what is due; returns when something will be. */
static int64_t step(struct relay *r)
{
    int64_t now = clock_monotonic_ms();
    connect_hub(r, now);
    if (now >= r->look_at) {
        spool_look(r->spool);
        look_at_settings(r);
        r->look_at = now + LOOK_MS;
    }
    int64_t until = r->look_at;
    if (now >= r->presence_at && hub_is_connected(r->hub)) {
        say_hello(r, "hello");
        say_presence(r, false);
    }
    if (hub_is_connected(r->hub))
        until = clock_sooner(until, r->presence_at);
    if (!hub_is_connected(r->hub))
        until = clock_sooner(until, r->connect_at);
    if (r->gives_way && hub_is_connected(r->hub) && now >= r->yields_until)
        yield_no_more(r);
    if (!hub_is_connected(r->hub))
        ;
    else if (r->gives_way) {
        until = clock_sooner(until, r->yields_until);
    } else if (now < r->speaks_at) {
        until = clock_sooner(until, r->speaks_at);
    } else {
        until = clock_sooner(until, unsent_step(&r->unsent));
        until = clock_sooner(until, out_step(&r->out));
        until = clock_sooner(until, in_step(&r->in));
    }
    r->moved = r->moved || r->out.error_ms != json_number(r->written, "error_ms", 0);
    if (r->moved && now >= r->keep_at)
        keep(r, false);
    if (r->moved)
        until = clock_sooner(until, r->keep_at);
    return until;
}

/* A request may wait for the daemon, and who may ask may ask without end: one at a time. */
static void hear_some(struct relay *r)
{
    struct hub_message *m;
    for (int i = 0; i < HEAR_MOST && (m = hub_next(r->hub)); i++) {
        bool is_request = m->kind == HUB_REQUEST;
        if (!hear(r, m) || is_request)
            break;
    }
}

static void loop(struct relay *r)
{
    struct pollfd fds[] = {{.fd = r->signals, .events = POLLIN},
                           {.fd = hub_fd(r->hub), .events = POLLIN},
                           {.fd = spool_fd(r->spool), .events = POLLIN},
                           {.fd = r->settings_fd, .events = POLLIN}};
    while (!r->ends) {
        int64_t wait = step(r) - clock_monotonic_ms();
        int ready = poll(fds, 4, wait < 0 ? 0 : (int)wait);
        if (ready < 0 && errno != EINTR)
            break;
        r->ends = r->ends || fds[0].revents;
        if (fds[3].revents)
            look_at_settings(r);
        r->moved = r->moved || ready > 0;
        if (fds[2].revents) {
            spool_take_news(r->spool);
            r->news = true;
            r->presence_at = clock_sooner(r->presence_at, clock_monotonic_ms() + TELL_MS);
        }
        hear_some(r);
    }
}

/* The library's threads are to leave them to us: they are blocked before there are any. */
static int open_signals(void)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &ends, SFD_CLOEXEC);
}

static void run(struct relay *r, const char *state)
{
    char *inbox = subject_inbox(r->identity->host_id);
    char *requests = subject_requests(r->user, r->identity->host_id);
    struct hub_options options = {.url = r->settings->url,
                                  .authority = r->settings->authority,
                                  .creds = r->settings->creds,
                                  .seed = r->settings->creds ? NULL : r->identity->seed,
                                  .inbox = inbox,
                                  .requests = r->settings->publish_only ? NULL : requests};
    unsigned char instance[8];
    keys_random(instance, sizeof instance);
    keys_hex(instance, sizeof instance, r->instance);
    r->since_ms = r->lost_ms = clock_wall_ms();
    r->status_path = status_path(state);
    r->conf = conf_open();
    conf_use_rules(r->conf);
    r->hub = hub_open(&options);
    r->spool = spool_open(state, r->settings->since_ms, true);
    r->again_ms = AGAIN_LEAST_MS;
    r->out = (struct out){.hub = r->hub,
                          .spool = r->spool,
                          .settings = r->settings,
                          .user = r->user,
                          .identity = r->identity,
                          .conf = r->conf,
                          .began_ms = r->since_ms};
    r->in = (struct in){.hub = r->hub,
                        .settings = r->settings,
                        .user = r->user,
                        .identity = r->identity,
                        .out = &r->out};
    r->unsent = (struct unsent_way){
        .hub = r->hub, .state = state, .url = r->settings->url, .host_id = r->identity->host_id};
    in_begin(&r->in);
    keep(r, false); /* from here on something may be sent twice */
    loop(r);
    if (hub_is_connected(r->hub)) {
        say_presence(r, true);
        say_hello(r, "bye");
    }
    hub_close(r->hub);
    keep(r, r->out.unacked == 0);
    unsent_lost(&r->unsent);
    out_finish(&r->out);
    in_finish(&r->in);
    spool_close(r->spool);
    json_decref(r->written);
    json_decref(r->sessions);
    free(r->status_path);
    free(requests);
    free(inbox);
}

int relaying_run(const char *state, const struct setup *settings, struct setup_stamp stamp,
                 const struct identity *identity, bool *ret_anew)
{
    struct relay r = {.settings = settings, .stamp = stamp, .identity = identity, .news = true};
    char *path = lock_path(state), *message = NULL;
    int lock = local_socket_lock(path, "relay", &message);
    r.signals = open_signals();
    r.settings_fd = watch_settings();
    if (lock < 0)
        say("%s", message);
    r.user = subject_token(settings->user);
    if (lock >= 0)
        run(&r, state);
    *ret_anew = r.anew;
    free(r.user);
    free(message);
    free(path);
    return lock < 0 ? EXIT_FAILED : EXIT_OK;
}
