/* Names of secrets in other scripts: where one stands, `password` is read, or what else it says, so
 * that all that is known of names is known of these, too. */
#include <string.h>
#include <strings.h>

#include "envelope/redact/rules.h"

struct name {
    const char *text; /* small letters */
    const char *says; /* as long at most */
};

/* clang-format off */
static const struct name names[] = {
    {"пароль", "password"}, {"парола", "password"}, {"лозинка", "password"}, {"лозинката", "password"},
    {"құпиясөз", "password"}, {"секретный ключ", "secret key"}, {"секретний ключ", "secret key"},
    {"ключ api", "api key"}, {"ключ", "key"}, {"секрет", "secret"}, {"токен", "token"},
    {"κωδικός πρόσβασης", "password"}, {"κωδικος προσβασης", "password"}, {"συνθηματικό", "password"},
    {"パスワード", "password"}, {"パスフレーズ", "passphrase"}, {"合言葉", "password"},
    {"秘密鍵", "secretkey"}, {"トークン", "token"},
    {"密码是", "passwd: "}, {"密码为", "passwd: "}, {"密碼是", "passwd: "}, {"密碼為", "passwd: "},
    {"密码", "passwd"}, {"密碼", "passwd"}, {"口令", "passwd"}, {"密钥", "secret"}, {"密鑰", "secret"},
    {"令牌", "token"},
    {"비밀번호", "password"}, {"패스워드", "password"}, {"암호", "passwd"}, {"비밀키", "secretkey"},
    {"토큰", "token"},
    {"كلمة المرور", "password"}, {"كلمة السر", "password"}, {"رمز عبور", "password"},
    {"گذرواژه", "password"}, {"סיסמה", "password"}, {"סיסמא", "password"}, {"סיסמת", "password"},
    {"पासवर्ड", "password"}, {"पासवर्ड", "password"}, {"รหัสผ่าน", "password"},
    {"գաղտնաբառ", "password"}, {"პაროლი", "password"}, {"পাসওয়ার্ড", "password"},
};
/* clang-format on */

#define SECOND(byte) (UINT64_C(1) << ((byte)&0x3f))

const uint64_t redact_scripts[64] = {[0xce & 0x3f] = SECOND(0x9a) | SECOND(0xa3) | SECOND(0xba),
                                     [0xcf & 0x3f] = SECOND(0x83),
                                     [0xd0 & 0x3f] = SECOND(0x9a) | SECOND(0x9b) | SECOND(0x9f) |
                                                     SECOND(0xa1) | SECOND(0xa2) | SECOND(0xba) |
                                                     SECOND(0xbb) | SECOND(0xbf),
                                     [0xd1 & 0x3f] = SECOND(0x81) | SECOND(0x82),
                                     [0xd2 & 0x3f] = SECOND(0x9a) | SECOND(0x9b),
                                     [0xd4 & 0x3f] = SECOND(0xb3),
                                     [0xd5 & 0x3f] = SECOND(0xa3),
                                     [0xd7 & 0x3f] = SECOND(0xa1),
                                     [0xd8 & 0x3f] = SECOND(0xb1),
                                     [0xd9 & 0x3f] = SECOND(0x83),
                                     [0xda & 0x3f] = SECOND(0xaf),
                                     [0xe0 & 0x3f] = SECOND(0xa4) | SECOND(0xa6) | SECOND(0xb8),
                                     [0xe1 & 0x3f] = SECOND(0x83) | SECOND(0xb2),
                                     [0xe3 & 0x3f] = SECOND(0x83),
                                     [0xe4 & 0x3f] = SECOND(0xbb),
                                     [0xe5 & 0x3f] = SECOND(0x8f) | SECOND(0x90) | SECOND(0xaf),
                                     [0xe7 & 0x3f] = SECOND(0xa7),
                                     [0xeb & 0x3f] = SECOND(0xb9),
                                     [0xec & 0x3f] = SECOND(0x95),
                                     [0xed & 0x3f] = SECOND(0x86) | SECOND(0x8c)};

/* The code of a character of two bytes, of Cyrillic's and Greek's capital letters the small one's.
 */
static unsigned small(const char *t)
{
    unsigned code = ((unsigned char)t[0] & 0x1fu) << 6 | ((unsigned char)t[1] & 0x3fu);
    if ((code >= 0x410 && code <= 0x42f) || (code >= 0x391 && code <= 0x3a9))
        return code + 0x20;
    return code;
}

static bool is_it(const char *text, const char *name, size_t len)
{
    for (size_t i = 0; i < len;) {
        if (((unsigned char)name[i] & 0xe0) == 0xc0 && i + 1 < len) {
            if (small(text + i) != small(name + i))
                return false;
            i += 2;
        } else if (text[i] != name[i] && (name[i] & 0x80 || (text[i] | 0x20) != name[i])) {
            return false;
        } else {
            i++;
        }
    }
    return true;
}

const char *redact_long_script_name(const char *text, size_t len, size_t *ret_len)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t most = strlen(names[i].text);
        if (most > len || (names[i].text[0] & 0xf0) != (text[0] & 0xf0) ||
            !is_it(text, names[i].text, most))
            continue;
        *ret_len = most;
        return names[i].says;
    }
    return NULL;
}
