/* letter.h - a block as it is sent to other hosts: without its secrets, bounded, under an id that
 * nobody else can make. */
#ifndef PTYD_RELAY_LETTER_H
#define PTYD_RELAY_LETTER_H

#include <stdint.h>

#include "ptyd/core/block.h"
#include "ptyd/relay/setup.h"

/* What agents are told of a block here becomes all that it says; what the user's rules of today
 * take out goes, too. */
void letter_take_secrets_out(struct block *block);

/* The payload (ptyd-relay(7)), with the time where it is to be sealed, which as it is sent, sealed,
 * has at most LIMIT_RELAY_LETTER_BYTES; new string. What is largest of the block is cut until it
 * fits: of the output's end the newest lines stay, of command and directories the heads. */
char *letter_text(struct block *block, const struct setup *setup, const struct identity *own,
                  const char *session, uint64_t number);
/* The same with at most `most` bytes, if all that can be cut suffices, to be sent at once: it says
 * what time it is here, so that who hears it knows a clock that is off. */
char *letter_text_within(struct block *block, const struct setup *setup, const struct identity *own,
                         const char *session, uint64_t number, size_t most);

/* Its id: the same for the same block, but with another `salt`, and sealed with another key: who
 * has that one cannot read what the hub has already. */
void letter_id(const struct block *block, const struct setup *setup, const struct identity *own,
               uint64_t number, unsigned salt, char ret_id[KEYS_ID_SIZE]);

#endif
